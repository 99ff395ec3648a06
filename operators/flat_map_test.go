package operators

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// tens returns three numbers from 10n on.
func tens(n int) reactor.Publisher[int] { return Range(10*n, 3) }

// hiddenTens is tens with a user function in between.
func hiddenTens(n int) reactor.Publisher[int] {
	return Map(tens(n), func(v int) int { return v })
}

// queuedTens is tens whose elements are requested ahead of demand.
func queuedTens(n int) reactor.Publisher[int] { return DoOnRequest(tens(n), func(int64) {}) }

func TestFlatMap(t *testing.T) {
	for name, fn := range map[string]func(int) reactor.Publisher[int]{"direct": tens, "mapped": hiddenTens, "queued": queuedTens} {
		t.Run(name, func(t *testing.T) {
			run(FlatMap(Range(1, 3), fn)).Done(t, 10, 11, 12, 20, 21, 22, 30, 31, 32)
			run(FlatMap(Range(1, 3), fn, Concurrency(1), Prefetch(1))).Done(t, 10, 11, 12, 20, 21, 22, 30, 31, 32)
			run(FlatMap(Empty[int](), fn)).Done(t)
			run(FlatMap(Just(4), fn)).Done(t, 40, 41, 42)
		})
	}
}

func TestFlatMapOneElementAtATime(t *testing.T) {
	for name, fn := range map[string]func(int) reactor.Publisher[int]{"mapped": hiddenTens, "queued": queuedTens} {
		t.Run(name, func(t *testing.T) {
			p := probeOf[int](1)
			FlatMap(Range(1, 3), fn).Subscribe(context.Background(), p)
			for range 8 {
				p.Request(1)
			}
			// The first inner publisher had demand when it came; after that it is the
			// order of the slots.
			p.Done(t, 10, 11, 12, 20, 21, 22, 30, 31, 32)
		})
	}
}

func TestFlatMapServesQueueOfScalarsFirst(t *testing.T) {
	p := probeOf[int](1)
	FlatMap(Range(1, 4), func(n int) reactor.Publisher[int] {
		if n%2 == 0 {
			return Just(n)
		}
		return queuedTens(n)
	}).Subscribe(context.Background(), p)
	p.Open(t, 10)
	p.Request(3)
	p.Open(t, 10, 2, 4, 11)
	p.Request(1)
	p.Open(t, 10, 2, 4, 11, 12)
	p.Request(9)
	p.Done(t, 10, 2, 4, 11, 12, 30, 31, 32)
}

func TestFlatMapGoesOnWhereDemandRanOut(t *testing.T) {
	inners := &allPuppets[int]{}
	p := probeOf[int](0)
	FlatMap(Range(0, 3), inners.fn).Subscribe(context.Background(), p)
	for i := range 3 {
		inners.at(i).OnNext(10 * i)
		inners.at(i).OnNext(10*i + 1)
	}
	p.Request(3)
	p.Open(t, 0, 1, 10)
	inners.at(0).OnNext(2)
	p.Request(2)
	p.Open(t, 0, 1, 10, 11, 20)
	p.Request(2)
	p.Open(t, 0, 1, 10, 11, 20, 21, 2)
}

// Inner publishers that stay hold some places; those that are known at once go through the others.
func TestFlatMapGoesOnBesideThoseThatStay(t *testing.T) {
	for _, concurrency := range []int{2, 3, 4, 5, 8} {
		for stay := 1; stay < concurrency; stay++ {
			for name, one := range map[string]func(int) reactor.Publisher[int]{
				"just": Just[int],
				"callable": func(n int) reactor.Publisher[int] {
					return FromFunc(func(context.Context) (int, error) { return n, nil })
				},
				"empty": func(int) reactor.Publisher[int] { return Empty[int]() },
				"range": func(n int) reactor.Publisher[int] { return Range(n, 1) },
			} {
				for first := range 3 { // how many others come before
					var seen []int
					p := probeOf[int](reactor.Unbounded)
					FlatMap(Hide(Range(0, 40)), func(n int) reactor.Publisher[int] {
						seen = append(seen, n)
						if n >= first && n < first+stay {
							return Never[int]()
						}
						return one(n)
					}, Concurrency(concurrency)).Subscribe(context.Background(), p)
					assert.Len(t, seen, 40, "%s, concurrency %d, %d stay, %d before", name, concurrency, stay, first)
					p.Cancel()
				}
			}
		}
	}
}

// Reactor stands still there.
func TestFlatMapVerbatim(t *testing.T) {
	p := probeOf[int](reactor.Unbounded)
	FlatMap(Range(0, 40), func(n int) reactor.Publisher[int] {
		if n == 0 {
			return Never[int]()
		}
		return Just(n)
	}, Concurrency(2), Verbatim()).Subscribe(context.Background(), p)
	p.Open(t, 1)
}

func TestFlatMapReusesSlots(t *testing.T) {
	inners := &allPuppets[int]{}
	p := probeOf[int](0)
	src := &puppet[int]{}
	FlatMap[int, int](src, inners.fn).Subscribe(context.Background(), p)
	for i := range 4 {
		src.last().OnNext(i)
	}
	inners.at(1).OnComplete()
	src.last().OnNext(4) // takes the slot that became free
	for _, i := range []int{4, 3, 2, 0} {
		inners.at(i).OnNext(i)
	}
	p.Request(4)
	p.Open(t, 0, 4, 2, 3)
}

func TestFlatMapDemand(t *testing.T) {
	src := &puppet[int]{}
	inners := &allPuppets[int]{}
	p := probeOf[int](0)
	FlatMap[int, int](src, inners.fn, Concurrency(4), Prefetch(8)).Subscribe(context.Background(), p)
	assert.EqualValues(t, 4, src.last().requested.Load())
	src.last().OnNext(0)
	inner := inners.at(0)
	assert.EqualValues(t, 8, inner.requested.Load())
	for i := range 8 {
		inner.OnNext(i)
	}
	assert.EqualValues(t, 8, inner.requested.Load(), "nothing was delivered yet")
	p.Request(5)
	assert.EqualValues(t, 8, inner.requested.Load(), "less than three quarters were delivered")
	p.Request(1)
	assert.EqualValues(t, 14, inner.requested.Load())
	inner.OnComplete()
	assert.EqualValues(t, 4, src.last().requested.Load(), "two elements still wait")
	p.Request(2)
	assert.EqualValues(t, 5, src.last().requested.Load())
}

func TestFlatMapUnbounded(t *testing.T) {
	src := &puppet[int]{}
	inners := &allPuppets[int]{}
	p := probeOf[int](0)
	FlatMap[int, int](src, inners.fn, Concurrency(math.MaxInt), Prefetch(math.MaxInt)).Subscribe(context.Background(), p)
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	src.last().OnNext(0)
	assert.Equal(t, reactor.Unbounded, inners.at(0).requested.Load())
	var want []int
	for i := range 10_000 {
		inners.at(0).OnNext(i)
		want = append(want, i)
	}
	inners.at(0).OnComplete()
	src.last().OnComplete()
	p.Request(reactor.Unbounded)
	p.Done(t, want...)
	assert.EqualValues(t, 1, src.last().requests.Load())
}

func TestFlatMapErrors(t *testing.T) {
	inners := &allPuppets[int]{}
	src := &puppet[int]{}
	ctx, hooks := probe.Recorded()
	start := func(opts ...FlatMapOption) *probe.Probe[int] {
		*inners = allPuppets[int]{}
		p := probeOf[int](1)
		FlatMap[int, int](src, inners.fn, opts...).Subscribe(ctx, p)
		src.last().OnNext(0)
		src.last().OnNext(1)
		inners.at(0).OnNext(0)
		inners.at(1).OnNext(10)
		return p
	}
	t.Run("inner", func(t *testing.T) {
		p := start()
		inners.at(0).OnError(errBoom)
		p.Failed(t, errBoom, 0)
		assert.Equal(t, []any{10}, hooks.Discarded)
		assert.EqualValues(t, 1, src.last().cancels.Load())
		assert.EqualValues(t, 1, inners.at(1).cancels.Load())
		inners.at(1).OnError(errOther)
		assert.Equal(t, []any{errOther}, hooks.Errs)
		src.last().OnNext(3)
		assert.Equal(t, []any{3}, hooks.Dropped)
	})
	t.Run("inner, delayed", func(t *testing.T) {
		p := start(DelayErrors())
		inners.at(0).OnError(errBoom)
		p.Open(t, 0)
		p.Request(5)
		inners.at(1).OnNext(11)
		inners.at(1).OnError(errOther)
		src.last().OnComplete()
		p.Failed(t, errBoom, 0, 10, 11)
		assert.Equal(t, errors.Join(errBoom, errOther), p.Failure(), "in order of arrival")
	})
	t.Run("source, delayed", func(t *testing.T) {
		p := start(DelayErrors())
		src.last().OnError(errBoom)
		p.Request(5)
		p.Open(t, 0, 10)
		inners.at(1).OnComplete()
		inners.at(0).OnComplete()
		p.Failed(t, errBoom, 0, 10)
	})
}

func TestFlatMapCancel(t *testing.T) {
	inners := &allPuppets[int]{}
	src := &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := probeOf[int](1)
	FlatMap(src, func(n int) reactor.Publisher[int] {
		if n == 7 {
			return Just(70)
		}
		return inners.fn(n)
	}).Subscribe(ctx, p)
	src.last().OnNext(0)
	src.last().OnNext(1)
	inners.at(0).OnNext(1)
	inners.at(1).OnNext(2)
	inners.at(1).OnNext(3)
	src.last().OnNext(7)
	p.Cancel()
	p.Cancel()
	p.Request(5)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 1, inners.at(0).cancels.Load())
	assert.EqualValues(t, 1, inners.at(1).cancels.Load())
	assert.ElementsMatch(t, []any{2, 3, 70}, hooks.Discarded)
	inners.at(0).OnNext(4)
	src.last().OnNext(8)
	assert.ElementsMatch(t, []any{2, 3, 70, 4, 8}, hooks.Discarded)
	p.Open(t, 1)
	require.Len(t, inners.made, 2, "nothing is subscribed after cancellation")
}

func TestFlatMapCancelledFromWithin(t *testing.T) {
	for name, fn := range map[string]func(int) reactor.Publisher[int]{
		"direct": tens, "mapped": hiddenTens, "queued": queuedTens, "just": Just[int],
	} {
		t.Run(name, func(t *testing.T) {
			p := probeOf[int](reactor.Unbounded)
			p.Each = func(int) { p.Cancel() }
			FlatMap(Range(1, 5), fn).Subscribe(context.Background(), p)
			assert.Len(t, p.Got(), 1)
			assert.False(t, p.Over())
		})
	}
}

func TestFlatMapFunctionPanics(t *testing.T) {
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
		case 7:
			return FromSlice([]int{1, 2})
		}
		return Just(n)
	}
	from := func(n int) *probe.Probe[int] { return runWith(ctx, FlatMap(FromSlice([]int{1, n, 1}), fn)) }
	from(2).Failed(t, errBoom, 1)
	assert.Equal(t, []any{2, 1}, hooks.Discarded, "the element in flight, and the rest of the slice")
	from(3).Items(t, 1)
	assert.ErrorContains(t, from(3).Failure(), "flatMap: the publisher is nil")
	var p *probe.Probe[int]
	var wg sync.WaitGroup
	wg.Go(func() {
		p = probeOf[int](reactor.Unbounded)
		FlatMap(FromSlice([]int{1, 4, 1}), fn).Subscribe(ctx, p)
	})
	wg.Wait()
	p.Failed(t, reactor.ErrGoexit, 1)
	from(5).Failed(t, errOther, 1)
	from(6).Failed(t, errOther, 1)

	src := func(n int) reactor.Publisher[int] { return Hide(FromSlice([]int{1, n, 1})) }
	p = runWith(ctx, FlatMap(src(2), fn, DelayErrors()))
	p.Failed(t, errBoom, 1)
	p = runWith(ctx, FlatMap(src(6), fn, DelayErrors()))
	p.Failed(t, errOther, 1, 1)
}

// A failure of an element on its way down is not the failure of an inner publisher or
// of the source: it isn't delayed, and all of upstream is cancelled.
func TestFlatMapDownstreamPanics(t *testing.T) {
	for name, fn := range map[string]func(int) reactor.Publisher[int]{
		"direct": tens, "mapped": hiddenTens, "queued": queuedTens, "just": Just[int],
	} {
		for _, demand := range []int64{2, reactor.Unbounded} {
			t.Run(fmt.Sprint(name, demand), func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				src := &puppet[int]{}
				calls := 0
				p := probeOf[int](demand)
				Map(FlatMap(src, fn, DelayErrors()), func(v int) int {
					if calls++; calls == 2 {
						panic(errBoom)
					}
					return v
				}).Subscribe(ctx, p)
				func() {
					defer func() { // this puppet has no guard: it acts as one
						if r := recover(); r != nil {
							src.last().OnError(failure.Recovered(r))
						}
					}()
					src.last().OnNext(1)
					src.last().OnNext(2)
				}()
				assert.ErrorIs(t, p.Failure(), errBoom)
				assert.Len(t, p.Got(), 1)
				assert.EqualValues(t, 1, src.last().cancels.Load())
				src.last().OnNext(3)
				p.Request(5)
				assert.Len(t, p.Got(), 1)
				assert.Equal(t, 2, calls)
				assert.NotEmpty(t, hooks.Discarded)
			})
		}
	}
}

// Downstream fails in a drain pass that somebody's request has started.
func TestFlatMapDownstreamPanicsWhileQueuesAreServed(t *testing.T) {
	ctx, hooks := probe.Recorded()
	inners := &allPuppets[int]{}
	src := &puppet[int]{}
	p := probeOf[int](0)
	Map(FlatMap[int, int](src, inners.fn), func(int) int { panic(errBoom) }).Subscribe(ctx, p)
	src.last().OnNext(0)
	src.last().OnNext(1)
	for i := range 2 {
		inners.at(i).OnNext(10 * i)
		inners.at(i).OnNext(10*i + 1)
	}
	p.Request(1)
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 1, inners.at(0).cancels.Load())
	assert.EqualValues(t, 1, inners.at(1).cancels.Load())
	assert.ElementsMatch(t, []any{0, 1, 10, 11}, hooks.Discarded)
	inners.at(0).OnNext(2)
	inners.at(0).OnError(errOther)
	assert.ElementsMatch(t, []any{0, 1, 10, 11, 2}, hooks.Discarded)
	assert.Equal(t, []any{errOther}, hooks.Errs)
}

func TestFlatMapOverflow(t *testing.T) {
	inners := &allPuppets[int]{}
	ctx, hooks := probe.Recorded()
	p := probeOf[int](0)
	FlatMap(Hide(Just(0)), inners.fn, Prefetch(2)).Subscribe(ctx, p)
	for i := range 3 {
		inners.at(0).OnNext(i)
	}
	p.Failed(t, reactor.ErrOverflow)
	assert.ErrorContains(t, p.Failure(), "flatMap: overflow: an inner publisher sent more than the 2 elements it was asked for")
	assert.ElementsMatch(t, []any{0, 1, 2}, hooks.Discarded)
	assert.GreaterOrEqual(t, inners.at(0).cancels.Load(), int64(1))
}

func TestFlatMapArguments(t *testing.T) {
	requirePanics(t, "flatMap: the mapper is nil", func() { FlatMap[int, int](Just(1), nil) })
	requirePanics(t, "flatMap: the publisher is nil", func() { FlatMap(nil, tens) })
	requirePanics(t, "flatMap: concurrency must be positive, got 0", func() { FlatMap(Just(1), tens, Concurrency(0)) })
	requirePanics(t, "flatMap: prefetch must be positive, got -1", func() { FlatMap(Just(1), tens, Prefetch(-1)) })
}

func TestFlatMapContext(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(context.Background(), key{}, 5)
	p := runWith(ctx, FlatMap(Range(1, 2), func(int) reactor.Publisher[int] {
		return FromFunc(func(ctx context.Context) (int, error) { return ctx.Value(key{}).(int), nil })
	}))
	p.Done(t, 5, 5)
}

func TestFlatMapStack(t *testing.T) {
	n := racetest.Steps(1_000_000)
	for name, fn := range map[string]func(int) reactor.Publisher[int]{
		"just": Just[int], "empty": func(int) reactor.Publisher[int] { return Empty[int]() },
		"hidden": func(v int) reactor.Publisher[int] { return Hide(Just(v)) },
		"queued": func(v int) reactor.Publisher[int] { return DoOnRequest(Just(v), func(int64) {}) },
	} {
		t.Run(name, func(t *testing.T) {
			count := 0
			require.NoError(t, ForEach(context.Background(), FlatMap(Range(0, n), fn, Concurrency(3)), func(int) { count++ }))
			if name != "empty" {
				assert.Equal(t, n, count)
			}
		})
	}
}

func TestFlatMapContinues(t *testing.T) {
	var seen []any
	p := run(OnErrorContinue(FlatMap(Hide(Range(0, 6)), func(n int) reactor.Publisher[int] {
		switch n {
		case 1:
			panic(errBoom)
		case 2:
			return Error[int](errBoom)
		case 3:
			return Hide(Error[int](errOther))
		}
		return Just(n)
	}, Concurrency(1)), func(err error, v any) { seen = append(seen, v) }))
	p.Done(t, 0, 4, 5)
	assert.Equal(t, []any{1, 2, nil}, seen)
}

// A1: the completion of the source must not overtake the failure of an inner publisher.
func TestRegressionA1(t *testing.T) {
	racetest.Repeat(racetest.Iterations(10_000), func(race func(...func())) {
		src, inner := &puppet[int]{}, &puppet[int]{}
		p := run(FlatMap[int, int](src, func(int) reactor.Publisher[int] { return inner }))
		src.last().OnNext(1)
		race(src.last().OnComplete, func() { inner.last().OnError(errBoom) })
		require.ErrorIs(t, p.Failure(), errBoom)
	})
}

// A7: an element whose inner publisher is skipped or fails and is resumed gives its place
// back exactly once.
func TestRegressionA7(t *testing.T) {
	for name, stage := range map[string]func(src reactor.Publisher[int], failing func() reactor.Publisher[int]) reactor.Publisher[int]{
		"resume": func(src reactor.Publisher[int], failing func() reactor.Publisher[int]) reactor.Publisher[int] {
			return FlatMap(src, func(n int) reactor.Publisher[int] {
				return OnErrorResume(failing(), func(error) reactor.Publisher[int] { return Empty[int]() })
			}, Concurrency(8))
		},
		"continue": func(src reactor.Publisher[int], failing func() reactor.Publisher[int]) reactor.Publisher[int] {
			return OnErrorContinue(FlatMap(src, func(n int) reactor.Publisher[int] { return failing() }, Concurrency(8)), func(error, any) {})
		},
	} {
		for how, failing := range map[string]func() reactor.Publisher[int]{
			"callable": func() reactor.Publisher[int] { return Error[int](errBoom) },
			"hidden":   func() reactor.Publisher[int] { return Hide(Error[int](errBoom)) },
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				sent, most := int64(0), int64(0)
				src := &puppet[int]{}
				p := run(stage(src, failing))
				for sent < 10_000 {
					up := src.last()
					require.Greater(t, up.requested.Load(), sent, "the source is asked for more")
					most = max(most, up.requested.Load()-sent)
					sent++
					up.OnNext(1)
				}
				assert.LessOrEqual(t, most, int64(8))
				src.last().OnComplete()
				p.Done(t)
			})
		}
	}
}

// A9: places come back for one-element and empty publishers, also when their element had
// to wait.
func TestRegressionA9(t *testing.T) {
	p := probeOf[int](0)
	FlatMap(Hide(Range(0, 1000)), func(n int) reactor.Publisher[int] {
		switch n % 3 {
		case 0:
			return Just(n)
		case 1:
			return Empty[int]()
		}
		return Hide(Just(n))
	}, Concurrency(2)).Subscribe(context.Background(), p)
	for range 1000 {
		p.Request(1)
	}
	assert.True(t, p.Over())
	assert.Len(t, p.Got(), 667)
}

// A10: the failure of the source cancels all inner publishers.
func TestRegressionA10(t *testing.T) {
	inners := &allPuppets[int]{}
	src := &puppet[int]{}
	p := run(FlatMap[int, int](src, inners.fn))
	for i := range 20 {
		src.last().OnNext(i)
	}
	src.last().OnError(errBoom)
	p.Failed(t, errBoom)
	for i := range 20 {
		assert.EqualValues(t, 1, inners.at(i).cancels.Load())
	}
}

// A11: as many inner publishers as end in one pass are replaced, of every kind.
func TestRegressionA11(t *testing.T) {
	inners := &allPuppets[int]{}
	src := &puppet[int]{}
	p := probeOf[int](0)
	p.Each = func(v int) {
		if v == 1 {
			// In the middle of a pass: both end at once.
			inners.at(1).OnComplete()
			inners.at(2).OnComplete()
		}
	}
	FlatMap[int, int](src, inners.fn, Concurrency(3)).Subscribe(context.Background(), p)
	for i := range 3 {
		src.last().OnNext(i)
	}
	inners.at(0).OnNext(1)
	inners.at(0).OnComplete()
	p.Request(1)
	assert.EqualValues(t, 6, src.last().requested.Load())
	for _, scalar := range []reactor.Publisher[int]{Just(1), Empty[int](), Hide(Just(1)), Hide(Empty[int]())} {
		src := &puppet[int]{}
		run(FlatMap(src, func(int) reactor.Publisher[int] { return scalar }, Concurrency(1)))
		src.last().OnNext(0)
		assert.EqualValues(t, 2, src.last().requested.Load())
	}
}

// A15: every inner publisher belongs to its own element.
func TestRegressionA15(t *testing.T) {
	s := newParallel(t, 4)
	items, err := Collect(context.Background(), FlatMap(Range(0, 1000), func(n int) reactor.Publisher[[2]int] {
		return Map(SubscribeOn(Just(n), s), func(v int) [2]int { return [2]int{n, v} })
	}))
	require.NoError(t, err)
	var all []int
	for _, pair := range items {
		assert.Equal(t, pair[0], pair[1])
		all = append(all, pair[0])
	}
	assert.ElementsMatch(t, numbers(1000), all, "each element once")
}

func TestFlatMapFromManyGoroutines(t *testing.T) {
	s := newParallel(t, 4)
	for _, prefetch := range []int{1, 3, 32} {
		p := probeOf[int](1)
		p.Each = func(int) { p.Request(1) }
		done := make(chan struct{})
		DoFinally(FlatMap(Range(0, 8), func(n int) reactor.Publisher[int] {
			return SubscribeOn(Range(1000*n, 1000), s)
		}, Prefetch(prefetch), Concurrency(4)), func(reactor.SignalKind) { close(done) }).Subscribe(context.Background(), p)
		<-done
		all := p.Got()
		require.Len(t, all, 8000)
		for n := range 8 {
			part := perInner(all, 1000*n, 1000*n+1000)
			require.Len(t, part, 1000)
			assert.IsIncreasing(t, part)
		}
		p.Faultless(t)
	}
}

func TestFlatMapRaces(t *testing.T) {
	raceFlattener(t, 60, func(src reactor.Publisher[int], fn func(int) elements) elements { return FlatMap(src, fn) })
}

func TestFlatMapRacesWithFewPlaces(t *testing.T) {
	raceFlattener(t, 60, func(src reactor.Publisher[int], fn func(int) elements) elements {
		return FlatMap(src, fn, Concurrency(2), Prefetch(1), DelayErrors())
	})
}

// Functions that wait run where they are asked, one after the other whatever the concurrency,
// unless each has a worker.
func TestFlatMapOfFunctionsThatWait(t *testing.T) {
	schedulers.ShutdownNow() // the shared ones belong to this bubble, and to no other test
	synctest.Test(t, func(t *testing.T) {
		defer schedulers.ShutdownNow()
		wait := func(v int) reactor.Publisher[int] {
			return FromFunc(func(context.Context) (int, error) {
				time.Sleep(time.Second)
				return v, nil
			})
		}
		for name, c := range map[string]struct {
			fn   func(int) reactor.Publisher[int]
			want time.Duration
		}{
			"where they are asked":  {wait, 3 * time.Second},
			"each with its worker":  {func(v int) reactor.Publisher[int] { return SubscribeOn(wait(v), schedulers.BoundedElastic()) }, time.Second},
			"all with the same one": {func(v int) reactor.Publisher[int] { return SubscribeOn(wait(v), schedulers.Single()) }, 3 * time.Second},
		} {
			began := time.Now()
			got, err := Collect(t.Context(), FlatMap(Range(1, 3), c.fn, Concurrency(16)))
			assert.NoError(t, err, name)
			assert.ElementsMatch(t, []int{1, 2, 3}, got, name)
			assert.Equal(t, c.want, time.Since(began), name)
		}
	})
}

// What a source sends after the end, because it does not look, is dropped by the function for its loop, too.
func TestFlatMapInALoopThatGoesOn(t *testing.T) {
	var asked, got []int
	var failure error
	src := FlatMap[int, int](heedless{n: 4}, func(v int) reactor.Publisher[int] {
		if asked = append(asked, v); v == 1 {
			return Error[int](assert.AnError)
		}
		return Just(v)
	})
	SubscribeFunc(context.Background(), src, func(v int) { got = append(got, v) }, OnError(func(err error) { failure = err }))
	assert.Equal(t, []int{0, 1}, asked)
	assert.Equal(t, []int{0}, got)
	assert.ErrorIs(t, failure, assert.AnError)
}

// heedless is a source in a loop that does not look whether it was cancelled.
type heedless struct {
	protocol.Op
	n int
}

func (h heedless) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	s.OnSubscribe(protocol.Empty)
	next := protocol.Push(s)
	for i := range h.n {
		next(i)
	}
	s.OnComplete()
}
