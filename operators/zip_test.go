package operators

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func add(a, b int) int { return a + b }

func total(tuple []int) (sum int) {
	for _, v := range tuple {
		sum += v
	}
	return sum
}

// zipForms are the kinds of sources that a zip treats differently.
var zipForms = map[string]func(reactor.Publisher[int]) reactor.Publisher[int]{
	"direct": func(p reactor.Publisher[int]) reactor.Publisher[int] { return p },
	"mapped": func(p reactor.Publisher[int]) reactor.Publisher[int] {
		return Map(p, func(v int) int { return v })
	},
	"queued": func(p reactor.Publisher[int]) reactor.Publisher[int] { return DoOnRequest(p, func(int64) {}) },
}

func TestZip(t *testing.T) {
	for nameA, a := range zipForms {
		for nameB, b := range zipForms {
			t.Run(nameA+"-"+nameB, func(t *testing.T) {
				run(Zip2(a(Range(1, 4)), b(Range(10, 3)), add)).Done(t, 11, 13, 15)
				run(Zip2(a(Range(1, 3)), b(Range(10, 4)), add)).Done(t, 11, 13, 15)
				run(Zip2(a(Range(1, 3)), b(Range(10, 4)), add, Prefetch(1))).Done(t, 11, 13, 15)
				run(Zip2(a(Range(1, 3)), b(Range(10, 4)), add, Prefetch(math.MaxInt))).Done(t, 11, 13, 15)
				run(Zip2(a(Hide(Empty[int]())), b(Range(10, 4)), add)).Done(t)
				p := probeOf[int](0)
				Zip2(a(Range(1, 3)), b(Range(10, 4)), add).Subscribe(context.Background(), p)
				p.Open(t)
				p.Request(1)
				p.Open(t, 11)
				p.Request(2) // the end needs no demand
				p.Done(t, 11, 13, 15)
			})
		}
	}
}

func TestZipOfAnyNumber(t *testing.T) {
	r := func(n int) reactor.Publisher[int] { return Range(n, 2) }
	run(Zip([]reactor.Publisher[int]{r(1), r(10), r(100), r(1000)}, total)).Done(t, 1111, 1115)
	run(Zip([]reactor.Publisher[int]{r(1)}, total)).Done(t, 1, 2)
	run(Zip(nil, total)).Done(t)
	run(Zip3(r(1), r(10), r(100), func(a, b, c int) int { return a + b + c })).Done(t, 111, 114)
	run(Zip4(r(1), r(2), r(3), r(4), func(a, b, c, d int) string { return fmt.Sprint(a, b, c, d) })).
		Done(t, "1 2 3 4", "2 3 4 5")
	run(Zip5(r(1), r(2), r(3), r(4), r(5), func(a, b, c, d, e int) string { return fmt.Sprint(a, b, c, d, e) })).
		Done(t, "1 2 3 4 5", "2 3 4 5 6")
	run(Zip6(r(1), r(2), r(3), r(4), r(5), r(6), func(a, b, c, d, e, f int) string { return fmt.Sprint(a, b, c, d, e, f) })).
		Done(t, "1 2 3 4 5 6", "2 3 4 5 6 7")
	run(Zip7(r(1), r(2), r(3), r(4), r(5), r(6), r(7), func(a, b, c, d, e, f, g int) string { return fmt.Sprint(a, b, c, d, e, f, g) })).
		Done(t, "1 2 3 4 5 6 7", "2 3 4 5 6 7 8")
	run(Zip8(r(1), r(2), r(3), r(4), r(5), r(6), r(7), r(8), func(a, b, c, d, e, f, g, h int) string { return fmt.Sprint(a, b, c, d, e, f, g, h) })).
		Done(t, "1 2 3 4 5 6 7 8", "2 3 4 5 6 7 8 9")
}

func TestZipRowsBelongToTheFunction(t *testing.T) {
	p := run(Zip([]reactor.Publisher[int]{Range(1, 3), Range(4, 3)}, func(tuple []int) []int { return tuple }))
	p.Done(t, []int{1, 4}, []int{2, 5}, []int{3, 6})
}

func TestZipSeq(t *testing.T) {
	runs := 0
	var seq iter.Seq[reactor.Publisher[int]] = func(yield func(reactor.Publisher[int]) bool) {
		runs++
		for i := range runs {
			if !yield(Range(10*i, 2)) {
				return
			}
		}
	}
	src := ZipSeq[int](seq, total)
	run(src).Done(t, 0, 1)
	run(src).Done(t, 10, 12)
	none := slices.Values([]reactor.Publisher[int](nil))
	run(ZipSeq[int](none, total)).Done(t)
	run(ZipSeq[int](slices.Values([]reactor.Publisher[int]{nil}), total)).Items(t)
	assert.ErrorContains(t, run(ZipSeq[int](slices.Values([]reactor.Publisher[int]{nil}), total)).Failure(), "zip: the publisher is nil")
	broken := func(func(reactor.Publisher[int]) bool) { panic(errBoom) }
	run(ZipSeq[int](broken, total)).Failed(t, errBoom)
}

func TestZipDemand(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](0)
	Zip2(a, b, add, Prefetch(8)).Subscribe(context.Background(), p)
	assert.EqualValues(t, 8, a.last().requested.Load())
	assert.EqualValues(t, 8, b.last().requested.Load())
	for i := range 8 {
		a.last().OnNext(i)
		b.last().OnNext(i)
	}
	p.Request(5)
	p.Open(t, 0, 2, 4, 6, 8)
	assert.EqualValues(t, 8, a.last().requested.Load())
	p.Request(1)
	assert.EqualValues(t, 14, a.last().requested.Load())
	assert.EqualValues(t, 14, b.last().requested.Load())
	b.last().OnComplete()
	p.Open(t, 0, 2, 4, 6, 8, 10)
	p.Request(2)
	p.Done(t, 0, 2, 4, 6, 8, 10, 12, 14)
	assert.EqualValues(t, 1, a.last().cancels.Load())
}

func TestZipCompletesWithoutDemand(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := probeOf[int](0)
	Zip2(a, b, add).Subscribe(ctx, p)
	a.last().OnNext(1)
	a.last().OnNext(2)
	b.last().OnComplete()
	p.Done(t)
	assert.EqualValues(t, 1, a.last().cancels.Load())
	a.last().OnNext(3)
	a.last().OnError(errOther)
	b.last().OnError(errOther)
	b.last().OnNext(4)
	assert.Equal(t, []any{1, 2, 3}, hooks.Discarded)
	assert.Equal(t, []any{4}, hooks.Dropped)
	assert.Equal(t, []any{errOther, errOther}, hooks.Errs)
}

// What a source sends behind its end goes to the hooks.
func TestZipOfASourceThatGoesOn(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := runWith(ctx, Zip2(a, b, add))
	a.last().OnNext(1)
	a.last().OnComplete()
	a.last().OnNext(2)
	a.last().OnError(errOther)
	assert.Equal(t, []any{2}, hooks.Dropped)
	assert.Equal(t, []any{errOther}, hooks.Errs)
	p.Open(t)
	b.last().OnNext(10)
	p.Done(t, 11)
	assert.Empty(t, hooks.Discarded)
}

// Of one source it is a Map: demand passes through.
func TestZipOfOneSource(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[int](1)
	Zip([]reactor.Publisher[int]{src}, total).Subscribe(t.Context(), p)
	assert.EqualValues(t, 1, src.last().requested.Load())
	src.last().OnNext(1)
	p.Open(t, 1)
}

// A source without an element is the end of it, whatever the others before it have.
func TestZipOfManyEndsWithTheFirstEmptyOne(t *testing.T) {
	for _, begun := range []bool{false, true} {
		var puppets []*puppet[int]
		var sources []reactor.Publisher[int]
		for range 2 * fewMembers {
			src := &puppet[int]{}
			puppets, sources = append(puppets, src), append(sources, src)
		}
		p := run(Zip(sources, total))
		if begun {
			for _, src := range puppets {
				src.last().OnNext(1)
			}
			p.Open(t, len(puppets))
		}
		puppets[len(puppets)-2].last().OnComplete()
		assert.True(t, p.Over())
		assert.EqualValues(t, 1, puppets[0].last().cancels.Load())
	}
}

func TestZipSubscribesToAll(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	run(Zip2(Hide(DoOnRequest(Empty[int](), func(int64) {})), a, add)).Done(t)
	run(Zip2(b, Hide(Error[int](errBoom)), add)).Failed(t, errBoom)
	assert.EqualValues(t, 1, b.last().cancels.Load())
	c := &puppet[int]{}
	run(Zip2(Map(Error[int](errBoom), func(v int) int { return v }), c, add)).Failed(t, errBoom)
	assert.Zero(t, c.count(), "not after a failure")
	p := probeOf[int](1)
	p.Subscribed = func(up reactor.Subscription) { up.Cancel() }
	Zip2(c, c, add).Subscribe(context.Background(), p)
	assert.Zero(t, c.count(), "not after cancellation")
}

func TestZipErrors(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := probeOf[int](0)
	Zip2(a, b, add).Subscribe(ctx, p)
	a.last().OnNext(1)
	b.last().OnNext(2)
	b.last().OnNext(3)
	a.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.ElementsMatch(t, []any{1, 2, 3}, hooks.Discarded)
	assert.EqualValues(t, 1, b.last().cancels.Load())
	b.last().OnError(errOther)
	assert.Equal(t, []any{errOther}, hooks.Errs)
}

func TestZipCancel(t *testing.T) {
	for name, form := range zipForms {
		t.Run(name, func(t *testing.T) {
			a := &puppet[int]{}
			ctx, hooks := probe.Recorded()
			p := probeOf[int](1)
			Zip2(a, form(FromSlice([]int{10, 20, 30})), add).Subscribe(ctx, p)
			a.last().OnNext(1)
			a.last().OnNext(2)
			a.last().OnNext(3)
			p.Cancel()
			p.Cancel()
			p.Request(5)
			assert.EqualValues(t, 1, a.last().cancels.Load())
			a.last().OnNext(4)
			a.last().OnError(errBoom)
			p.Open(t, 11)
			assert.ElementsMatch(t, []any{2, 3, 4, 20, 30}, hooks.Discarded)
			assert.Equal(t, []any{errBoom}, hooks.Errs)
		})
	}
}

func TestZipCancelledFromWithin(t *testing.T) {
	for name, form := range zipForms {
		t.Run(name, func(t *testing.T) {
			p := probeOf[int](reactor.Unbounded)
			p.Each = func(int) { p.Cancel() }
			Zip2(form(Range(1, 100)), form(Range(1, 100)), add).Subscribe(context.Background(), p)
			p.Open(t, 2)
		})
	}
}

func TestZipFunctionPanics(t *testing.T) {
	for name, form := range zipForms {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src := Zip2(form(FromSlice([]int{1, 2, 3})), form(FromSlice([]int{10, 20, 30})), func(a, b int) int {
				if a == 2 {
					panic(errBoom)
				}
				return a + b
			})
			p := runWith(ctx, src)
			p.Failed(t, errBoom, 11)
			assert.ElementsMatch(t, []any{2, 3, 20, 30}, hooks.Discarded)
		})
	}
}

func TestZipGoexit(t *testing.T) {
	var p *probe.Probe[int]
	var wg sync.WaitGroup
	wg.Go(func() {
		p = probeOf[int](reactor.Unbounded)
		Zip2(Range(1, 3), Range(1, 3), func(int, int) int { runtime.Goexit(); return 0 }).Subscribe(context.Background(), p)
	})
	wg.Wait()
	p.Failed(t, reactor.ErrGoexit)
}

func TestZipDownstreamPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	a, b := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](reactor.Unbounded)
	Map(Zip2(a, b, add), func(int) int { panic(errBoom) }).Subscribe(ctx, p)
	a.last().OnNext(1)
	a.last().OnNext(2)
	b.last().OnNext(10)
	p.Failed(t, errBoom)
	assert.ElementsMatch(t, []any{2, 11}, hooks.Discarded)
	assert.EqualValues(t, 1, a.last().cancels.Load())
	assert.EqualValues(t, 1, b.last().cancels.Load())
}

func TestZipOverflow(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := runWith(ctx, Zip2(a, b, add, Prefetch(1)))
	for i := range 4 {
		a.last().OnNext(i)
	}
	p.Failed(t, reactor.ErrOverflow)
	assert.ErrorContains(t, p.Failure(), "zip: overflow: a source sent more than the 1 elements it was asked for")
	assert.Equal(t, 4, len(hooks.Discarded)+len(hooks.Dropped))
}

func TestZipArguments(t *testing.T) {
	requirePanics(t, "zip: the combiner is nil", func() { Zip2[int, int, int](Just(1), Just(1), nil) })
	requirePanics(t, "zip: the publisher is nil", func() { Zip2(Just(1), nil, add) })
	requirePanics(t, "zip: prefetch must be positive, got 0", func() { Zip2(Just(1), Just(1), add, Prefetch(0)) })
	requirePanics(t, "zip: the combiner is nil", func() { Zip[int, int](nil, nil) })
	requirePanics(t, "zip: the publisher at index 1 is nil", func() { Zip([]reactor.Publisher[int]{Just(1), nil}, total) })
	requirePanics(t, "zip: the sequence is nil", func() { ZipSeq[int, int, reactor.Publisher[int]](nil, total) })
	requirePanics(t, "zipWith: the combiner is nil", func() { ZipWith[int, int, int](Just(1), Just(1), nil) })
	requirePanics(t, "zipWith: the publisher is nil", func() { ZipWith(Just(1), nil, add) })
}

func TestZipOfScalars(t *testing.T) {
	calls := 0
	sum := func(a, b int) int { calls++; return a + b }
	p := probeOf[int](0)
	ctx, hooks := probe.Recorded()
	Zip2(Just(1), Just(2), sum).Subscribe(ctx, p)
	assert.Zero(t, calls, "not before there is demand")
	p.Request(1)
	p.Done(t, 3)
	p = probeOf[int](0)
	Zip2(Just(1), Just(2), sum).Subscribe(ctx, p)
	p.Cancel()
	assert.Equal(t, []any{1, 2}, hooks.Discarded)
	run(Zip2(Just(1), Just(2), func(int, int) int { panic(errBoom) })).Failed(t, errBoom)

	never := &puppet[int]{}
	hooks.Discarded = nil
	three := func(tuple []int) int { return tuple[0] }
	runWith(ctx, Zip([]reactor.Publisher[int]{never, Just(1), Empty[int]()}, three)).Done(t)
	runWith(ctx, Zip([]reactor.Publisher[int]{never, Just(1), Error[int](errBoom)}, three)).Failed(t, errBoom)
	assert.Equal(t, []any{1, 1}, hooks.Discarded)
	assert.Zero(t, never.count())
}

func TestZipOfOneRow(t *testing.T) {
	ctx, hooks := probe.Recorded()
	a, b := &puppet[int]{}, &puppet[int]{}
	calls := 0
	start := func(demand int64) *probe.Probe[int] {
		calls, hooks.Discarded = 0, nil
		p := probeOf[int](demand)
		Zip3(a, Just(5), b, func(x, y, z int) int {
			if calls++; x < 0 {
				panic(errBoom)
			}
			return x + y + z
		}).Subscribe(ctx, p)
		return p
	}
	p := start(0)
	assert.Equal(t, reactor.Unbounded, a.last().requested.Load())
	a.last().OnNext(10)
	assert.EqualValues(t, 1, a.last().cancels.Load(), "the first element is enough")
	a.last().OnNext(20)
	a.last().OnComplete()
	a.last().OnError(errOther)
	assert.Equal(t, []any{20}, hooks.Discarded)
	assert.Equal(t, []any{errOther}, hooks.Errs)
	b.last().OnNext(100)
	assert.Equal(t, 1, calls, "as soon as the tuple is there")
	p.Open(t)
	p.Request(1)
	p.Done(t, 115)

	p = start(0)
	a.last().OnNext(10)
	b.last().OnNext(100)
	p.Cancel()
	p.Request(1)
	p.Open(t)
	assert.Equal(t, []any{115}, hooks.Discarded)

	p = start(1)
	a.last().OnNext(10)
	b.last().OnComplete()
	p.Done(t)
	assert.ElementsMatch(t, []any{10, 5}, hooks.Discarded)

	p = start(1)
	b.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, a.last().cancels.Load())

	p = start(0)
	a.last().OnNext(-1)
	b.last().OnNext(100)
	p.Failed(t, errBoom)
	assert.ElementsMatch(t, []any{-1, 5, 100}, hooks.Discarded)

	p = start(1)
	p.Each = func(int) { p.Cancel() }
	a.last().OnNext(10)
	b.last().OnNext(100)
	p.Open(t, 115)

	before := b.count()
	run(Zip3(Just(1), Hide(DoOnRequest(Empty[int](), func(int64) {})), b, func(x, y, z int) int { return 0 })).Done(t)
	assert.Equal(t, before, b.count(), "nothing more is subscribed")
}

func TestZipStack(t *testing.T) {
	n := racetest.Steps(200_000)
	for name, form := range zipForms {
		t.Run(name, func(t *testing.T) {
			count := 0
			require.NoError(t, ForEach(context.Background(), Zip2(form(Range(0, n)), form(Range(0, n)), add), func(int) { count++ }))
			assert.Equal(t, n, count)
			p := probeOf[int](1)
			p.Each = func(int) { p.Request(1) }
			Zip2(form(Range(0, n/10)), form(Range(0, n/10)), add).Subscribe(context.Background(), p)
			assert.Len(t, p.Got(), n/10)
		})
	}
}

func TestZipAllocatesNothingPerElement(t *testing.T) {
	for name, form := range zipForms {
		t.Run(name, func(t *testing.T) {
			src := Zip2(form(Range(0, 10_000)), form(Range(0, 10_000)), add)
			assert.Less(t, testing.AllocsPerRun(3, func() {
				_ = ForEach(context.Background(), src, func(int) {})
			}), 100.0)
		})
	}
}

// raceTwoSources runs the signals of two sources against one another and against those
// of downstream. Rows are whatever the ledger finds elements in.
func raceTwoSources[R any](t *testing.T, rounds int, stage func(l *racedLedger, a, b elements) reactor.Publisher[R], deliver func(*racedLedger, R)) {
	t.Helper()
	next := func(s *raceSide) {
		for range 3 {
			if s.sent < s.up.requested.Load() {
				s.sent++
				s.up.OnNext(s.l.Produce())
			}
		}
	}
	source := map[string]func(*raceSide){
		"next":     next,
		"complete": func(s *raceSide) { next(s); s.up.OnComplete() },
		"error":    func(s *raceSide) { next(s); s.up.OnError(errBoom) },
	}
	down := map[string]func(*probe.Probe[R]){
		"request": func(p *probe.Probe[R]) { p.Request(1); p.Request(2) },
		"cancel":  func(p *probe.Probe[R]) { p.Cancel() },
	}
	for nameA, first := range source {
		for nameB, second := range source {
			for nameD, third := range down {
				t.Run(nameA+"-"+nameB+"-"+nameD, func(t *testing.T) {
					round := 0
					racetest.Repeat(racetest.Iterations(rounds), func(race func(...func())) {
						if t.Failed() {
							return
						}
						l := newRacedLedger(t)
						a, b := &puppet[element]{}, &puppet[element]{}
						p := probeOf[R](int64(round % 3))
						p.Each = func(v R) { deliver(l, v) }
						ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
						stage(l, a, b).Subscribe(l.Context(ctx), p)
						left, right := &raceSide{l: l, up: a.last()}, &raceSide{l: l, up: b.last()}
						if round%2 == 0 {
							next(left)
						}
						if round%4 == 0 {
							next(right)
						}
						round++
						race(func() { first(left) }, func() { second(right) }, func() { third(p) })
						if !p.Over() {
							p.Request(1)
						}
						p.Cancel()
						l.Check()
						p.Faultless(t)
					})
				})
			}
		}
	}
}

func TestZipRaces(t *testing.T) {
	for name, stage := range map[string]func(l *racedLedger, a, b elements) reactor.Publisher[[]element]{
		"two": func(_ *racedLedger, a, b elements) reactor.Publisher[[]element] { return Zip2(a, b, pairOf) },
		"tight": func(_ *racedLedger, a, b elements) reactor.Publisher[[]element] {
			return Zip2(a, b, pairOf, Prefetch(1))
		},
		"slice": func(_ *racedLedger, a, b elements) reactor.Publisher[[]element] {
			return Zip([]elements{a, b}, slices.Clone[[]element])
		},
		"joined": func(_ *racedLedger, a, b elements) reactor.Publisher[[]element] { return ZipWith(a, b, pairOf) },
	} {
		t.Run(name, func(t *testing.T) {
			raceTwoSources(t, 80, stage, func(l *racedLedger, tuple []element) { l.Delivered(tuple) })
		})
	}
}

func TestZipOfOneRowRaces(t *testing.T) {
	raceTwoSources(t, 80, func(_ *racedLedger, a, b elements) reactor.Publisher[[]element] {
		return Zip3(a, Just(0), b, func(x element, _ int, y element) []element { return []element{x, y} })
	}, func(l *racedLedger, tuple []element) { l.Delivered(tuple) })
}

func pairOf(x, y element) []element { return []element{x, y} }

// The order of a source's elements survives a race, and nothing is lost that has demand.
func TestZipKeepsOrderUnderRace(t *testing.T) {
	const n = 64
	racetest.Repeat(racetest.Iterations(500), func(race func(...func())) {
		a, b := &puppet[int]{}, &puppet[int]{}
		p := run(Zip2(a, b, func(x, y int) int { return x*1000 + y }, Prefetch(n)))
		send := func(s *puppetSubscription[int]) func() {
			return func() {
				for i := range n {
					s.OnNext(i)
				}
			}
		}
		race(send(a.last()), send(b.last()))
		// Before the end, which would make up for an element that nobody looked after.
		items := p.Got()
		if len(items) != n {
			t.Fatalf("%d rows", len(items))
		}
		a.last().OnComplete()
		if !p.Over() {
			t.Fatal("still open")
		}
		for i, v := range items {
			if v != i*1000+i {
				t.Fatalf("tuple %d is %d", i, v)
			}
		}
		p.Faultless(t)
	})
}

func TestZipSeveralErrors(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := probeOf[int](1)
	// Both fail while downstream is busy.
	p.Each = func(int) {
		a.last().OnError(errBoom)
		b.last().OnError(errOther)
	}
	Zip2(a, b, add).Subscribe(ctx, p)
	a.last().OnNext(1)
	b.last().OnNext(2)
	p.Failed(t, errBoom, 3)
	assert.Equal(t, errors.Join(errBoom, errOther), p.Failure())
	assert.Empty(t, hooks.Errs)
}

// There is a result for each element of the last source, until one of them has no more.
func TestZipArities(t *testing.T) {
	type in = reactor.Publisher[int]
	last := &puppet[int]{}
	of := func(n int) in { return JustAll(n, 10*n) }
	for n, src := range map[int]reactor.Publisher[string]{
		2: Zip2(of(1), in(last), func(a, b int) string { return fmt.Sprint(a, b) }),
		3: Zip3(of(1), of(2), in(last), func(a, b, c int) string { return fmt.Sprint(a, b, c) }),
		4: Zip4(of(1), of(2), of(3), in(last), func(a, b, c, d int) string { return fmt.Sprint(a, b, c, d) }),
		5: Zip5(of(1), of(2), of(3), of(4), in(last), func(a, b, c, d, e int) string { return fmt.Sprint(a, b, c, d, e) }),
		6: Zip6(of(1), of(2), of(3), of(4), of(5), in(last), func(a, b, c, d, e, f int) string {
			return fmt.Sprint(a, b, c, d, e, f)
		}),
		7: Zip7(of(1), of(2), of(3), of(4), of(5), of(6), in(last), func(a, b, c, d, e, f, g int) string {
			return fmt.Sprint(a, b, c, d, e, f, g)
		}),
		8: Zip8(of(1), of(2), of(3), of(4), of(5), of(6), of(7), in(last), func(a, b, c, d, e, f, g, h int) string {
			return fmt.Sprint(a, b, c, d, e, f, g, h)
		}),
	} {
		p := run(src)
		p.Open(t)
		first := strings.Join(strings.Fields("1 2 3 4 5 6 7")[:n-1], " ") + " 8"
		last.last().OnNext(8)
		p.Open(t, first)
		last.last().OnNext(80)
		p.Done(t, first, strings.Join(strings.Fields("10 20 30 40 50 60 70")[:n-1], " ")+" 80")
		assert.EqualValues(t, 1, last.last().cancels.Load(), "%d sources", n)
	}
}
