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
