package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

func TestDelayElements(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[int](0)
	DelayElements(src, 10, On(h)).Subscribe(context.Background(), p)
	up := src.last()
	assert.Zero(t, up.requested.Load(), "nothing asked, nothing requested")
	p.request(2)
	assert.EqualValues(t, 1, up.requested.Load())
	up.OnNext(1)
	h.forward(9)
	p.assertOpen(t)
	h.forward(1)
	p.assertOpen(t, 1)
	assert.EqualValues(t, 2, up.requested.Load())
	up.OnNext(2)
	h.forward(10)
	assert.EqualValues(t, 3, up.requested.Load())
	up.OnNext(3)
	up.OnComplete()
	h.forward(10)
	p.assertOpen(t, 1, 2)
	p.request(1)
	p.assertCompleted(t, 1, 2, 3)
}

func TestDelayElementsErrorCutsIn(t *testing.T) {
	ctx, hooks := recordHooks()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, DelayElements(src, 10, On(h)))
	src.last().OnNext(1)
	src.last().OnError(errBoom)
	p.assertFailed(t, errBoom)
	assert.Zero(t, h.pending())
	accounted(t, p, hooks, 1)
}

func TestDelayElementsCancel(t *testing.T) {
	ctx, hooks := recordHooks()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, DelayElements(src, 10, On(h)))
	src.last().OnNext(1)
	p.cancel()
	assert.Zero(t, h.pending())
	src.last().OnNext(2)
	src.last().OnError(errBoom)
	p.assertOpen(t)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	accounted(t, p, hooks, 1, 2)
	assert.Equal(t, []any{errBoom}, hooks.droppedErrors)
}

func TestDelayElementsRejected(t *testing.T) {
	ctx, hooks := recordHooks()
	h := &handScheduler{}
	h.refuse(schedulers.ErrUnavailable)
	p := runWith(ctx, DelayElements(Range(1, 3), 10, On(h)))
	p.assertFailed(t, reactor.ErrRejected)
	accounted(t, p, hooks, 1)
}

func TestDelayElementsSynchronousSourceKeepsTheStackFlat(t *testing.T) {
	h := &handScheduler{}
	p := run(DelayElements(Range(0, 10_000), 0, On(h)))
	h.run()
	p.assertCompleted(t, numbers(10_000)...)
	n := racetest.Steps(100_000)
	p = run(DelayUntil(Range(0, n), func(int) reactor.Publisher[int] { return Empty[int]() }))
	p.assertCompleted(t, numbers(n)...)
}

func TestDelayUntil(t *testing.T) {
	ctx, hooks := recordHooks()
	src := &puppet[int]{}
	triggers := map[int]*puppet[string]{1: {}, 2: {}}
	p := runWith(ctx, DelayUntil(src, func(v int) reactor.Publisher[string] { return triggers[v] }))
	src.last().OnNext(1)
	assert.Equal(t, reactor.Unbounded, triggers[1].last().requested.Load())
	triggers[1].last().OnNext("not yet")
	p.assertOpen(t)
	assert.Equal(t, []any{"not yet"}, hooks.discarded)
	triggers[1].last().OnComplete()
	p.assertOpen(t, 1)
	src.last().OnNext(2)
	src.last().OnComplete()
	triggers[2].last().OnError(errBoom)
	p.assertFailed(t, errBoom, 1)
	assert.Equal(t, []any{"not yet", 2}, hooks.discarded)
}

// An element that was asked for has its turn before an error of src that follows it.
func TestDelayUntilTakesAnElementBeforeTheErrorBehindIt(t *testing.T) {
	start := func(demand int64, fn func(int) reactor.Publisher[int]) (*probe[int], *puppet[int], *hookRecord) {
		first := &puppet[int]{}
		ctx, hooks := recordHooks()
		p := probeOf[int](demand)
		DelayUntil(failing(0, 1), func(n int) reactor.Publisher[int] {
			if n == 0 {
				return first
			}
			return fn(n)
		}).Subscribe(ctx, p)
		first.last().OnComplete()
		return p, first, hooks
	}
	for name, fn := range map[string]func(int) reactor.Publisher[int]{"just": Just[int], "subscribed": hiddenTens} {
		t.Run(name, func(t *testing.T) {
			p, _, _ := start(2, fn)
			p.assertFailed(t, errBoom, 0, 1)
			p, _, hooks := start(1, fn)
			p.assertFailed(t, errBoom, 0)
			assert.Contains(t, hooks.discarded, 1)
		})
	}
	t.Run("still waited for", func(t *testing.T) {
		second := &puppet[int]{}
		p, _, hooks := start(2, func(int) reactor.Publisher[int] { return second })
		p.assertFailed(t, errBoom, 0)
		assert.EqualValues(t, 1, second.last().cancels.Load())
		assert.Equal(t, []any{1}, hooks.discarded)
	})
}

func TestDelayUntilFunctionPanics(t *testing.T) {
	ctx, hooks := recordHooks()
	src := &puppet[int]{}
	p := runWith(ctx, DelayUntil(src, func(int) reactor.Publisher[int] { panic(errBoom) }))
	src.last().OnNext(1)
	p.assertFailed(t, errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	accounted(t, p, hooks, 1)
}

func TestDelayUntilDownstreamPanics(t *testing.T) {
	ctx, hooks := recordHooks()
	src := &puppet[int]{}
	p := runWith(ctx, Map(DelayUntil(src, func(int) reactor.Publisher[int] { return Empty[int]() }), func(int) int { panic(errBoom) }))
	src.last().OnNext(1)
	p.assertFailed(t, errBoom)
	accounted(t, p, hooks, 1)
}

func TestDelayUntilSourceThatSendsTooMuch(t *testing.T) {
	ctx, hooks := recordHooks()
	src := &puppet[int]{}
	p := runWith(ctx, DelayUntil(src, func(int) reactor.Publisher[int] { return Never[int]() }))
	for i := range 4 {
		src.last().OnNext(i)
	}
	p.cancel()
	accounted(t, p, hooks, 0, 1, 2, 3)
}
