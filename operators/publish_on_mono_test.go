package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

func TestMonoPublishOnDelivers(t *testing.T) {
	h := &handScheduler{}
	p := run(MonoPublishOn(Just(1), h))
	p.Open(t)
	h.run()
	p.Done(t, 1)
	p = run(MonoPublishOn(Empty[int](), h))
	p.Open(t)
	h.run()
	p.Done(t)
	p = run(MonoPublishOn(Error[int](errBoom), h))
	h.run()
	p.Failed(t, errBoom)
}

func TestMonoPublishOnPassesDemand(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[int](0)
	MonoPublishOn(src, h).Subscribe(context.Background(), p)
	assert.Zero(t, src.last().requests.Load())
	p.Request(1)
	assert.EqualValues(t, 1, src.last().requested.Load())
}

func TestMonoPublishOnCancel(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, MonoPublishOn(src, h))
	src.last().OnNext(1)
	p.Cancel()
	p.Cancel()
	h.run()
	p.Open(t)
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.EqualValues(t, 1, src.last().cancels.Load())

	p = runWith(ctx, MonoPublishOn(src, h))
	p.Cancel()
	src.last().OnNext(2)
	src.last().OnNext(3)
	p.Open(t)
	accounted(t, p, hooks, 1, 2, 3)
}

func TestMonoPublishOnCancelWithinOnNextSuppressesCompletion(t *testing.T) {
	h := &handScheduler{}
	p := probeOf[int](1)
	p.Each = func(int) { p.Cancel() }
	MonoPublishOn(Just(1), h).Subscribe(context.Background(), p)
	h.run()
	p.Open(t, 1)
}

func TestMonoPublishOnRejected(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	h.refuse(schedulers.ErrCapacity)
	p := runWith(ctx, MonoPublishOn(Just(1), h))
	p.Failed(t, reactor.ErrRejected)
	assert.Equal(t, []any{1}, hooks.Discarded)
	p = runWith(ctx, MonoPublishOn(Empty[int](), h))
	p.Failed(t, reactor.ErrRejected)
	p = runWith(ctx, MonoPublishOn(Error[int](errBoom), h))
	p.Failed(t, reactor.ErrRejected)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

func TestMonoPublishOnPanicDownstream(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	p := runWith(ctx, Map(MonoPublishOn(Just(1), h), func(int) int { panic(errBoom) }))
	h.run()
	p.Failed(t, errBoom)
	assert.Equal(t, []any{1}, hooks.Discarded)
}
