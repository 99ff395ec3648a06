package operators

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestParallelSubscribeFunc(t *testing.T) {
	var got []int
	ends := 0
	d := ParallelSubscribeFunc(t.Context(), Parallel(Range(0, 5), 2), func(v int) { got = append(got, v) }, OnComplete(func() { ends++ }))
	assert.Equal(t, []int{0, 1, 2, 3, 4}, got)
	assert.Equal(t, 2, ends, "once for each rail")
	assert.True(t, d.IsDisposed())
	ParallelSubscribeFunc[int](t.Context(), Parallel(Range(0, 5), 2), nil)
	assert.PanicsWithValue(t, "reactor: parallelSubscribe: the source is nil", func() { ParallelSubscribeFunc[int](t.Context(), nil, nil) })
	assert.PanicsWithValue(t, "reactor: parallelSubscribe: the context is nil", func() { ParallelSubscribeFunc(nil, Parallel(Range(0, 5), 2), nil) }) //lint:ignore SA1012 it is refused
}

func TestParallelSubscribeFuncErrors(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	var errs []error
	d := ParallelSubscribeFunc(ctx, Parallel(src, 3), nil, OnError(func(err error) { errs = append(errs, err) }))
	src.last().OnNext(1)
	assert.False(t, d.IsDisposed())
	src.last().OnError(errBoom)
	assert.Equal(t, []error{errBoom, errBoom, errBoom}, errs)
	assert.Empty(t, hooks.Errs)

	// A panic ends the rail; the others go on.
	errs = nil
	var got []int
	ParallelSubscribeFunc(ctx, Parallel(Range(0, 6), 2), func(v int) {
		if v == 0 {
			panic(errBoom)
		}
		got = append(got, v)
	}, OnError(func(err error) { errs = append(errs, err) }))
	assert.Equal(t, []int{1, 2, 3, 4, 5}, got)
	assert.Len(t, errs, 1)
	assert.ErrorIs(t, errs[0], errBoom)
}

func TestParallelSubscribeFuncIsDisposed(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	var ups []reactor.Subscription
	d := ParallelSubscribeFunc(t.Context(), ParallelFrom(DoOnCancel(a, runtime.Goexit), b), nil,
		OnSubscribe(func(up reactor.Subscription) { ups = append(ups, up) }))
	assert.Len(t, ups, 2)
	ups[0].Request(3)
	assert.EqualValues(t, 3, a.last().requested.Load())
	assert.Zero(t, b.last().requested.Load())
	racetest.Aside(d.Dispose)
	assert.EqualValues(t, 1, a.last().cancels.Load())
	assert.EqualValues(t, 1, b.last().cancels.Load())
	assert.True(t, d.IsDisposed())
}

func TestParallelSubscribeFuncWatchesTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		a, b := &puppet[int]{}, &puppet[int]{}
		errs := make(chan error, 2)
		ParallelSubscribeFunc(ctx, ParallelFrom[int](a, b), nil, OnError(func(err error) { errs <- err }))
		cancel(errBoom)
		synctest.Wait()
		assert.Equal(t, errBoom, <-errs)
		assert.Equal(t, errBoom, <-errs)
		assert.EqualValues(t, 1, a.last().cancels.Load())
		assert.EqualValues(t, 1, b.last().cancels.Load())
	})
}
