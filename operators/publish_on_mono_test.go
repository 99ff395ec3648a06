package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

func TestMonoPublishOnDelivers(t *testing.T) {
	h := &handScheduler{}
	p := run(MonoPublishOn(Just(1), h))
	p.assertOpen(t)
	h.run()
	p.assertCompleted(t, 1)
	p = run(MonoPublishOn(Empty[int](), h))
	p.assertOpen(t)
	h.run()
	p.assertCompleted(t)
	p = run(MonoPublishOn(Error[int](errBoom), h))
	h.run()
	p.assertFailed(t, errBoom)
}

func TestMonoPublishOnPassesDemand(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[int](0)
	MonoPublishOn(src, h).Subscribe(context.Background(), p)
	assert.Zero(t, src.last().requests.Load())
	p.request(1)
	assert.EqualValues(t, 1, src.last().requested.Load())
}

func TestMonoPublishOnCancel(t *testing.T) {
	ctx, hooks := recordHooks()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, MonoPublishOn(src, h))
	src.last().OnNext(1)
	p.cancel()
	p.cancel()
	h.run()
	p.assertOpen(t)
	assert.Equal(t, []any{1}, hooks.discarded)
	assert.EqualValues(t, 1, src.last().cancels.Load())

	p = runWith(ctx, MonoPublishOn(src, h))
	p.cancel()
	src.last().OnNext(2)
	src.last().OnNext(3)
	p.assertOpen(t)
	accounted(t, p, hooks, 1, 2, 3)
}

func TestMonoPublishOnCancelWithinOnNextSuppressesCompletion(t *testing.T) {
	h := &handScheduler{}
	p := probeOf[int](1)
	p.onNext = func(int) { p.cancel() }
	MonoPublishOn(Just(1), h).Subscribe(context.Background(), p)
	h.run()
	p.assertOpen(t, 1)
}

func TestMonoPublishOnRejected(t *testing.T) {
	ctx, hooks := recordHooks()
	h := &handScheduler{}
	h.refuse(schedulers.ErrCapacity)
	p := runWith(ctx, MonoPublishOn(Just(1), h))
	p.assertFailed(t, reactor.ErrRejected)
	assert.Equal(t, []any{1}, hooks.discarded)
	p = runWith(ctx, MonoPublishOn(Empty[int](), h))
	p.assertFailed(t, reactor.ErrRejected)
	p = runWith(ctx, MonoPublishOn(Error[int](errBoom), h))
	p.assertFailed(t, reactor.ErrRejected)
	assert.Equal(t, []any{errBoom}, hooks.droppedErrors)
}

func TestMonoPublishOnPanicDownstream(t *testing.T) {
	ctx, hooks := recordHooks()
	h := &handScheduler{}
	p := runWith(ctx, Map(MonoPublishOn(Just(1), h), func(int) int { panic(errBoom) }))
	h.run()
	p.assertFailed(t, errBoom)
	assert.Equal(t, []any{1}, hooks.discarded)
}
