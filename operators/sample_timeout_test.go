package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

func TestSampleTimeoutFor(t *testing.T) {
	ctx, hooks := recordHooks()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, SampleTimeoutFor(src, 10, On(h)))
	up := src.last()
	up.OnNext(1)
	h.forward(9)
	up.OnNext(2)
	assert.Equal(t, 1, h.pending())
	h.forward(9)
	p.assertOpen(t)
	h.forward(1)
	p.assertOpen(t, 2)
	up.OnNext(3)
	up.OnNext(4)
	up.OnComplete()
	p.assertCompleted(t, 2, 4)
	assert.Zero(t, h.pending())
	accounted(t, p, hooks, 1, 2, 3, 4)
}

func TestSampleTimeout(t *testing.T) {
	ctx, hooks := recordHooks()
	src := &puppet[int]{}
	triggers := map[int]*puppet[string]{1: {}, 2: {}, 3: {}}
	p := runWith(ctx, SampleTimeout(src, func(v int) reactor.Publisher[string] { return triggers[v] }))
	src.last().OnNext(1)
	src.last().OnNext(2)
	assert.EqualValues(t, 1, triggers[1].last().cancels.Load())
	triggers[1].last().OnNext("late")
	p.assertOpen(t)
	triggers[2].last().OnComplete()
	p.assertOpen(t, 2)
	src.last().OnNext(3)
	triggers[3].last().OnError(errBoom)
	p.assertFailed(t, errBoom, 2)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(4)
	accounted(t, p, hooks, 1, 2, 3, 4)
}

func TestSampleTimeoutWithoutDemand(t *testing.T) {
	ctx, hooks := recordHooks()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[int](0)
	SampleTimeoutFor(src, 10, On(h)).Subscribe(ctx, p)
	src.last().OnNext(1)
	h.forward(10)
	p.assertFailed(t, reactor.ErrOverflow)
	accounted(t, p, hooks, 1)
}

func TestSampleTimeoutFails(t *testing.T) {
	ctx, hooks := recordHooks()
	src := &puppet[int]{}
	p := runWith(ctx, SampleTimeout(src, func(int) reactor.Publisher[int] { return Never[int]() }))
	src.last().OnNext(1)
	src.last().OnError(errBoom)
	p.assertFailed(t, errBoom)
	assert.Equal(t, []any{1}, hooks.discarded)
	run(SampleTimeout(Range(1, 3), func(int) reactor.Publisher[int] { panic(errBoom) })).assertFailed(t, errBoom)
	run(Map(SampleTimeout(Range(1, 3), func(int) reactor.Publisher[int] { return Never[int]() }), func(int) int { panic(errBoom) })).
		assertFailed(t, errBoom)
	h := &handScheduler{}
	h.refuse(schedulers.ErrUnavailable)
	p = runWith(ctx, SampleTimeoutFor(Just(2), 10, On(h)))
	p.assertFailed(t, reactor.ErrRejected)
	assert.Equal(t, []any{1, 2}, hooks.discarded)
}
