package operators

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// B1, R#596 and X#6284: more groups than flatMap takes at a time made everything stand
// still. The limit is documented at GroupBy; up to it there is progress, and groups that
// are cancelled or end give their place back.
func TestRegressionB1(t *testing.T) {
	elements := func(g keyed[int, int]) reactor.Publisher[int] { return g.Publisher }
	groups := GroupBy(Range(0, 5000), mod(256), newKeyed[int, int])
	p := run(FlatMap(groups, elements))
	assert.Len(t, p.Got(), 5000)
	assert.True(t, p.Over())
	// Far more groups than the limit, but few at a time.
	for _, opts := range [][]GroupByOption{{Prefetch(2)}, {Prefetch(2), MaxGroups(1)}} {
		p = run(FlatMap(GroupBy(Range(0, 5000), func(n int) int { return n }, newKeyed[int, int], opts...), func(g keyed[int, int]) reactor.Publisher[int] {
			return Take(g.Publisher, 1)
		}, Concurrency(1)))
		assert.Len(t, p.Got(), 5000)
		assert.True(t, p.Over())
	}
}

// B1: above the limit there is an error, at once with MaxGroups, after a while with
// Patience, and a report without either.
func TestRegressionB1TooManyGroups(t *testing.T) {
	elements := func(g keyed[int, int]) reactor.Publisher[int] { return g.Publisher }

	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, FlatMap(GroupBy(src, mod(10), newKeyed[int, int], MaxGroups(2)), elements, Concurrency(2)))
	for i := range 3 {
		src.last().OnNext(i)
	}
	p.Failed(t, reactor.ErrOverflow, 0, 1)
	assert.EqualError(t, p.Failure(), "reactor: groupBy: overflow: no group for key 2: 2 are open, and no more may be")
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Equal(t, []any{2}, hooks.Discarded)

	for _, patient := range []bool{true, false} {
		h := &handScheduler{}
		ctx, hooks = probe.Recorded()
		opts := []GroupByOption{Prefetch(4), On(h)}
		wait := defaultPatience
		if patient {
			wait = time.Minute
			opts = append(opts, Patience(wait))
		}
		src = &puppet[int]{}
		p = runWith(ctx, FlatMap(GroupBy(src, mod(10), newKeyed[int, int], opts...), elements, Concurrency(1)))
		for i, v := range []int{0, 10, 1, 2, 3, 1} {
			require.Greater(t, src.last().requested.Load(), int64(i))
			src.last().OnNext(v)
		}
		require.EqualValues(t, 6, src.last().requested.Load(), "4, one group, and one element more of it")
		p.Open(t, 0, 10)
		h.forward(wait - 1)
		p.Open(t, 0, 10)
		h.forward(wait + 1)
		if !patient {
			p.Open(t, 0, 10)
			require.Len(t, hooks.Errs, 1)
			err := hooks.Errs[0].(error)
			assert.ErrorIs(t, err, reactor.ErrOverflow)
			assert.ErrorContains(t, err, "wait in 3 groups that nobody has subscribed to, of 4 that are open")
			h.forward(10 * wait)
			assert.Len(t, hooks.Errs, 1, "once")
			p.Cancel()
		} else {
			p.Failed(t, reactor.ErrOverflow, 0, 10)
			assert.ErrorContains(t, p.Failure(), "nothing has moved for 1m0s")
			assert.EqualValues(t, 1, src.last().cancels.Load())
			src.last().OnComplete()
		}
		assert.ElementsMatch(t, []any{1, 2, 3, 1}, hooks.Discarded)
		assert.Zero(t, h.pending())
	}
}

// B3, X#6982 and X#6974: groups were counted down twice when their cancellation met the end
// of the source, or not at all.
func TestRegressionB3(t *testing.T) {
	for name, end := range map[string]func(*puppetSubscription[int]){
		"open": func(*puppetSubscription[int]) {}, "complete": func(s *puppetSubscription[int]) { s.OnComplete() },
		"error": func(s *puppetSubscription[int]) { s.OnError(errBoom) },
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(2000), func(race func(...func())) {
				src := &puppet[int]{}
				p := groupsOf(quiet(), src, 2, 5, Prefetch(4))
				up := src.last()
				up.OnNext(0)
				up.OnNext(1)
				var groups []*probe.Probe[int]
				for _, g := range p.Got() {
					s := probeOf[int](1)
					g.Subscribe(quiet(), s)
					groups = append(groups, s)
				}
				race(func() { groups[0].Cancel(); groups[0].Cancel() }, func() { groups[1].Cancel() }, p.Cancel, func() { end(up) })
				if name == "open" {
					require.EqualValues(t, 1, up.cancels.Load())
				}
				require.LessOrEqual(t, up.cancels.Load(), int64(1))
			})
		})
	}
}

// B5, R#2744: windowUntil stood still when exactly as many windows were requested as there
// are. R#2585, R#1017: a cancelled window of windowWhile did not consume its share.
func TestRegressionB5(t *testing.T) {
	third := func(v int) bool { return v%3 == 2 }
	for _, prefetch := range []int{1, 2, 3, 4, 256} {
		r := readWindows(t.Context(), WindowUntil(Range(0, 30), third, bare[int], Prefetch(prefetch)), 10, reactor.Unbounded)
		assert.True(t, r.Over(), "prefetch %d", prefetch)
		require.Len(t, r.windows, 10)
		for i, w := range r.windows {
			w.Done(t, 3*i, 3*i+1, 3*i+2)
		}
		p := probeOf[stream](reactor.Unbounded)
		p.Each = func(w stream) {
			s := probeOf[int](1)
			w.Subscribe(t.Context(), s)
			s.Cancel()
		}
		WindowWhile(Range(0, 1000), func(v int) bool { return v%100 != 99 }, bare[int], Prefetch(prefetch)).Subscribe(t.Context(), p)
		assert.True(t, p.Over(), "prefetch %d", prefetch)
		assert.Len(t, p.Got(), 10)
	}
}

// asked is a source that records every request, by hand otherwise.
type asked struct {
	puppet[int]
	numbers []int64
}

type askedSubscription struct {
	*puppetSubscription[int]
	of *asked
}

func (s askedSubscription) Request(n int64) {
	s.of.numbers = append(s.of.numbers, n)
	s.puppetSubscription.Request(n)
}

func (a *asked) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	sub := &puppetSubscription[int]{Subscriber: protocol.Strict(ctx, s)}
	a.subs = append(a.subs, sub)
	sub.OnSubscribe(askedSubscription{sub, a})
}

// B7, R#2839: bufferTimeout asked upstream for a negative number of elements.
func TestRegressionB7(t *testing.T) {
	eachBufferTimeout(t, func(t *testing.T, h *handScheduler, opts []BufferTimeoutOption) {
		src := &asked{}
		p := probeOf[[]int](2)
		BufferTimeout(src, 3, 10, opts...).Subscribe(context.Background(), p)
		for i := range 2 {
			src.last().OnNext(i)
			h.forward(10)
		}
		p.Open(t, []int{0}, []int{1})
		for range 5 {
			p.Request(1)
			src.last().OnNext(9)
			h.forward(10)
		}
		assert.Len(t, p.Got(), 7)
		for _, n := range src.numbers {
			assert.Positive(t, n)
		}
	})
}

// B9, R#4377: bufferTimeout sent a short buffer although neither size nor time nor the end
// asked for it.
func TestRegressionB9(t *testing.T) {
	eachBufferTimeout(t, func(t *testing.T, h *handScheduler, opts []BufferTimeoutOption) {
		src := &puppet[int]{}
		p := probeOf[[]int](2)
		BufferTimeout(src, 3, 10, opts...).Subscribe(context.Background(), p)
		up := src.last()
		up.OnNext(0)
		h.forward(9)
		up.OnNext(1)
		p.Request(1)
		up.OnNext(2) // full, just before its time is over
		p.Open(t, []int{0, 1, 2})
		up.OnNext(3)
		p.Request(1)
		h.forward(9)
		up.OnNext(4)
		p.Request(1)
		p.Open(t, []int{0, 1, 2})
		h.forward(1)
		p.Open(t, []int{0, 1, 2}, []int{3, 4})
		up.OnNext(5)
		p.Open(t, []int{0, 1, 2}, []int{3, 4})
		up.OnComplete()
		p.Done(t, []int{0, 1, 2}, []int{3, 4}, []int{5})
	})
}

// B9: the fair one did so when demand came back, and behind a full buffer.
func TestRegressionB9Resumed(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[[]int](1)
	BufferTimeout(src, 3, 10, On(h), FairBackpressure()).Subscribe(context.Background(), p)
	up := src.last()
	for i := range 5 {
		up.OnNext(i)
	}
	p.Open(t, []int{0, 1, 2})
	p.Request(1)
	p.Open(t, []int{0, 1, 2}) // three and four are not enough, and their time is not over
	up.OnNext(5)
	p.Open(t, []int{0, 1, 2}, []int{3, 4, 5})
	for i := range 4 {
		up.OnNext(6 + i)
	}
	p.Request(2)
	p.Open(t, []int{0, 1, 2}, []int{3, 4, 5}, []int{6, 7, 8})
	h.forward(9)
	p.Open(t, []int{0, 1, 2}, []int{3, 4, 5}, []int{6, 7, 8})
	h.forward(1)
	p.Open(t, []int{0, 1, 2}, []int{3, 4, 5}, []int{6, 7, 8}, []int{9})
	// Time that is over without demand counts when there is some.
	up.OnNext(10)
	h.forward(10)
	p.Request(1)
	p.Open(t, []int{0, 1, 2}, []int{3, 4, 5}, []int{6, 7, 8}, []int{9}, []int{10})
	up.OnNext(11)
	p.Request(1)
	up.OnComplete()
	p.Done(t, []int{0, 1, 2}, []int{3, 4, 5}, []int{6, 7, 8}, []int{9}, []int{10}, []int{11})

	// Verbatim is what Reactor does.
	src = &puppet[int]{}
	p = probeOf[[]int](1)
	BufferTimeout(src, 3, 10, On(h), FairBackpressure(), Verbatim()).Subscribe(context.Background(), p)
	for i := range 5 {
		src.last().OnNext(i)
	}
	p.Request(1)
	p.Open(t, []int{0, 1, 2}, []int{3, 4})
}

// B11, R#1937 and R#2942: bufferUntil ran out of demand although nothing was lost.
func TestRegressionB11(t *testing.T) {
	s := newParallel(t, 2)
	for _, slow := range []func(b []int) reactor.Publisher[int]{
		func(b []int) reactor.Publisher[int] { return Just(b[0]) },
		func(b []int) reactor.Publisher[int] { return SubscribeOn(Just(b[0]), s) },
	} {
		buffers := BufferUntil(Range(0, 1000), func(int) bool { return true })
		got, err := Collect(context.Background(), FlatMap(buffers, slow, Concurrency(1)))
		require.NoError(t, err)
		assert.Equal(t, numbers(1000), got)
	}
	// Several elements per buffer, one buffer at a time.
	p := probeOf[[]int](1)
	p.Each = func([]int) { p.Request(1) }
	BufferUntil(Range(0, 1000), func(n int) bool { return n%7 == 6 }).Subscribe(context.Background(), p)
	assert.Len(t, p.Got(), 143)
	assert.True(t, p.Over())
}

// B13, R#912: a window that a tiny timer had closed was used again.
func TestRegressionB13(t *testing.T) {
	for name, windows := range map[string]func(src reactor.Publisher[int], h *handScheduler) reactor.Publisher[stream]{
		"windowFor": func(src reactor.Publisher[int], h *handScheduler) reactor.Publisher[stream] {
			return WindowFor(src, 1, bare[int], On(h))
		},
		"windowTimeout": func(src reactor.Publisher[int], h *handScheduler) reactor.Publisher[stream] {
			return WindowTimeout(src, 3, 1, bare[int], On(h))
		},
		"fair": func(src reactor.Publisher[int], h *handScheduler) reactor.Publisher[stream] {
			return WindowTimeout(src, 3, 1, bare[int], On(h), FairBackpressure())
		},
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(500), func(race func(...func())) {
				h := &handScheduler{}
				src := &puppet[int]{}
				r := readWindows(context.Background(), windows(src, h), reactor.Unbounded, reactor.Unbounded)
				race(func() {
					for i := range 10 {
						src.last().OnNext(i)
					}
					src.last().OnComplete()
				}, func() {
					for range 10 {
						h.forward(1)
					}
				})
				h.run()
				seen := map[stream]bool{}
				for _, w := range r.Got() {
					require.False(t, seen[w], "handed out once")
					seen[w] = true
				}
				var all []int
				for _, w := range r.windows {
					require.True(t, w.Over())
					all = append(all, w.Got()...)
				}
				require.Equal(t, numbers(10), all)
				require.True(t, r.Over())
			})
		})
	}
}

// A timer that goes off while the last element of its window is on the way does not close
// the next window.
func TestRegressionB13TimerOfAFullWindow(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[stream](reactor.Unbounded)
	var windows []*probe.Probe[int]
	p.Each = func(w stream) {
		s := probeOf[int](reactor.Unbounded)
		s.Each = func(v int) {
			if v == 2 {
				h.forward(10)
			}
		}
		windows = append(windows, s)
		w.Subscribe(context.Background(), s)
	}
	WindowTimeout(src, 3, 10, bare[int], On(h)).Subscribe(context.Background(), p)
	for i := range 4 {
		src.last().OnNext(i)
	}
	require.Len(t, windows, 2)
	windows[0].Done(t, 0, 1, 2)
	windows[1].Open(t, 3)
}

// Elements between two windows are discarded.
func TestWindowGap(t *testing.T) {
	ctx, hooks := probe.Recorded()
	r := readWindows(ctx, Window(Range(0, 6), 2, bare[int], Stride(3)), reactor.Unbounded, reactor.Unbounded)
	require.Len(t, r.windows, 2)
	assert.Equal(t, []any{2, 5}, hooks.Discarded)
	assert.Empty(t, hooks.Dropped)
}

// B15, G#234 and G#276: timed buffers starved while elements came without a pause. G#323: a
// group that nobody read blocked the others.
func TestRegressionB15(t *testing.T) {
	for name, stage := range map[string]func(src reactor.Publisher[int], h *handScheduler) reactor.Publisher[[]int]{
		"bufferTimeout": func(src reactor.Publisher[int], h *handScheduler) reactor.Publisher[[]int] {
			return BufferTimeout(src, 1_000_000, 10*time.Millisecond, On(h))
		},
		"fair": func(src reactor.Publisher[int], h *handScheduler) reactor.Publisher[[]int] {
			return BufferTimeout(src, 1_000_000, 10*time.Millisecond, On(h), FairBackpressure())
		},
		"bufferFor": func(src reactor.Publisher[int], h *handScheduler) reactor.Publisher[[]int] {
			return BufferFor(src, 10*time.Millisecond, On(h))
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := &handScheduler{}
			src := &puppet[int]{}
			p := run(stage(src, h))
			for i := range 1000 {
				src.last().OnNext(i)
				h.forward(time.Millisecond)
			}
			n := len(p.Got())
			assert.GreaterOrEqual(t, n, 90)
			assert.LessOrEqual(t, n, 101)
		})
	}
}

// B15, G#323: a group that nobody read blocked the others, and nobody was told.
func TestRegressionB15UnreadGroup(t *testing.T) {
	// Fewer elements than the supplier wait in a group that nobody reads.
	src := &puppet[int]{}
	p := groupsOf(t.Context(), src, 2, 2, Prefetch(8))
	src.last().OnNext(0)
	for i := range 5 {
		src.last().OnNext(2 * i)
	}
	src.last().OnNext(1)
	odd := run(p.Got()[1].Publisher)
	for sent := int64(7); sent < 100; sent++ {
		require.Greater(t, src.last().requested.Load(), sent)
		src.last().OnNext(1)
	}
	assert.Len(t, odd.Got(), 94)

	// As many as the supplier: both streams and the groups hear of it.
	h := &handScheduler{}
	ctx, hooks := probe.Recorded()
	src = &puppet[int]{}
	p = groupsOf(ctx, src, 3, 3, Prefetch(2), Patience(10), On(h))
	src.last().OnNext(1)
	odd = runWith(ctx, p.Got()[0].Publisher)
	for range 3 {
		src.last().OnNext(0)
	}
	assert.EqualValues(t, 4, src.last().requested.Load(), "all used up")
	h.forward(20)
	assert.ErrorIs(t, p.Failure(), reactor.ErrOverflow)
	odd.Failed(t, reactor.ErrOverflow, 1)
	assert.Equal(t, []any{0, 0, 0}, hooks.Discarded)
	runWith(ctx, p.Got()[1].Publisher).Failed(t, reactor.ErrOverflow)
	src.last().OnNext(0)
	src.last().OnError(errBoom)
	assert.Equal(t, []any{0}, hooks.Dropped)
	assert.Len(t, hooks.Errs, 1)
}

// A stall that is none, or that ends, is no failure.
func TestGroupByPatience(t *testing.T) {
	h := &handScheduler{}
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := groupsOf(ctx, src, 2, 2, Prefetch(2), Patience(10), On(h))
	up := src.last()
	sent := int64(0)
	send := func(v int) {
		t.Helper()
		require.Greater(t, up.requested.Load(), sent)
		sent++
		up.OnNext(v)
	}
	send(0)
	slow := probeOf[int](0)
	p.Got()[0].Subscribe(ctx, slow)
	send(0)
	send(0)
	h.forward(100) // a subscriber that takes its time
	assert.False(t, p.Over())
	assert.Equal(t, 1, h.pending())
	slow.Request(3)
	slow.Open(t, 0, 0, 0)
	send(1)
	send(1)
	send(1)
	assert.Equal(t, sent, up.requested.Load())
	h.forward(9)
	assert.False(t, p.Over())
	late := runWith(ctx, p.Got()[1].Publisher)
	late.Open(t, 1, 1, 1)
	h.forward(100)
	assert.False(t, p.Over())
	assert.Zero(t, h.pending(), "nothing waits")

	// Dry again: the time begins anew.
	slow.Cancel()
	for range 2 {
		send(0)
	}
	h.forward(5)
	p.Request(1)
	h.forward(5)
	assert.False(t, p.Over())
	late.Cancel()
	up.OnComplete()
	assert.Zero(t, h.pending())
	assert.Empty(t, hooks.Errs)

	assert.PanicsWithValue(t, "reactor: groupBy: patience must be positive, got -1ns", func() { Patience(-1) })
	assert.PanicsWithValue(t, "reactor: groupBy: number of groups must be positive, got 0", func() { MaxGroups(0) })
	h.refuse(errBoom)
	ctx, hooks = probe.Recorded()
	p = groupsOf(ctx, src, 2, 0, Prefetch(1), Patience(10), On(h))
	src.last().OnNext(0)
	p.Open(t)
	assert.Len(t, hooks.Errs, 1, "no timer, no watch")
}

// A group begins just when the stream is given up: somebody has subscribed to one that waited, and src goes on. It ends as well.
func TestGroupByPatienceEndsALateGroup(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	var first []keyed[int, int]
	reader := probeOf[int](5)
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{OperatorError: func(ctx context.Context, err error, _ any) error {
		first[0].Subscribe(ctx, reader)
		src.last().OnNext(2)
		return err
	}})
	p := probeOf[keyed[int, int]](2)
	p.Each = func(g keyed[int, int]) { first = append(first, g) }
	GroupBy(src, mod(3), newKeyed[int, int], Prefetch(1), Patience(10), On(h)).Subscribe(ctx, p)
	src.last().OnNext(0)
	src.last().OnNext(0)
	h.forward(100)
	assert.ErrorIs(t, p.Failure(), reactor.ErrOverflow)
	assert.True(t, reader.Over())
	for _, g := range p.Got()[1:] {
		assert.ErrorIs(t, run(g.Publisher).Failure(), reactor.ErrOverflow)
	}
}

// hastyScheduler runs the next task that is scheduled before the caller has its handle.
type hastyScheduler struct {
	*handScheduler
	hasty atomic.Bool
}

func (h *hastyScheduler) ScheduleAfter(task schedulers.Task, d time.Duration) (schedulers.Disposable, error) {
	timer, err := h.handScheduler.ScheduleAfter(task, d)
	if h.hasty.Swap(false) {
		h.forward(d)
	}
	return timer, err
}

// A timer that has gone off before its handle is known must not take the place of the
// one that followed it.
func TestGroupByPatienceShorterThanItsStart(t *testing.T) {
	h := &hastyScheduler{handScheduler: &handScheduler{}}
	h.hasty.Store(true)
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := groupsOf(ctx, src, 2, 2, Prefetch(2), Patience(10), On(h))
	up := src.last()
	sent := int64(0)
	sendAll := func(v int) {
		for ; sent < up.requested.Load(); sent++ {
			up.OnNext(v)
		}
	}
	up.OnNext(0)
	sent++
	slow := probeOf[int](0)
	p.Got()[0].Subscribe(ctx, slow)
	sendAll(0)
	assert.False(t, h.hasty.Load())
	assert.Equal(t, 1, h.pending(), "the second timer: a subscriber takes its time")
	slow.Request(10)
	sendAll(1)
	h.forward(10)
	h.forward(10)
	assert.ErrorIs(t, p.Failure(), reactor.ErrOverflow)
	assert.Zero(t, h.pending())
	assert.Len(t, hooks.Discarded, int(sent)-len(slow.Got()), "those of the group that nobody has subscribed to")
}

// The watch fails the stream while everything else goes on.
func TestGroupByPatienceRaces(t *testing.T) {
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		l := ledger.New(t)
		ctx := l.Context(quiet())
		h := &handScheduler{}
		src := &puppet[element]{}
		p := probeOf[keyed[int, element]](2)
		var first []keyed[int, element]
		p.Each = func(g keyed[int, element]) { first = append(first, g) }
		key := func(e element) int { // groups of their own for what comes during the race
			if e.Number < 6 {
				return e.Number % 3
			}
			return e.Number
		}
		GroupBy(src, key, newKeyed[int, element], Prefetch(4), Patience(10), On(h)).Subscribe(ctx, p)
		up := src.last()
		for range 6 {
			up.OnNext(l.Produce())
		}
		reader, unread := ledgerProbe(l, 2), first[0]
		var more atomic.Int64
		race(
			func() { h.forward(10); h.forward(10) },
			func() { unread.Subscribe(ctx, reader); reader.Request(5) },
			func() { p.Request(2) },
			func() {
				for range 20 {
					if up.requested.Load() > 6+more.Load() {
						more.Add(1)
						up.OnNext(l.Produce())
					}
				}
			},
		)
		reader.Cancel()
		p.Cancel()
		for _, g := range p.Got() {
			s := ledgerProbe(l, 100)
			g.Subscribe(ctx, s)
			require.True(t, s.Over() || p.Failure() == nil, "a group goes on whose stream was given up")
			s.Cancel()
		}
		reader.Faultless(t)
		p.Faultless(t)
		require.Zero(t, h.pending())
		l.Check()
	})
}
