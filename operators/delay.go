package operators

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
	"github.com/goreactor/reactor/schedulers"
)

// Delay emits 0 when d has passed since the subscription, and completes.
//
//	      Delay(3ms)
//	out:  --- 0 |
//
// The element waits for demand. It is emitted on the scheduler (schedulers.Parallel(),
// or see [On]), or on the goroutine of the first request if that comes later. A delay ≤
// 0 means as soon as possible. Cancellation stops the timer.
func Delay(d time.Duration, opts ...SchedulerOption) reactor.Publisher[int64] {
	return newDelay("delay", d, opts)
}

func newDelay(op string, d time.Duration, opts []SchedulerOption) *delayPublisher {
	p := &delayPublisher{delay: d}
	if len(opts) > 0 {
		p.scheduler = timerOf(op, opts)
	}
	return p
}

type delayPublisher struct {
	protocol.Op
	delay     time.Duration
	scheduler schedulers.Scheduler // nil: schedulers.Parallel() at subscription
}

func (p *delayPublisher) Subscribe(ctx context.Context, s reactor.Subscriber[int64]) {
	on := p.scheduler
	if on == nil {
		on = foreign.Scheduler(schedulers.Parallel())
	}
	sub := &delaySubscription{}
	sub.Ctx, sub.Down = ctx, protocol.Strict(ctx, s)
	defer func() { // also if downstream ends the goroutine
		if sub.IsOver() {
			return
		}
		task, err := on.ScheduleAfter(func(context.Context) { sub.Complete(0) }, p.delay)
		if err == nil {
			sub.timer.Replace(task)
		} else if sub.CancelOnce() {
			sub.Down.OnError(rejected(ctx, "delay", err, nil))
		}
	}()
	sub.Down.OnSubscribe(sub)
}

type delaySubscription struct {
	single.Slot[int64]
	timer reactor.SwapDisposable
}

func (s *delaySubscription) Cancel() {
	s.Slot.Cancel()
	s.timer.Dispose()
}
