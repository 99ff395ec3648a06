package operators

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

func TestMonoDelayElement(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	p := run(MonoDelayElement(Just(1), 10, On(h)))
	h.forward(9)
	p.Open(t)
	h.forward(1)
	p.Done(t, 1)
	run(MonoDelayElement(Empty[int](), 10, On(h))).Done(t)
	run(MonoDelayElement(Error[int](errBoom), 10, On(h))).Failed(t, errBoom)
	assert.Zero(t, h.pending())

	p = runWith(ctx, MonoDelayElement(Just(2), 10, On(h)))
	p.Cancel()
	p.Cancel()
	assert.Zero(t, h.pending())
	assert.Equal(t, []any{2}, hooks.Discarded)

	h.refuse(schedulers.ErrUnavailable)
	p = runWith(ctx, MonoDelayElement(Just(3), 10, On(h)))
	p.Failed(t, reactor.ErrRejected)
	assert.Equal(t, []any{2, 3}, hooks.Discarded)
}

// A source that has ended is not cancelled.
func TestMonoDelayElementLeavesASourceAloneThatHasEnded(t *testing.T) {
	src, h := &puppet[int]{}, &handScheduler{}
	p := run(MonoDelayElement(src, 10, On(h)))
	src.last().OnNext(4)
	p.Cancel()
	assert.EqualValues(t, 1, src.last().cancels.Load(), "it may go on")
	p = run(MonoDelayElement(src, 10, On(h)))
	src.last().OnNext(5)
	src.last().OnComplete()
	p.Cancel()
	assert.Zero(t, src.last().cancels.Load())
	ctx, hooks := probe.Recorded()
	p = runWith(ctx, MonoDelayElement(src, 10, On(h)))
	src.last().OnNext(6)
	src.last().OnError(errBoom)
	p.Cancel()
	assert.Zero(t, src.last().cancels.Load())
	assert.Equal(t, []any{6}, hooks.Discarded)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

// What comes when the element has come already, or when nobody wants it any more, goes to the hooks.
func TestMonoDelayElementThatIsNotAlone(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, h := &puppet[int]{}, &handScheduler{}
	p := runWith(ctx, MonoDelayElement(src, 10, On(h)))
	src.last().OnNext(1)
	src.last().OnNext(2)
	src.last().OnError(errBoom)
	p.Open(t)
	h.forward(10)
	p.Done(t, 1)
	assert.Equal(t, []any{2}, hooks.Dropped)
	assert.Equal(t, []any{errBoom}, hooks.Errs)

	p = runWith(ctx, MonoDelayElement(src, 10, On(h)))
	src.last().OnComplete()
	src.last().OnNext(3)
	p.Done(t)
	assert.Equal(t, []any{2, 3}, hooks.Dropped)

	p = runWith(ctx, MonoDelayElement(src, 10, On(h)))
	p.Cancel()
	src.last().OnNext(4)
	assert.Zero(t, h.pending())
	p.Open(t)
	assert.Equal(t, []any{4}, hooks.Discarded)
}

// Who cancels within the element hears no more.
func TestMonoDelayElementCancelledWithinTheElement(t *testing.T) {
	h := &handScheduler{}
	p := probeOf[int](1)
	p.Each = func(int) { p.Cancel() }
	MonoDelayElement(Just(1), 10, On(h)).Subscribe(t.Context(), p)
	h.forward(10)
	p.Open(t, 1)
}

func TestDelaysRace(t *testing.T) {
	for name, stage := range map[string]func(src elements, h *handScheduler) elements{
		"elements": func(src elements, h *handScheduler) elements { return DelayElements(src, time.Second, On(h)) },
		"until": func(src elements, h *handScheduler) elements {
			return DelayUntil(src, func(e element) reactor.Publisher[int64] { return Delay(time.Duration(e.Number%2), On(h)) })
		},
		"element":  func(src elements, h *handScheduler) elements { return MonoDelayElement(src, time.Second, On(h)) },
		"sequence": func(src elements, h *handScheduler) elements { return DelaySequence(src, time.Second, On(h)) },
	} {
		t.Run(name, func(t *testing.T) { raceStage(t, 60, stage) })
	}
}
