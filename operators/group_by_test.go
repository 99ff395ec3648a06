package operators

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// keyed is a group as the tests see it.
type keyed[K comparable, T any] struct {
	reactor.Publisher[T]
	key K
}

func newKeyed[K comparable, T any](key K, elements reactor.Publisher[T]) keyed[K, T] {
	return keyed[K, T]{elements, key}
}

func mod(n int) func(int) int { return func(v int) int { return v % n } }

// groupsOf subscribes to src in groups and keeps the groups that come.
func groupsOf(ctx context.Context, src reactor.Publisher[int], n int, demand int64, opts ...GroupByOption) *probe.Probe[keyed[int, int]] {
	p := probeOf[keyed[int, int]](demand)
	GroupBy(src, mod(n), newKeyed[int, int], opts...).Subscribe(ctx, p)
	return p
}

func keysOf[K comparable, T any](p *probe.Probe[keyed[K, T]]) (keys []K) {
	for _, g := range p.Got() {
		keys = append(keys, g.key)
	}
	return keys
}

func TestGroupBy(t *testing.T) {
	sums := FlatMap(GroupBy(Range(1, 10), mod(3), newKeyed[int, int]), func(g keyed[int, int]) reactor.Publisher[string] {
		return Map(CollectSlice(g.Publisher), func(list []int) string { return fmt.Sprint(g.key, list) })
	})
	run(sums).Done(t, "0 [3 6 9]", "1 [1 4 7 10]", "2 [2 5 8]")
	assert.Empty(t, run(GroupBy(Empty[int](), mod(3), newKeyed[int, int])).Got())
}

func TestGroupByMap(t *testing.T) {
	all := FlatMap(
		GroupByMap(Range(1, 4), mod(2), func(v int) string { return strings.Repeat("x", v) }, newKeyed[int, string]),
		func(g keyed[int, string]) reactor.Publisher[string] {
			return Map(g.Publisher, func(s string) string { return fmt.Sprint(g.key, s) })
		})
	run(all).Done(t, "1x", "0xx", "1xxx", "0xxxx")
}

func TestGroupByEndsGroupsInOrder(t *testing.T) {
	check := func(t *testing.T, keys reactor.Publisher[string]) {
		t.Helper()
		run(keys).Done(t, "b a c", "a b c")
	}
	// First the order in which groups come, then the order in which they end.
	t.Run("strings", func(t *testing.T) { check(t, groupEnds(func(s string) string { return s })) })
	t.Run("numbers", func(t *testing.T) { check(t, groupEnds(func(s string) byte { return s[0] })) })
	t.Run("signed", func(t *testing.T) { check(t, groupEnds(func(s string) int16 { return int16(s[0]) - 'b' })) })
	t.Run("floats", func(t *testing.T) { check(t, groupEnds(func(s string) float64 { return float64(s[0]) - 97.5 })) })
	t.Run("others", func(t *testing.T) {
		type pair struct{ s string }
		run(groupEnds(func(s string) pair { return pair{s} })).Done(t, "b a c", "b a c")
		run(groupEnds(func(s string) any { return s })).Done(t, "b a c", "b a c")
	})
}

func groupEnds[K comparable](key func(string) K) reactor.Publisher[string] {
	return Defer(func(context.Context) reactor.Publisher[string] {
		var began, ended []string
		name := map[K]string{}
		groups := GroupBy(JustAll("b", "a", "c", "a"), func(s string) K { name[key(s)] = s; return key(s) }, newKeyed[K, string])
		all := FlatMap(groups, func(g keyed[K, string]) reactor.Publisher[string] {
			began = append(began, name[g.key])
			return DoOnComplete(g.Publisher, func() { ended = append(ended, name[g.key]) })
		})
		return Concat(IgnoreElements[string](all), Defer(func(context.Context) reactor.Publisher[string] {
			return JustAll(strings.Join(began, " "), strings.Join(ended, " "))
		}))
	})
}

func TestGroupByDemand(t *testing.T) {
	src := &puppet[int]{}
	p := groupsOf(t.Context(), src, 2, 1, Prefetch(4), Verbatim())
	up := src.last()
	assert.EqualValues(t, 4, up.requested.Load())
	up.OnNext(1)
	assert.EqualValues(t, 5, up.requested.Load(), "one more for the group")
	up.OnNext(2)
	assert.Equal(t, []int{1}, keysOf(p), "no demand for the second group")
	one := probeOf[int](0)
	p.Got()[0].Subscribe(t.Context(), one)
	one.Request(2)
	one.Open(t, 1)
	assert.EqualValues(t, 5, up.requested.Load(), "the first element of a group is part of it")
	up.OnNext(3)
	assert.EqualValues(t, 6, up.requested.Load())
	up.OnNext(5)
	one.Open(t, 1, 3)
	assert.EqualValues(t, 6, up.requested.Load(), "nobody has taken it")
	one.Request(1)
	assert.EqualValues(t, 7, up.requested.Load())
	p.Request(1)
	assert.Equal(t, []int{1, 0}, keysOf(p))
	assert.EqualValues(t, 8, up.requested.Load())
	assert.EqualValues(t, 0, up.cancels.Load())
}

// What goes straight through is asked for again three quarters of the prefetch at a time, or when src
// has sent everything.
func TestGroupByAsksInBatches(t *testing.T) {
	src := &puppet[int]{}
	p := groupsOf(t.Context(), src, 2, 9, Prefetch(8))
	up := src.last()
	up.OnNext(1)
	up.OnNext(2)
	assert.EqualValues(t, 10, up.requested.Load(), "one more for each group")
	one, two := probeOf[int](reactor.Unbounded), probeOf[int](0)
	p.Got()[0].Subscribe(t.Context(), one)
	p.Got()[1].Subscribe(t.Context(), two)
	for range 5 {
		up.OnNext(3)
	}
	assert.EqualValues(t, 10, up.requested.Load())
	up.OnNext(3)
	assert.EqualValues(t, 16, up.requested.Load(), "six of eight")
	for range 5 {
		up.OnNext(4)
	}
	for range 2 {
		up.OnNext(3)
	}
	assert.EqualValues(t, 16, up.requested.Load(), "15 have come")
	up.OnNext(3)
	assert.EqualValues(t, 19, up.requested.Load(), "src has sent everything")
	two.Request(3)
	assert.EqualValues(t, 21, up.requested.Load(), "what has waited is asked for when it is taken, but the first one")
	assert.Len(t, one.Got(), 10)
}

func TestGroupByUnboundedPrefetch(t *testing.T) {
	src := &puppet[int]{}
	groupsOf(t.Context(), src, 2, 0, Prefetch(math.MaxInt))
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
}

// TestGroupByStandsStill shows what the documentation warns of, and the ways out.
func TestGroupByStandsStill(t *testing.T) {
	parity := func(opts ...FlatMapOption) reactor.Publisher[int] {
		groups := GroupBy(Range(0, 1000), mod(2), newKeyed[int, int])
		return FlatMap(groups, func(g keyed[int, int]) reactor.Publisher[int] { return g.Publisher }, opts...)
	}
	assert.Len(t, run(parity()).Got(), 1000)
	stuck := run(parity(Concurrency(1)))
	assert.False(t, stuck.Over())
	assert.Less(t, len(stuck.Got()), 1000)
	stuck.Cancel()

	groups := GroupBy(Range(0, 1000), mod(2), newKeyed[int, int])
	even := FlatMap(groups, func(g keyed[int, int]) reactor.Publisher[int] {
		if g.key == 0 {
			return g.Publisher
		}
		return IgnoreElements[int](g.Publisher)
	})
	p := run(even)
	assert.Len(t, p.Got(), 500)
	assert.True(t, p.Over())
}

func TestGroupByOneSubscriberPerGroup(t *testing.T) {
	g := groupsOf(t.Context(), Range(1, 3), 1, 1).Got()[0]
	run(g.Publisher).Done(t, 1, 2, 3)
	run(g.Publisher).Failed(t, reactor.ErrIllegalState)
}

func TestGroupByCancelledGroupOpensAgain(t *testing.T) {
	src := &puppet[int]{}
	ctx, r := probe.Recorded()
	p := groupsOf(ctx, src, 2, 9, Prefetch(8))
	up := src.last()
	for _, v := range []int{1, 2, 3} {
		up.OnNext(v)
	}
	one := probeOf[int](1)
	p.Got()[0].Subscribe(ctx, one)
	requested := up.requested.Load()
	one.Cancel()
	assert.Equal(t, []any{3}, r.Discarded)
	assert.Equal(t, requested, up.requested.Load(), "another group is open")
	up.OnNext(5)
	assert.Equal(t, []int{1, 0, 1}, keysOf(p))
	for _, g := range p.Got()[1:] {
		s := probeOf[int](0)
		g.Subscribe(ctx, s)
		s.Cancel()
	}
	assert.Equal(t, requested+1, up.requested.Load(), "src may send as much as at the start, less than three quarters of the prefetch")
	up.OnNext(6)
	assert.Equal(t, []int{1, 0, 1, 0}, keysOf(p))
	up.OnComplete()
	run(p.Got()[3].Publisher).Done(t, 6)
	assert.True(t, p.Over())
	assert.EqualValues(t, 0, up.cancels.Load())
}

// Groups that follow one another don't raise the demand: however many there were, src may send a prefetch ahead.
func TestGroupByDemandStaysAtThePrefetch(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[keyed[int, int]](reactor.Unbounded)
	GroupBy(src, func(v int) int { return v / 3 }, newKeyed[int, int], Prefetch(8)).Subscribe(t.Context(), p)
	up := src.last()
	for v := range 300 {
		require.Less(t, int64(v), up.requested.Load(), "nothing comes any more")
		up.OnNext(v)
		if v%3 == 0 {
			g := probeOf[int](reactor.Unbounded)
			p.Got()[v/3].Subscribe(t.Context(), g)
			g.Each = func(w int) {
				if w%3 == 2 {
					g.Cancel()
				}
			}
		}
		assert.LessOrEqual(t, up.requested.Load(), int64(v+1+8))
	}
	up.OnComplete()
}

// TestGroupByCancelledGroupsUseNothingUp keeps a group open, so that src is not asked
// anew, while others discard more than the whole supplier.
func TestGroupByCancelledGroupsUseNothingUp(t *testing.T) {
	for _, prefetch := range []int{1, 2, 3, 4, 16} {
		src := &puppet[int]{}
		p := groupsOf(t.Context(), src, 1000, 1000, Prefetch(prefetch))
		up := src.last()
		var sent int64
		send := func(v int) {
			require.Less(t, sent, up.requested.Load(), "prefetch %d: the source is not asked any more", prefetch)
			sent++
			up.OnNext(v)
		}
		send(0)
		for i := 1; i < 100; i++ {
			send(i)
			for sent < up.requested.Load() {
				send(i)
			}
			s := probeOf[int](0)
			p.Got()[i].Subscribe(t.Context(), s)
			s.Cancel()
		}
		up.OnComplete() // which ends the watch over a stall
	}
}

// A reader leaves while an element goes straight down to it: that one is asked for again, too.
func TestGroupByReaderLeavesAtAnElement(t *testing.T) {
	src := &puppet[int]{}
	p := groupsOf(t.Context(), src, 1000, 1000, Prefetch(4))
	up := src.last()
	var sent int64
	send := func(v int) {
		require.Less(t, sent, up.requested.Load(), "the source is not asked any more")
		sent++
		up.OnNext(v)
	}
	send(0) // stays open, so that src is not asked anew
	for i := 1; i < 20; i++ {
		send(i)
		s := probeOf[int](reactor.Unbounded)
		p.Got()[i].Subscribe(t.Context(), s)
		s.Each = func(int) { s.Cancel() }
		send(i)
		s.Open(t, i, i)
	}
	up.OnComplete()
}

func TestGroupByCancelled(t *testing.T) {
	src := &puppet[int]{}
	ctx, r := probe.Recorded()
	p := groupsOf(ctx, src, 3, 1, Prefetch(8))
	up := src.last()
	up.OnNext(1)
	up.OnNext(2) // a group nobody has seen
	up.OnNext(5)
	one := probeOf[int](9)
	p.Got()[0].Subscribe(ctx, one)
	p.Cancel()
	p.Cancel()
	assert.Equal(t, []any{2, 5}, r.Discarded)
	assert.EqualValues(t, 0, up.cancels.Load(), "a group is open")
	up.OnNext(4)
	one.Open(t, 1, 4)
	requested := up.requested.Load()
	up.OnNext(3)
	assert.Equal(t, []any{2, 5, 3}, r.Discarded)
	assert.Equal(t, requested+1, up.requested.Load())
	one.Cancel()
	assert.EqualValues(t, 1, up.cancels.Load())
	assert.Equal(t, []int{1}, keysOf(p))
	assert.False(t, p.Over())

	src = &puppet[int]{}
	p = groupsOf(ctx, src, 3, 1)
	p.Cancel()
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

// Without Patience a stream that stands still is reported, no more: it goes on as soon as somebody reads.
func TestGroupByGoesOnBehindTheReport(t *testing.T) {
	src, h := &puppet[int]{}, &handScheduler{}
	ctx, r := probe.Recorded()
	p := groupsOf(ctx, src, 2, 2, Prefetch(2), On(h))
	for v := range 4 {
		src.last().OnNext(v)
	}
	requested := src.last().requested.Load()
	h.forward(2*defaultPatience + 1)
	require.Len(t, r.Errs, 1)
	assert.ErrorIs(t, r.Errs[0].(error), reactor.ErrOverflow)
	assert.False(t, p.Over())
	even, odd := run(p.Got()[0].Publisher), run(p.Got()[1].Publisher)
	assert.Greater(t, src.last().requested.Load(), requested)
	src.last().OnNext(4)
	src.last().OnNext(5)
	src.last().OnComplete()
	even.Done(t, 0, 2, 4)
	odd.Done(t, 1, 3, 5)
	assert.True(t, p.Over())
	assert.Empty(t, r.Discarded)
	assert.Empty(t, r.Dropped)
	assert.Len(t, r.Errs, 1)
}

// Groups that still hold something when src has ended can be read, and left.
func TestGroupByLeftBehindTheEnd(t *testing.T) {
	src := &puppet[int]{}
	ctx, r := probe.Recorded()
	p := groupsOf(ctx, src, 2, 2)
	for v := range 6 {
		src.last().OnNext(v)
	}
	left, read := probeOf[int](1), probeOf[int](1)
	p.Got()[0].Subscribe(ctx, left)
	p.Got()[1].Subscribe(ctx, read)
	src.last().OnComplete()
	assert.True(t, p.Over())
	left.Open(t, 0)
	left.Cancel()
	assert.Equal(t, []any{2, 4}, r.Discarded)
	read.Request(2)
	read.Done(t, 1, 3, 5)
	left.Open(t, 0)
}

func TestGroupByErrorEndsAll(t *testing.T) {
	src := &puppet[int]{}
	ctx, r := probe.Recorded()
	p := groupsOf(ctx, src, 3, 2, Prefetch(8))
	up := src.last()
	for _, v := range []int{1, 4, 2, 0} {
		up.OnNext(v)
	}
	one := probeOf[int](1)
	p.Got()[0].Subscribe(ctx, one)
	up.OnError(errBoom)
	assert.Equal(t, []int{1, 2}, keysOf(p))
	assert.ErrorIs(t, p.Failure(), errBoom)
	one.Open(t, 1)
	one.Request(1)
	one.Failed(t, errBoom, 1, 4)
	run(p.Got()[1].Publisher).Failed(t, errBoom, 2)
	assert.Equal(t, []any{0}, r.Discarded)
	up.OnNext(7)
	up.OnError(errBoom)
	up.OnComplete()
	assert.Equal(t, []any{7}, r.Dropped)
	assert.Len(t, r.Errs, 1)
	assert.EqualValues(t, 0, up.cancels.Load())
}

func TestGroupByFunctionPanics(t *testing.T) {
	boom := func(v int) int {
		if v == 3 {
			panic(errBoom)
		}
		return v
	}
	flat := func(g keyed[int, int]) reactor.Publisher[int] { return g.Publisher }
	ctx, r := probe.Recorded()
	runWith(ctx, FlatMap(GroupBy(Range(1, 9), boom, newKeyed[int, int]), flat)).Failed(t, errBoom, 1, 2)
	runWith(ctx, FlatMap(GroupByMap(Range(1, 9), mod(2), boom, newKeyed[int, int]), flat)).Failed(t, errBoom, 1, 2)
	assert.Equal(t, []any{3, 3}, r.Discarded)
}

func TestGroupBySubscriberPanics(t *testing.T) {
	ctx, r := probe.Recorded()
	src := &puppet[int]{}
	p := probeOf[keyed[int, int]](9)
	p.Each = func(g keyed[int, int]) {
		if g.key == 2 {
			panic(errBoom)
		}
	}
	GroupBy(src, mod(3), newKeyed[int, int]).Subscribe(ctx, p)
	up := src.last()
	up.OnNext(1)
	one := probeOf[int](9)
	p.Got()[0].Subscribe(ctx, one)
	up.OnNext(2)
	assert.ErrorIs(t, p.Failure(), errBoom)
	assert.Equal(t, []any{2}, r.Discarded)
	up.OnNext(4)
	one.Open(t, 1, 4)
	assert.EqualValues(t, 0, up.cancels.Load())
	one.Each = func(int) { panic(errBoom) }
	up.OnNext(7)
	one.Failed(t, errBoom, 1, 4, 7)
	assert.EqualValues(t, 1, up.cancels.Load())
}

func TestGroupBySubscriberEndsGoroutine(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[keyed[int, int]](9)
	p.Each = func(keyed[int, int]) { runtime.Goexit() }
	GroupBy(src, mod(3), newKeyed[int, int]).Subscribe(t.Context(), p)
	racetest.Aside(func() { src.last().OnNext(1) })
	assert.ErrorIs(t, p.Failure(), reactor.ErrGoexit)
}

// TestGroupByGroupEndsGoroutineAtTheEnd lets a function that hears of the end of one group end the
// goroutine: the other groups, and the stream of groups, get theirs all the same.
func TestGroupByGroupEndsGoroutineAtTheEnd(t *testing.T) {
	for name, end := range map[string]func(*puppetSubscription[int]){
		"complete": func(up *puppetSubscription[int]) { up.OnComplete() },
		"error":    func(up *puppetSubscription[int]) { up.OnError(errBoom) },
	} {
		t.Run(name, func(t *testing.T) {
			src := &puppet[int]{}
			p := groupsOf(t.Context(), src, 3, 9)
			up := src.last()
			for v := range 3 {
				up.OnNext(v)
			}
			groups := p.Got()
			run(DoOnTerminate(groups[0].Publisher, runtime.Goexit))
			others := []*probe.Probe[int]{run(groups[1].Publisher), run(groups[2].Publisher)}
			racetest.Aside(func() { end(up) })
			assert.True(t, others[0].Over() && others[1].Over() && p.Over())
		})
	}
}

func TestGroupByArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: groupBy: the key function is nil", func() { GroupBy[int, int](Just(1), nil, newKeyed[int, int]) })
	assert.PanicsWithValue(t, "reactor: groupBy: prefetch must be positive, got 0", func() {
		GroupBy(Just(1), mod(2), newKeyed[int, int], Prefetch(0))
	})
	assert.Panics(t, func() { GroupByMap[int, int, int](Just(1), mod(2), nil, newKeyed[int, int]) })
	assert.Panics(t, func() { GroupBy[int, int, int](Just(1), mod(2), nil) })
}

func TestGroupByManyGroups(t *testing.T) {
	n := racetest.Steps(200_000)
	groups := GroupBy(Range(0, n), mod(5000), newKeyed[int, int])
	all := FlatMap(groups, func(g keyed[int, int]) reactor.Publisher[int] { return g.Publisher }, Concurrency(5000))
	assert.Len(t, run(all).Got(), n)
	// As many groups as elements, each with an end.
	groups = GroupBy(Range(0, n/10), mod(n), newKeyed[int, int], Prefetch(4))
	all = FlatMap(groups, func(g keyed[int, int]) reactor.Publisher[int] { return Take(g.Publisher, 1) }, Concurrency(3))
	assert.Len(t, run(all).Got(), n/10)
}

func TestGroupByAllocatesNothingPerElement(t *testing.T) {
	src := &puppet[int]{}
	all := FlatMap(GroupBy(src, mod(3), newKeyed[int, int]), func(g keyed[int, int]) reactor.Publisher[int] { return g.Publisher })
	IgnoreElements(all).Subscribe(t.Context(), probeOf[int](reactor.Unbounded))
	next := src.last().OnNext
	for v := range 3 {
		next(v)
	}
	assert.Zero(t, testing.AllocsPerRun(300, func() { next(7) }))
}

func TestGroupByRaces(t *testing.T) {
	parity := func(e element) int { return e.Number % 2 }
	for name, fn := range map[string]func(keyed[int, element]) elements{
		"all":  func(g keyed[int, element]) elements { return g.Publisher },
		"take": func(g keyed[int, element]) elements { return Take(g.Publisher, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			raceStage(t, 8, func(src elements, _ *handScheduler) elements {
				return emptied(FlatMap(GroupBy(src, parity, newKeyed[int, element], Prefetch(4)), fn, Concurrency(3)))
			})
		})
	}
}

// TestGroupByCancelRaces lets groups and the stream of groups be cancelled while
// elements come.
func TestGroupByCancelRaces(t *testing.T) {
	racetest.Repeat(racetest.Iterations(200), func(race func(...func())) {
		l := ledger.New(t)
		ctx := l.Context(context.Background())
		src := &puppet[element]{}
		p := probeOf[keyed[int, element]](reactor.Unbounded)
		var subs []*probe.Probe[element]
		p.Each = func(g keyed[int, element]) {
			s := ledgerProbe(l, int64(g.key))
			subs = append(subs, s)
			g.Subscribe(ctx, s)
		}
		GroupBy(src, func(e element) int { return e.Number % 3 }, newKeyed[int, element]).Subscribe(ctx, p)
		up := src.last()
		for range 3 {
			up.OnNext(l.Produce())
		}
		early := subs
		race(
			func() {
				for range 4 {
					up.OnNext(l.Produce())
				}
			},
			func() { early[0].Cancel(); early[1].Cancel(); early[2].Cancel() },
			p.Cancel,
		)
		for _, s := range subs {
			s.Cancel()
			s.Faultless(t)
		}
		p.Faultless(t)
		l.Check()
		assert.NotZero(t, up.cancels.Load(), "nobody listens any more")
	})
}

// No element belongs to the group of another one then, and a map does not find such a key.
func TestGroupByKeyThatIsNotItself(t *testing.T) {
	src := &puppet[float64]{}
	p := probeOf[reactor.Publisher[float64]](reactor.Unbounded)
	GroupBy(src, func(v float64) float64 { return v }, func(_ float64, g reactor.Publisher[float64]) reactor.Publisher[float64] { return g }).
		Subscribe(t.Context(), p)
	src.last().OnNext(1)
	kept := run(p.Got()[0])
	for range 5 {
		src.last().OnNext(math.NaN())
		run(Take(p.Got()[len(p.Got())-1], 1)).Faultless(t)
	}
	src.last().OnNext(1)
	assert.Len(t, p.Got(), 6)
	main := p.Got()[0].(*group[float64, float64]).main.(*groupByMain[float64, float64, float64, reactor.Publisher[float64]])
	assert.Len(t, main.groups, 1, "cancelled groups are forgotten")
	kept.Open(t, 1, 1)
}

// More than a counter holds is asked for when groups end: that is no stand-still.
func TestGroupByPatienceOfALargePrefetch(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[keyed[int, int]](reactor.Unbounded)
	p.Each = func(g keyed[int, int]) {
		if g.key < 3 {
			Take(g.Publisher, 1).Subscribe(t.Context(), probeOf[int](1))
		}
	}
	GroupBy(src, mod(10), newKeyed[int, int], Prefetch(math.MaxInt/2+1), Patience(10), On(h)).Subscribe(t.Context(), p)
	for i := range 4 {
		src.last().OnNext(i)
	}
	for range 3 {
		h.forward(10)
	}
	assert.NoError(t, p.Failure())
	assert.Zero(t, h.pending())
}

// What hears of the cancellation ends the goroutine: the element is discarded, and the error is the one of the limit.
func TestGroupByMaxGroupsEndsGoroutine(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](reactor.Unbounded)
	racetest.Aside(func() {
		groups := GroupBy(DoOnCancel(Range(1, 5), runtime.Goexit), mod(10), newKeyed[int, int], MaxGroups(2))
		FlatMap(groups, func(g keyed[int, int]) reactor.Publisher[int] { return g.Publisher }).Subscribe(ctx, p)
	})
	p.Failed(t, reactor.ErrOverflow, 1, 2)
	assert.Equal(t, []any{3}, hooks.Discarded)
}

// TestGroupByLeftWithinAGroup: what a group is about, whose emission has downstream leave the stream of groups, does not use the
// prefetch up: the source is asked for another element, which may be one of that group.
func TestGroupByLeftWithinAGroup(t *testing.T) {
	for _, prefetch := range []int{1, 2} {
		src, inner := &puppet[int]{}, probeOf[int](reactor.Unbounded)
		groups := GroupBy(src, mod(2), newKeyed[int, int], Prefetch(prefetch))
		run(FlatMap(Take(groups, 1), func(g keyed[int, int]) reactor.Publisher[int] {
			return DoOnNext(g.Publisher, inner.OnNext)
		}))
		for v := range 9 {
			assert.Greater(t, src.last().requested.Load(), int64(v), "the group stands still, prefetch %d", prefetch)
			src.last().OnNext(v)
		}
		assert.Equal(t, []int{0, 2, 4, 6, 8}, inner.Got())
	}
}

// TestGroupByDiscardedGroups: the first element of a group that is discarded further down is asked for again once.
func TestGroupByDiscardedGroups(t *testing.T) {
	src := &puppet[int]{}
	groups := GroupBy(src, func(v int) int { return v }, func(_ int, g reactor.Publisher[int]) reactor.Publisher[int] { return g }, Prefetch(8))
	run(Filter(groups, func(reactor.Publisher[int]) bool { return false }))
	up := src.last()
	for v := range 300 {
		require.Less(t, int64(v), up.requested.Load(), "nothing comes any more")
		up.OnNext(v)
		require.LessOrEqual(t, up.requested.Load(), int64(v+1+8))
	}
	up.OnComplete()
}

// TestGroupByFailsBehindAGroup: what the groups are about that were emitted before one fails on its way down does not use the
// prefetch up.
func TestGroupByFailsBehindAGroup(t *testing.T) {
	src, one := &puppet[int]{}, probeOf[int](reactor.Unbounded)
	p := probeOf[keyed[int, int]](0)
	p.Each = func(g keyed[int, int]) {
		if g.key == 2 {
			panic(errBoom)
		}
		g.Subscribe(quiet(), one)
	}
	GroupBy(src, mod(3), newKeyed[int, int], Prefetch(2)).Subscribe(quiet(), p)
	up := src.last()
	up.OnNext(1)
	up.OnNext(2)
	p.Request(2) // in one pass
	for v := 4; v < 20; v += 3 {
		assert.Greater(t, up.requested.Load(), int64(v/3+1), "the group stands still")
		up.OnNext(v)
	}
	assert.Len(t, one.Got(), 7)
}
