package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
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
	p.Request(2)
	assert.EqualValues(t, 1, up.requested.Load())
	up.OnNext(1)
	h.forward(9)
	p.Open(t)
	h.forward(1)
	p.Open(t, 1)
	assert.EqualValues(t, 2, up.requested.Load())
	up.OnNext(2)
	h.forward(10)
	assert.EqualValues(t, 3, up.requested.Load())
	up.OnNext(3)
	up.OnComplete()
	h.forward(10)
	p.Open(t, 1, 2)
	p.Request(1)
	p.Done(t, 1, 2, 3)
}

func TestDelayElementsErrorCutsIn(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, DelayElements(src, 10, On(h)))
	src.last().OnNext(1)
	src.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.Zero(t, h.pending())
	accounted(t, p, hooks, 1)
}

func TestDelayElementsCancel(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, DelayElements(src, 10, On(h)))
	src.last().OnNext(1)
	p.Cancel()
	assert.Zero(t, h.pending())
	src.last().OnNext(2)
	src.last().OnError(errBoom)
	p.Open(t)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	accounted(t, p, hooks, 1, 2)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

func TestDelayElementsRejected(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	h.refuse(schedulers.ErrUnavailable)
	p := runWith(ctx, DelayElements(Range(1, 3), 10, On(h)))
	p.Failed(t, reactor.ErrRejected)
	accounted(t, p, hooks, 1)
}

func TestDelayElementsSynchronousSourceKeepsTheStackFlat(t *testing.T) {
	h := &handScheduler{}
	p := run(DelayElements(Range(0, 10_000), 0, On(h)))
	h.run()
	p.Done(t, numbers(10_000)...)
	n := racetest.Steps(100_000)
	p = run(DelayUntil(Range(0, n), func(int) reactor.Publisher[int] { return Empty[int]() }))
	p.Done(t, numbers(n)...)
}

func TestDelayUntil(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	triggers := map[int]*puppet[string]{1: {}, 2: {}}
	p := runWith(ctx, DelayUntil(src, func(v int) reactor.Publisher[string] { return triggers[v] }))
	src.last().OnNext(1)
	assert.Equal(t, reactor.Unbounded, triggers[1].last().requested.Load())
	triggers[1].last().OnNext("not yet")
	p.Open(t)
	assert.Equal(t, []any{"not yet"}, hooks.Discarded)
	triggers[1].last().OnComplete()
	p.Open(t, 1)
	src.last().OnNext(2)
	src.last().OnComplete()
	triggers[2].last().OnError(errBoom)
	p.Failed(t, errBoom, 1)
	assert.Equal(t, []any{"not yet", 2}, hooks.Discarded)
}

// An element that was asked for has its turn before an error of src that follows it.
func TestDelayUntilTakesAnElementBeforeTheErrorBehindIt(t *testing.T) {
	start := func(demand int64, fn func(int) reactor.Publisher[int]) (*probe.Probe[int], *puppet[int], *probe.Record) {
		first := &puppet[int]{}
		ctx, hooks := probe.Recorded()
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
			p.Failed(t, errBoom, 0, 1)
			p, _, hooks := start(1, fn)
			p.Failed(t, errBoom, 0)
			assert.Contains(t, hooks.Discarded, 1)
		})
	}
	t.Run("still waited for", func(t *testing.T) {
		second := &puppet[int]{}
		p, _, hooks := start(2, func(int) reactor.Publisher[int] { return second })
		p.Failed(t, errBoom, 0)
		assert.EqualValues(t, 1, second.last().cancels.Load())
		assert.Equal(t, []any{1}, hooks.Discarded)
	})
}

func TestDelayUntilFunctionPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, DelayUntil(src, func(int) reactor.Publisher[int] { panic(errBoom) }))
	src.last().OnNext(1)
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	accounted(t, p, hooks, 1)
}

func TestDelayUntilDownstreamPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, Map(DelayUntil(src, func(int) reactor.Publisher[int] { return Empty[int]() }), func(int) int { panic(errBoom) }))
	src.last().OnNext(1)
	p.Failed(t, errBoom)
	accounted(t, p, hooks, 1)
}

func TestDelayUntilSourceThatSendsTooMuch(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, DelayUntil(src, func(int) reactor.Publisher[int] { return Never[int]() }))
	for i := range 4 {
		src.last().OnNext(i)
	}
	p.Cancel()
	accounted(t, p, hooks, 0, 1, 2, 3)
}

// answering is a source that sends one element for each request, on another goroutine and before the request returns.
type answering struct {
	protocol.Op
	s    reactor.Subscriber[int]
	sent int
	last uintptr // the goroutine of the latest element
}

func (a *answering) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	a.s = s
	s.OnSubscribe(a)
}

func (a *answering) Request(int64) {
	racetest.Aside(func() {
		a.sent++
		a.last = goid.Current()
		a.s.OnNext(a.sent)
	})
}

func (a *answering) Cancel() {}

func TestDelayUntilCallsItsFunctionWhereTheElementBeforeHasGoneDown(t *testing.T) {
	src, each := &answering{}, &allPuppets[int]{}
	var on []uintptr
	p := run(DelayUntil(src, func(v int) reactor.Publisher[int] {
		on = append(on, goid.Current())
		return each.fn(v)
	}))
	assert.Equal(t, []uintptr{src.last}, on)
	each.at(0).OnComplete()
	p.Open(t, 1)
	assert.Equal(t, goid.Current(), on[1])
}
