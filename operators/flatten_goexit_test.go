package operators

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// mappingErrors returns a context whose hooks write down what they hear of, and mark the errors of functions.
func mappingErrors() (context.Context, *probe.Record) {
	ctx, record := probe.Recorded()
	return reactor.WithHooks(ctx, reactor.Hooks{
		Discard:      func(_ context.Context, v any) { record.Discarded = append(record.Discarded, v) },
		ErrorDropped: func(_ context.Context, err error) { record.Errs = append(record.Errs, err) },
		OperatorError: func(_ context.Context, err error, _ any) error {
			return fmt.Errorf("mapped: %w", err)
		},
	}), record
}

// The source hears, by what ends the goroutine, that an inner publisher has failed: the error comes with the end of that one.
func TestConcatMapBoundaryGoexitInTheCancellation(t *testing.T) {
	src, inner, p := &puppet[int]{}, &puppet[int]{}, probeOf[int](1)
	ConcatMap(DoOnCancel[int](src, runtime.Goexit), func(int) stream { return inner }, DelayErrorsToBoundary()).Subscribe(t.Context(), p)
	src.last().OnNext(0)
	racetest.Aside(func() { inner.last().OnError(errBoom) })
	p.Failed(t, errBoom)
}

// Nor does one that waits keep the error back if the hook for the others ends the goroutine.
func TestConcatMapGoexitInTheHookForAnErrorThatIsNotKept(t *testing.T) {
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(context.Context, error) { runtime.Goexit() }})
	src, inner, p := &puppet[int]{}, &puppet[int]{}, probeOf[int](1)
	ConcatMap(src, func(int) stream { return inner }, Prefetch(0), DelayErrors()).Subscribe(ctx, p)
	for range 2 {
		src.last().OnNext(0)
		racetest.Aside(func() { inner.last().OnError(errBoom) })
	}
	src.last().OnComplete()
	p.Failed(t, errBoom)
}

func TestSwitchMapQueuedGoexitInTheCancellation(t *testing.T) {
	src, inner, p := &puppet[int]{}, &puppet[int]{}, probeOf[int](1)
	SwitchMap(DoOnCancel[int](src, runtime.Goexit), func(int) stream { return inner }, Prefetch(2)).Subscribe(t.Context(), p)
	src.last().OnNext(0)
	racetest.Aside(p.Cancel)
	assert.EqualValues(t, 1, inner.last().cancels.Load())
}

// A publisher that is called fails, and what hears of the cancellation that this leads to ends the goroutine.
func TestFlatMapGoexitBehindTheFailureOfACall(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, p := &puppet[int]{}, probeOf[int](1)
	FlatMap(DoOnCancel[int](src, runtime.Goexit), func(int) stream { return Error[int](errBoom) }).Subscribe(ctx, p)
	racetest.Aside(func() { src.last().OnNext(7) })
	p.Failed(t, errBoom)
	assert.Equal(t, []any{7}, hooks.Discarded)
}

// What hears of a request that concatMap makes before it goes on to the next element ends the goroutine: that element is
// discarded, and the stream does not complete without it.
func TestConcatMapGoexitInARequestBesideAnElement(t *testing.T) {
	for name, opts := range map[string][]ConcatMapOption{
		"at once": {Prefetch(4)}, "boundary": {Prefetch(4), DelayErrorsToBoundary()}, "end": {Prefetch(4), DelayErrors()},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			inners, p := []*puppet[int]{{}, {}, {}, {}, {}, {}}, probeOf[int](reactor.Unbounded)
			src := DoOnRequest(Hide(Range(1, 5)), func(n int64) {
				if n == 3 {
					runtime.Goexit()
				}
			})
			ConcatMap(src, func(v int) stream { return inners[v] }, opts...).Subscribe(ctx, p)
			inners[1].last().OnComplete()
			racetest.Aside(inners[2].last().OnComplete)
			require.True(t, p.Over())
			assert.ErrorIs(t, p.Failure(), reactor.ErrGoexit)
			assert.Equal(t, []any{3, 4, 5}, hooks.Discarded)
			assert.Len(t, hooks.Errs, 1, "what hears of requests has no other way")
		})
	}
}

// An inner publisher that is asked within a pass ends the goroutine, and has told so: the stream ends with that, and nothing is
// reported besides.
func TestFlatMapGoexitOfAnInnerPublisherWithinAPass(t *testing.T) {
	for name, op := range map[string]stream{
		"flatMap": FlatMap(Hide(Just(0)), func(int) stream { return exitingAt(2) }, Prefetch(1)),
		"merge":   MergeSlice([]stream{exitingAt(2), Never[int]()}, Prefetch(1)),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := mappingErrors()
			p := probeOf[int](0)
			op.Subscribe(ctx, p)
			racetest.Aside(func() { p.Request(5) })
			assert.ErrorIs(t, p.Failure(), reactor.ErrGoexit)
			assert.ErrorContains(t, p.Failure(), "mapped: ")
			assert.Empty(t, hooks.Errs)
		})
	}
}

// A source that merge calls ends the goroutine: that fails the stream as any other failure of a source.
func TestMergeGoexitOfASourceThatIsCalled(t *testing.T) {
	ctx, hooks := mappingErrors()
	second, p := &puppet[int]{}, probeOf[int](reactor.Unbounded)
	exit := FromSupplier(func() int { runtime.Goexit(); return 0 })
	racetest.Aside(func() { Merge(exit, second).Subscribe(ctx, p) })
	assert.ErrorIs(t, p.Failure(), reactor.ErrGoexit)
	assert.ErrorContains(t, p.Failure(), "mapped: ")
	assert.Zero(t, second.count())
	assert.Empty(t, hooks.Errs)

	p = probeOf[int](reactor.Unbounded)
	racetest.Aside(func() { MergeSlice([]stream{exit, second}, DelayErrors()).Subscribe(ctx, p) })
	p.Open(t)
	second.last().OnComplete()
	assert.ErrorContains(t, p.Failure(), "mapped: ")
}

// More comes than was asked for, and what hears of the cancellation that this leads to ends the goroutine.
func TestFlattenersGoexitInTheCancellationOfAnOverflow(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, p := &flood{}, probeOf[int](0)
	racetest.Aside(func() {
		FlatMapSlice(DoOnCancel(From[int](src), runtime.Goexit), func(v int) []int { return []int{v} }, Prefetch(2)).Subscribe(ctx, p)
	})
	assert.ErrorIs(t, p.Failure(), reactor.ErrOverflow)
	assert.Contains(t, hooks.Discarded, src.sent[len(src.sent)-1])

	ctx, hooks = probe.Recorded()
	top, below, p := &puppet[int]{}, &puppet[int]{}, probeOf[int](2)
	ExpandDeep(DoOnCancel[int](top, runtime.Goexit), func(v int) stream {
		if v == 1 {
			return below
		}
		return Empty[int]()
	}).Subscribe(ctx, p)
	top.last().OnNext(1)
	top.last().OnNext(2)
	racetest.Aside(func() { top.last().OnNext(3) })
	below.last().OnComplete()
	p.Failed(t, reactor.ErrOverflow, 1, 2)
	assert.Equal(t, []any{3}, hooks.Discarded)
}

// The same where that element has come past the queue: what has come since is discarded, too.
func TestConcatMapGoexitInARequestPastTheQueue(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, p := &puppet[int]{}, probeOf[int](reactor.Unbounded)
	asked := DoOnRequest[int](src, func(n int64) {
		if n == 3 {
			src.last().OnNext(4)
			runtime.Goexit()
		}
	})
	ConcatMap(asked, func(int) stream { return Hide(Empty[int]()) }, Prefetch(4)).Subscribe(ctx, p)
	src.last().OnNext(1)
	src.last().OnNext(2)
	racetest.Aside(func() { src.last().OnNext(3) })
	assert.ErrorIs(t, p.Failure(), reactor.ErrGoexit)
	assert.Equal(t, []any{3, 4}, hooks.Discarded)
}
