package operators

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestFlatMapSequential(t *testing.T) {
	for name, fn := range map[string]func(int) reactor.Publisher[int]{"direct": tens, "mapped": hiddenTens, "queued": queuedTens} {
		for _, prefetch := range []int{1, 32, math.MaxInt} {
			for _, concurrency := range []int{1, 2, 256, math.MaxInt} {
				t.Run(fmt.Sprint(name, prefetch, concurrency), func(t *testing.T) {
					opts := []FlatMapSequentialOption{Prefetch(prefetch), Concurrency(concurrency)}
					run(FlatMapSequential(Range(1, 3), fn, opts...)).Done(t, 10, 11, 12, 20, 21, 22, 30, 31, 32)
					run(FlatMapSequential(Empty[int](), fn, opts...)).Done(t)
					run(FlatMapSequential(Just(4), fn, opts...)).Done(t, 40, 41, 42)
					p := probeOf[int](0)
					FlatMapSequential(Range(1, 2), fn, opts...).Subscribe(context.Background(), p)
					for range 6 { // A17
						p.Request(1)
					}
					p.Done(t, 10, 11, 12, 20, 21, 22)
				})
			}
		}
	}
}

func TestFlatMapSequentialOrder(t *testing.T) {
	inners := &allPuppets[int]{}
	p := run(FlatMapSequential(Range(0, 3), inners.fn))
	require.Len(t, inners.made, 3, "all at once")
	inners.at(1).OnNext(10)
	inners.at(2).OnNext(20)
	inners.at(2).OnComplete()
	p.Open(t)
	inners.at(0).OnNext(0)
	p.Open(t, 0)
	inners.at(0).OnComplete()
	p.Open(t, 0, 10)
	inners.at(1).OnNext(11)
	inners.at(1).OnComplete()
	p.Done(t, 0, 10, 11, 20)
}

func TestFlatMapSequentialDemand(t *testing.T) {
	src, inners := &puppet[int]{}, &allPuppets[int]{}
	p := probeOf[int](1)
	FlatMapSequential[int, int](src, inners.fn, Concurrency(2), Prefetch(4)).Subscribe(context.Background(), p)
	assert.EqualValues(t, 2, src.last().requested.Load())
	src.last().OnNext(0)
	src.last().OnNext(1)
	for i := range 4 {
		inners.at(0).OnNext(i)
		inners.at(1).OnNext(10 + i)
	}
	p.Open(t, 0)
	p.Request(1)
	assert.EqualValues(t, 4, inners.at(0).requested.Load())
	p.Request(1)
	assert.EqualValues(t, 7, inners.at(0).requested.Load(), "three quarters were delivered")
	assert.EqualValues(t, 4, inners.at(1).requested.Load())
	inners.at(1).OnComplete()
	assert.EqualValues(t, 2, src.last().requested.Load(), "its turn has not come")
	inners.at(0).OnComplete()
	p.Request(1)
	assert.EqualValues(t, 3, src.last().requested.Load())
	p.Request(4)
	assert.EqualValues(t, 4, src.last().requested.Load())
	src.last().OnComplete()
	p.Done(t, 0, 1, 2, 3, 10, 11, 12, 13)
}

func TestFlatMapSequentialErrors(t *testing.T) {
	src, inners := &puppet[int]{}, &allPuppets[int]{}
	ctx, hooks := probe.Recorded()
	start := func(opts ...FlatMapSequentialOption) *probe.Probe[int] {
		*inners, *hooks = allPuppets[int]{}, probe.Record{}
		p := runWith(ctx, FlatMapSequential[int, int](src, inners.fn, opts...))
		src.last().OnNext(0)
		src.last().OnNext(1)
		inners.at(0).OnNext(0)
		inners.at(1).OnNext(10)
		return p
	}
	t.Run("inner", func(t *testing.T) {
		p := start()
		inners.at(1).OnError(errBoom)
		p.Failed(t, errBoom, 0)
		assert.EqualValues(t, 1, src.last().cancels.Load())
		assert.EqualValues(t, 1, inners.at(0).cancels.Load())
		assert.Equal(t, []any{10}, hooks.Discarded)
		inners.at(0).OnNext(1)
		src.last().OnNext(2)
		assert.Equal(t, []any{10, 1, 2}, hooks.Discarded)
		inners.at(0).OnError(errOther)
		src.last().OnError(errOther)
		assert.Equal(t, []any{errOther, errOther}, hooks.Errs)
	})
	t.Run("source", func(t *testing.T) {
		p := start()
		src.last().OnError(errBoom)
		p.Failed(t, errBoom, 0)
		assert.EqualValues(t, 1, inners.at(0).cancels.Load())
		assert.EqualValues(t, 1, inners.at(1).cancels.Load())
	})
	t.Run("delayed", func(t *testing.T) {
		p := start(DelayErrors())
		inners.at(1).OnError(errBoom)
		src.last().OnError(errOther)
		inners.at(0).OnNext(1)
		p.Open(t, 0, 1)
		inners.at(0).OnComplete()
		p.Items(t, 0, 1, 10)
		assert.Equal(t, errors.Join(errBoom, errOther), p.Failure())
	})
}

func TestFlatMapSequentialCancel(t *testing.T) {
	src, inners := &puppet[int]{}, &allPuppets[int]{}
	ctx, hooks := probe.Recorded()
	p := probeOf[int](1)
	FlatMapSequential[int, int](src, inners.fn).Subscribe(ctx, p)
	for i := range 3 {
		src.last().OnNext(i)
	}
	inners.at(0).OnNext(1)
	inners.at(0).OnNext(2)
	inners.at(2).OnNext(3)
	p.Cancel()
	p.Cancel()
	p.Request(5)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	for i := range 3 {
		assert.EqualValues(t, 1, inners.at(i).cancels.Load())
	}
	assert.Equal(t, []any{2, 3}, hooks.Discarded)
	inners.at(1).OnNext(4)
	src.last().OnNext(5)
	assert.Equal(t, []any{2, 3, 4, 5}, hooks.Discarded)
	p.Open(t, 1)

	for name, fn := range map[string]func(int) reactor.Publisher[int]{"direct": tens, "mapped": hiddenTens, "queued": queuedTens, "just": Just[int]} {
		t.Run(name, func(t *testing.T) {
			p := probeOf[int](reactor.Unbounded)
			p.Each = func(int) { p.Cancel() }
			FlatMapSequential(Range(1, 5), fn).Subscribe(context.Background(), p)
			assert.Len(t, p.Got(), 1)
			assert.False(t, p.Over())
		})
	}
}

func TestFlatMapSequentialFunctionFails(t *testing.T) {
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
		}
		return Just(n)
	}
	from := func(n int, opts ...FlatMapSequentialOption) *probe.Probe[int] {
		p := probeOf[int](reactor.Unbounded)
		var wg sync.WaitGroup
		wg.Go(func() { FlatMapSequential(Hide(FromSlice([]int{1, n, 7})), fn, opts...).Subscribe(ctx, p) })
		wg.Wait()
		return p
	}
	from(2).Failed(t, errBoom, 1)
	assert.ElementsMatch(t, []any{2, 7}, hooks.Discarded)
	assert.ErrorContains(t, from(3).Failure(), "flatMapSequential: the publisher is nil")
	from(4).Failed(t, reactor.ErrGoexit, 1)
	from(5).Failed(t, errOther, 1)
	from(2, DelayErrors()).Failed(t, errBoom, 1)
	from(5, DelayErrors()).Failed(t, errOther, 1, 7)
	runWith(ctx, FlatMapSequential(Just(2), fn)).Failed(t, errBoom)
}

func TestFlatMapSequentialDownstreamPanics(t *testing.T) {
	for name, fn := range map[string]func(int) reactor.Publisher[int]{
		"direct": tens, "mapped": hiddenTens, "queued": queuedTens, "just": Just[int],
	} {
		for _, demand := range []int64{2, reactor.Unbounded} {
			t.Run(fmt.Sprint(name, demand), func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				src := &puppet[int]{}
				calls := 0
				p := probeOf[int](demand)
				Map(FlatMapSequential(src, fn, DelayErrors()), func(v int) int {
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

func TestFlatMapSequentialOverflow(t *testing.T) {
	inners := &allPuppets[int]{}
	ctx, hooks := probe.Recorded()
	p := probeOf[int](0)
	FlatMapSequential(Hide(Just(0)), inners.fn, Prefetch(2)).Subscribe(ctx, p)
	for i := range 3 {
		inners.at(0).OnNext(i)
	}
	p.Failed(t, reactor.ErrOverflow)
	assert.ErrorContains(t, p.Failure(), "flatMapSequential: overflow: an inner publisher sent more than the 2 elements it was asked for")
	assert.ElementsMatch(t, []any{0, 1, 2}, hooks.Discarded)
}

func TestFlatMapSequentialArguments(t *testing.T) {
	requirePanics(t, "flatMapSequential: the mapper is nil", func() { FlatMapSequential[int, int](Just(1), nil) })
	requirePanics(t, "flatMapSequential: the publisher is nil", func() { FlatMapSequential(nil, tens) })
	requirePanics(t, "flatMapSequential: concurrency must be positive, got 0", func() { FlatMapSequential(Just(1), tens, Concurrency(0)) })
	requirePanics(t, "mergeSequential: prefetch must be positive, got 0", func() { MergeSequential([]reactor.Publisher[int]{}, Prefetch(0)) })
	requirePanics(t, "mergeSequential: the publisher at index 0 is nil", func() { MergeSequential([]reactor.Publisher[int]{nil}) })
}

func TestFlatMapSequentialContinues(t *testing.T) {
	var seen []any
	run(OnErrorContinue(FlatMapSequential(Range(0, 3), func(n int) reactor.Publisher[int] {
		if n == 1 {
			return Hide(Error[int](errBoom))
		}
		return Just(n)
	}), func(err error, v any) { seen = append(seen, v) })).Done(t, 0, 2)
	assert.Equal(t, []any{nil}, seen)
}

func TestFlatMapSequentialFromManyGoroutines(t *testing.T) {
	s := newParallel(t, 4)
	for _, prefetch := range []int{1, 3, 32} {
		p := probeOf[int](1)
		p.Each = func(int) { p.Request(1) }
		done := make(chan struct{})
		DoFinally(FlatMapSequential(Range(0, 8), func(n int) reactor.Publisher[int] {
			return SubscribeOn(Range(500*n, 500), s)
		}, Prefetch(prefetch), Concurrency(4)), func(reactor.SignalKind) { close(done) }).Subscribe(context.Background(), p)
		<-done
		require.Len(t, p.Got(), 4000)
		assert.True(t, slices.IsSorted(p.Got()))
		p.Faultless(t)
	}
}

func TestFlatMapSequentialStack(t *testing.T) {
	n, count := racetest.Steps(100_000), 0
	require.NoError(t, ForEach(context.Background(), FlatMapSequential(Range(0, n), queuedTens, Concurrency(3)), func(int) { count++ }))
	assert.Equal(t, 3*n, count)
}

func TestFlatMapSequentialRaces(t *testing.T) {
	raceFlattener(t, 30, func(src reactor.Publisher[int], fn func(int) elements) elements { return FlatMapSequential(src, fn) })
}

func TestFlatMapSequentialRacesWithFewPlaces(t *testing.T) {
	raceFlattener(t, 30, func(src reactor.Publisher[int], fn func(int) elements) elements {
		return FlatMapSequential(src, fn, Concurrency(2), Prefetch(1), DelayErrors())
	})
}

// An error that ends all at once, and a cancellation comes before it has got there. One that is held back goes with what waits.
func TestFlatMapSequentialErrorAtACancellation(t *testing.T) {
	for name, opts := range map[string][]FlatMapSequentialOption{"at once": nil, "delayed": {DelayErrors()}} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			inner := []*puppet[int]{{}, {}}
			p := probeOf[int](9)
			p.Each = func(int) {
				inner[1].last().OnError(errBoom)
				p.Cancel()
			}
			FlatMapSequential(Range(0, 2), func(n int) stream { return inner[n] }, opts...).Subscribe(ctx, p)
			inner[0].last().OnNext(1)
			p.Open(t, 1)
			if name == "delayed" {
				assert.Empty(t, hooks.Errs)
			} else {
				assert.Equal(t, []any{errBoom}, hooks.Errs)
			}
		})
	}
}
