package operators

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestConcatMap(t *testing.T) {
	for name, fn := range map[string]func(int) reactor.Publisher[int]{"direct": tens, "mapped": hiddenTens, "queued": queuedTens} {
		for _, prefetch := range []int{0, 1, 2, 32, math.MaxInt} {
			for _, mode := range []ConcatMapOption{DelayErrorsOption(false), DelayErrors(), DelayErrorsToBoundary()} {
				t.Run(fmt.Sprint(name, prefetch, mode), func(t *testing.T) {
					run(ConcatMap(Range(1, 3), fn, Prefetch(prefetch), mode)).Done(t, 10, 11, 12, 20, 21, 22, 30, 31, 32)
					run(ConcatMap(Empty[int](), fn, Prefetch(prefetch), mode)).Done(t)
					run(ConcatMap(Just(4), fn, Prefetch(prefetch), mode)).Done(t, 40, 41, 42)
					p := probeOf[int](1)
					ConcatMap(Hide(Range(1, 2)), fn, Prefetch(prefetch), mode).Subscribe(context.Background(), p)
					for range 5 {
						p.Request(1)
					}
					p.Done(t, 10, 11, 12, 20, 21, 22)
				})
			}
		}
	}
}

func TestConcatMapOneElementPublishers(t *testing.T) {
	fn := func(n int) reactor.Publisher[int] {
		switch n % 3 {
		case 0:
			return Just(n)
		case 1:
			return Empty[int]()
		}
		return FromFunc(func(context.Context) (int, error) { return n, nil })
	}
	p := probeOf[int](0)
	ConcatMap(Hide(Range(0, 9)), fn).Subscribe(context.Background(), p)
	p.Open(t)
	for n, want := range [][]int{{0}, {0, 2}, {0, 2, 3}} {
		p.Request(1)
		p.Open(t, want...)
		_ = n
	}
	p.Request(reactor.Unbounded)
	p.Done(t, 0, 2, 3, 5, 6, 8)

	ctx, hooks := probe.Recorded()
	p = probeOf[int](0)
	ConcatMap(Hide(Range(3, 1)), fn).Subscribe(ctx, p)
	p.Cancel()
	assert.Equal(t, []any{3}, hooks.Discarded, "the element that waits for demand")
}

func TestConcatMapDemand(t *testing.T) {
	t.Run("prefetch", func(t *testing.T) {
		src, inners := &puppet[int]{}, &allPuppets[int]{}
		p := probeOf[int](3)
		ConcatMap[int, int](src, inners.fn, Prefetch(4)).Subscribe(context.Background(), p)
		up := src.last()
		assert.EqualValues(t, 4, up.requested.Load())
		for i := range 4 {
			up.OnNext(i)
		}
		require.Len(t, inners.made, 1, "one after the other")
		assert.EqualValues(t, 3, inners.at(0).requested.Load())
		inners.at(0).OnNext(1)
		p.Request(2)
		assert.EqualValues(t, 5, inners.at(0).requested.Load())
		inners.at(0).OnComplete()
		require.Len(t, inners.made, 2)
		assert.EqualValues(t, 4, inners.at(1).requested.Load(), "what the first one left open")
		assert.EqualValues(t, 4, up.requested.Load())
		inners.at(1).OnComplete()
		assert.EqualValues(t, 7, up.requested.Load(), "three quarters were taken")
		p.Request(reactor.Unbounded)
		inners.at(2).OnComplete()
		assert.Equal(t, reactor.Unbounded, inners.at(3).requested.Load())
	})
	t.Run("one by one", func(t *testing.T) {
		src, inners := &puppet[int]{}, &allPuppets[int]{}
		p := probeOf[int](0)
		ConcatMap[int, int](src, inners.fn, Prefetch(0)).Subscribe(context.Background(), p)
		up := src.last()
		assert.EqualValues(t, 0, up.requested.Load())
		p.Request(2)
		p.Request(2)
		assert.EqualValues(t, 1, up.requested.Load())
		up.OnNext(1)
		assert.EqualValues(t, 4, inners.at(0).requested.Load())
		assert.EqualValues(t, 1, up.requested.Load())
		inners.at(0).OnComplete()
		assert.EqualValues(t, 2, up.requested.Load())
		up.OnComplete()
		p.Done(t)
	})
}

func TestConcatMapErrors(t *testing.T) {
	src, inners := &puppet[int]{}, &allPuppets[int]{}
	ctx, hooks := probe.Recorded()
	start := func(opts ...ConcatMapOption) *probe.Probe[int] {
		*inners, *hooks = allPuppets[int]{}, probe.Record{}
		p := runWith(ctx, ConcatMap[int, int](src, inners.fn, opts...))
		src.last().OnNext(0)
		src.last().OnNext(1)
		inners.at(0).OnNext(0)
		return p
	}
	t.Run("source", func(t *testing.T) {
		p := start()
		src.last().OnError(errBoom)
		p.Failed(t, errBoom, 0)
		assert.EqualValues(t, 1, inners.at(0).cancels.Load())
		inners.at(0).OnNext(1)
		inners.at(0).OnError(errOther)
		src.last().OnNext(2)
		src.last().OnError(errOther)
		assert.Equal(t, []any{1, 1, 2}, hooks.Discarded, "what waited, and what came late")
		assert.Equal(t, []any{errOther, errOther}, hooks.Errs)
	})
	t.Run("inner", func(t *testing.T) {
		p := start()
		inners.at(0).OnError(errBoom)
		p.Failed(t, errBoom, 0)
		assert.EqualValues(t, 1, src.last().cancels.Load())
		assert.Equal(t, []any{1}, hooks.Discarded) // A6
	})
	t.Run("source, to the boundary", func(t *testing.T) {
		p := start(DelayErrorsToBoundary())
		src.last().OnError(errBoom)
		inners.at(0).OnNext(1)
		p.Open(t, 0, 1)
		inners.at(0).OnComplete()
		p.Failed(t, errBoom, 0, 1)
		assert.Len(t, inners.made, 1)
		assert.Equal(t, []any{1}, hooks.Discarded)
	})
	t.Run("inner, to the boundary", func(t *testing.T) {
		p := start(DelayErrorsToBoundary())
		inners.at(0).OnError(errBoom)
		p.Failed(t, errBoom, 0)
		assert.EqualValues(t, 1, src.last().cancels.Load())
		assert.Len(t, inners.made, 1)
	})
	t.Run("delayed", func(t *testing.T) {
		p := start(DelayErrors())
		inners.at(0).OnError(errBoom)
		src.last().OnError(errOther)
		inners.at(1).OnNext(10)
		p.Open(t, 0, 10)
		inners.at(1).OnComplete()
		p.Items(t, 0, 10)
		assert.Equal(t, errors.Join(errBoom, errOther), p.Failure(), "in order of arrival")
	})
	t.Run("delayed, one by one", func(t *testing.T) {
		p := start(DelayErrors(), Prefetch(0)) // two elements although one was asked for
		inners.at(0).OnError(errBoom)
		inners.at(1).OnError(errOther)
		src.last().OnComplete()
		p.Failed(t, errBoom, 0)
		assert.Equal(t, []any{errOther}, hooks.Errs)
	})
	t.Run("boundary, one by one", func(t *testing.T) {
		p := start(DelayErrorsToBoundary(), Prefetch(0))
		src.last().OnError(errBoom)
		p.Failed(t, errBoom, 0)
	})
}

func TestConcatMapErrorDuringElement(t *testing.T) {
	src, inner := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](reactor.Unbounded)
	p.Each = func(int) {
		src.last().OnError(errBoom)
		assert.False(t, p.Over(), "the element first")
	}
	ConcatMap[int, int](src, func(int) reactor.Publisher[int] { return inner }).Subscribe(context.Background(), p)
	src.last().OnNext(1)
	inner.last().OnNext(5)
	p.Failed(t, errBoom, 5)
}

func TestConcatMapCancel(t *testing.T) {
	src, inners := &puppet[int]{}, &allPuppets[int]{}
	ctx, hooks := probe.Recorded()
	p := runWith(ctx, ConcatMap[int, int](src, inners.fn))
	for i := range 3 {
		src.last().OnNext(i)
	}
	p.Cancel()
	p.Cancel()
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 1, inners.at(0).cancels.Load())
	assert.Equal(t, []any{1, 2}, hooks.Discarded)
	inners.at(0).OnNext(7)
	inners.at(0).OnComplete()
	src.last().OnNext(8)
	assert.Equal(t, []any{1, 2, 7, 8}, hooks.Discarded)
	assert.Len(t, inners.made, 1, "nothing is subscribed after cancellation")
	p.Open(t)

	// Cancelled by fn itself.
	var q *probe.Probe[int]
	made := &puppet[int]{}
	q = probeOf[int](reactor.Unbounded)
	ConcatMap(Hide(Range(0, 3)), func(int) reactor.Publisher[int] { q.Cancel(); return made }).Subscribe(ctx, q)
	assert.Zero(t, made.count())
}

func TestConcatMapFunctionFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	fn := func(n int) reactor.Publisher[int] {
		switch n {
		case 2:
			panic(errBoom)
		case 3:
			return nil
		case 4:
			runtime.Goexit()
		case 5:
			return Defer(func(context.Context) reactor.Publisher[int] { panic(errOther) })
		case 6:
			return FromFunc(func(context.Context) (int, error) { return 0, errOther })
		}
		return Just(n)
	}
	src := func(n int) reactor.Publisher[int] { return Hide(FromSlice([]int{1, n, 7})) }
	from := func(n int, opts ...ConcatMapOption) *probe.Probe[int] {
		hooks.Discarded = nil
		return runWith(ctx, ConcatMap(src(n), fn, opts...))
	}
	from(2).Failed(t, errBoom, 1)
	assert.Subset(t, hooks.Discarded, []any{2})
	assert.ErrorContains(t, from(3).Failure(), "concatMap: the publisher is nil")
	from(5).Failed(t, errOther, 1)
	from(6).Failed(t, errOther, 1)
	from(2, DelayErrors()).Failed(t, errBoom, 1)
	from(5, DelayErrors()).Failed(t, errOther, 1, 7)
	from(6, DelayErrors()).Failed(t, errOther, 1, 7)
	from(6, DelayErrorsToBoundary()).Failed(t, errOther, 1)
	from(2, DelayErrors(), Prefetch(0)).Failed(t, errBoom, 1, 7)
	runWith(ctx, ConcatMap(Just(2), fn)).Failed(t, errBoom)
	for _, opts := range [][]ConcatMapOption{nil, {DelayErrors()}, {DelayErrors(), Prefetch(0)}} {
		p := probeOf[int](reactor.Unbounded)
		var wg sync.WaitGroup
		wg.Go(func() { ConcatMap(src(4), fn, opts...).Subscribe(ctx, p) })
		wg.Wait()
		p.Failed(t, reactor.ErrGoexit, 1)
	}
}

// A failure of an element on its way down isn't delayed, and all of upstream is cancelled.
func TestConcatMapDownstreamPanics(t *testing.T) {
	for name, fn := range map[string]func(int) reactor.Publisher[int]{
		"direct": tens, "mapped": hiddenTens, "just": Just[int], "slice": func(n int) reactor.Publisher[int] { return FromSlice([]int{n, n}) },
	} {
		for _, mode := range []ConcatMapOption{DelayErrorsOption(false), DelayErrors(), DelayErrorsToBoundary()} {
			for _, demand := range []int64{2, reactor.Unbounded} {
				t.Run(fmt.Sprint(name, mode, demand), func(t *testing.T) {
					ctx, hooks := probe.Recorded()
					src := &puppet[int]{}
					calls := 0
					p := probeOf[int](demand)
					Map(ConcatMap(src, fn, mode), func(v int) int {
						if calls++; calls == 2 {
							panic(errBoom)
						}
						return v
					}).Subscribe(ctx, p)
					for i := range 3 {
						src.last().OnNext(i + 1)
					}
					assert.ErrorIs(t, p.Failure(), errBoom)
					assert.Len(t, p.Got(), 1)
					assert.EqualValues(t, 1, src.last().cancels.Load())
					p.Request(5)
					assert.Equal(t, 2, calls)
					assert.NotEmpty(t, hooks.Discarded)
				})
			}
		}
	}
}

// A source whose request ends the goroutine has told so before. The element that the function was called with
// just now has gone nowhere yet.
func TestConcatMapRequestEndsTheGoroutine(t *testing.T) {
	for _, mode := range []ConcatMapOption{DelayErrorsOption(false), DelayErrors(), DelayErrorsToBoundary()} {
		ctx, hooks := probe.Recorded()
		src := DoOnRequest(Hide(FromSlice([]int{1, 2, 3, 4, 5, 6, 7})), func(n int64) {
			if n != 4 {
				runtime.Goexit()
			}
		})
		p := probeOf[int](reactor.Unbounded)
		racetest.Aside(func() {
			ConcatMap(src, func(v int) reactor.Publisher[int] { return Just(v) }, Prefetch(4), mode).Subscribe(ctx, p)
		})
		require.ErrorIs(t, p.Failure(), reactor.ErrGoexit)
		assert.Equal(t, []int{1, 2}, p.Got())
		accounted(t, p, hooks, 1, 2, 3, 4, 5, 6, 7)
	}
}

func TestConcatMapOverflow(t *testing.T) {
	inners := &allPuppets[int]{}
	src := &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := runWith(ctx, ConcatMap[int, int](src, inners.fn, Prefetch(2)))
	for i := range 4 {
		src.last().OnNext(i)
	}
	p.Failed(t, reactor.ErrOverflow)
	assert.ErrorContains(t, p.Failure(), "concatMap: overflow: the source sent more than the 2 elements it was asked for")
	assert.ElementsMatch(t, []any{1, 2, 3}, hooks.Discarded)
	assert.EqualValues(t, 1, inners.at(0).cancels.Load())
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

func TestConcatMapArguments(t *testing.T) {
	requirePanics(t, "concatMap: the mapper is nil", func() { ConcatMap[int, int](Just(1), nil) })
	requirePanics(t, "concatMap: the publisher is nil", func() { ConcatMap(nil, tens) })
	requirePanics(t, "concatMap: prefetch must not be negative, got -1", func() { ConcatMap(Just(1), tens, Prefetch(-1)) })
}

func TestConcatMapStack(t *testing.T) {
	n := racetest.Steps(1_000_000)
	for name, fn := range map[string]func(int) reactor.Publisher[int]{
		"just": Just[int], "empty": func(int) reactor.Publisher[int] { return Empty[int]() },
		"hidden": func(v int) reactor.Publisher[int] { return Hide(Just(v)) },
	} {
		for _, prefetch := range []int{0, 3} {
			t.Run(fmt.Sprint(name, prefetch), func(t *testing.T) {
				count := 0
				require.NoError(t, ForEach(context.Background(), ConcatMap(Range(0, n/10), fn, Prefetch(prefetch)), func(int) { count++ }))
				if name != "empty" {
					assert.Equal(t, n/10, count)
				}
			})
		}
	}
}

func TestConcatMapContinues(t *testing.T) {
	for _, opts := range [][]ConcatMapOption{nil, {Prefetch(1)}, {Prefetch(0)}, {DelayErrors()}, {DelayErrorsToBoundary()}} {
		var seen []any
		p := run(OnErrorContinue(ConcatMap(Hide(Range(0, 6)), func(n int) reactor.Publisher[int] {
			switch n {
			case 1:
				panic(errBoom)
			case 2:
				return Error[int](errBoom)
			case 3:
				return Hide(Error[int](errOther))
			}
			return Just(n)
		}, opts...), func(err error, v any) { seen = append(seen, v) }))
		p.Done(t, 0, 4, 5)
		assert.Equal(t, []any{1, 2, nil}, seen)
	}
	var seen []any
	run(OnErrorContinue(ConcatMap(Just(1), func(int) reactor.Publisher[int] { panic(errBoom) }),
		func(err error, v any) { seen = append(seen, v) })).Done(t)
	assert.Equal(t, []any{1}, seen)
}

func TestConcatMapAllocations(t *testing.T) {
	inner := Hide(Range(0, 1000))
	one := Just(1)
	elements := testing.AllocsPerRun(20, func() {
		_ = ForEach(context.Background(), ConcatMap(Hide(Range(0, 3)), func(int) reactor.Publisher[int] { return inner }), func(int) {})
	})
	assert.Less(t, elements, 60.0, "for 3000 elements")
	scalars := testing.AllocsPerRun(20, func() {
		_ = ForEach(context.Background(), ConcatMap(Hide(Range(0, 3000)), func(int) reactor.Publisher[int] { return one }), func(int) {})
	})
	assert.Less(t, scalars, 60.0, "for 3000 publishers of one element")
}

func TestConcatMapRaces(t *testing.T) {
	raceFlattener(t, 30, func(src reactor.Publisher[int], fn func(int) elements) elements { return ConcatMap(src, fn) })
}

func TestConcatMapRacesDelayed(t *testing.T) {
	raceFlattener(t, 20, func(src reactor.Publisher[int], fn func(int) elements) elements {
		return ConcatMap(src, fn, Prefetch(2), DelayErrors())
	})
}

func TestConcatMapRacesOneByOne(t *testing.T) {
	raceFlattener(t, 20, func(src reactor.Publisher[int], fn func(int) elements) elements {
		return ConcatMap(src, fn, Prefetch(0))
	})
}

// A4: a publisher that comes just after the cancellation is cancelled.
func TestConcatMapRegressionA4(t *testing.T) {
	racetest.Repeat(racetest.Iterations(3000), func(race func(...func())) {
		src, first, second := &puppet[int]{}, &puppet[int]{}, &puppet[int]{}
		p := run(ConcatMap[int, int](src, func(n int) reactor.Publisher[int] { return []reactor.Publisher[int]{first, second}[n] }))
		src.last().OnNext(0)
		src.last().OnNext(1)
		race(first.last().OnComplete, p.Cancel)
		if second.count() > 0 {
			require.EqualValues(t, 1, second.last().cancels.Load())
		}
	})
}

// With Prefetch(0) an element that was asked for is taken before an error of src that
// follows it, wherever the publisher of the element before has ended: in Reactor the
// function runs in OnNext.
func TestConcatMapTakesAnElementBeforeTheErrorBehindIt(t *testing.T) {
	start := func(fn func(int) reactor.Publisher[int]) (*probe.Probe[int], *puppet[int], *probe.Record) {
		first := &puppet[int]{}
		ctx, hooks := probe.Recorded()
		p := runWith(ctx, ConcatMap(failing(0, 1), func(n int) reactor.Publisher[int] {
			if n == 0 {
				return first
			}
			return fn(n)
		}, Prefetch(0)))
		return p, first, hooks
	}
	t.Run("just", func(t *testing.T) {
		p, first, hooks := start(Just[int])
		first.last().OnNext(0)
		first.last().OnComplete()
		p.Failed(t, errBoom, 0, 1)
		assert.Empty(t, hooks.Discarded)
	})
	t.Run("callable", func(t *testing.T) {
		p, first, _ := start(func(n int) reactor.Publisher[int] {
			return FromFunc(func(context.Context) (int, error) { return n, nil })
		})
		first.last().OnComplete()
		p.Failed(t, errBoom, 1)
	})
	t.Run("subscribed", func(t *testing.T) {
		p, first, _ := start(hiddenTens)
		first.last().OnComplete()
		p.Failed(t, errBoom, 10, 11, 12)
	})
	t.Run("still running", func(t *testing.T) {
		second := &puppet[int]{}
		p, first, _ := start(func(int) reactor.Publisher[int] { return second })
		first.last().OnComplete()
		p.Failed(t, errBoom)
		assert.EqualValues(t, 1, second.last().cancels.Load())
	})
	t.Run("without demand", func(t *testing.T) {
		first := &puppet[int]{}
		ctx, hooks := probe.Recorded()
		p := probeOf[int](1)
		ConcatMap(failing(0, 1), func(n int) reactor.Publisher[int] {
			if n == 0 {
				return first
			}
			return Just(n)
		}, Prefetch(0)).Subscribe(ctx, p)
		first.last().OnNext(0)
		first.last().OnComplete()
		p.Failed(t, errBoom, 0)
		assert.Equal(t, []any{1}, hooks.Discarded)
	})
	t.Run("fn fails", func(t *testing.T) {
		p, first, hooks := start(func(int) reactor.Publisher[int] { panic(errOther) })
		first.last().OnComplete()
		p.Failed(t, errOther)
		assert.Equal(t, []any{1}, hooks.Discarded)
		assert.Equal(t, []any{errBoom}, hooks.Errs, "nothing is lost silently")
	})
	t.Run("cancelled", func(t *testing.T) {
		var p *probe.Probe[int]
		p, first, hooks := start(func(int) reactor.Publisher[int] { p.Cancel(); return Just(1) })
		first.last().OnComplete()
		p.Open(t)
		assert.Equal(t, []any{1}, hooks.Discarded)
		assert.Equal(t, []any{errBoom}, hooks.Errs)
	})
}
