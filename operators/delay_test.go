package operators

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

func TestMonoDelayElement(t *testing.T) {
	ctx, hooks := recordHooks()
	h := &handScheduler{}
	p := run(MonoDelayElement(Just(1), 10, On(h)))
	h.forward(9)
	p.assertOpen(t)
	h.forward(1)
	p.assertCompleted(t, 1)
	run(MonoDelayElement(Empty[int](), 10, On(h))).assertCompleted(t)
	run(MonoDelayElement(Error[int](errBoom), 10, On(h))).assertFailed(t, errBoom)
	assert.Zero(t, h.pending())

	p = runWith(ctx, MonoDelayElement(Just(2), 10, On(h)))
	p.cancel()
	p.cancel()
	assert.Zero(t, h.pending())
	assert.Equal(t, []any{2}, hooks.discarded)

	h.refuse(schedulers.ErrUnavailable)
	p = runWith(ctx, MonoDelayElement(Just(3), 10, On(h)))
	p.assertFailed(t, reactor.ErrRejected)
	assert.Equal(t, []any{2, 3}, hooks.discarded)
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
