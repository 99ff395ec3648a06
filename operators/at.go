package operators

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
	"github.com/goreactor/reactor/schedulers"
)

// At emits an instant when that time comes, at once if it is past, and completes.
//
//	      At(noon)
//	out:  ------ noon |
//
// The time is compared with the clock of the scheduler (schedulers.Parallel(), or see
// [On]); after a jump of that clock, or after the machine was asleep, it takes up to 30
// seconds to notice. The element waits for demand. It is emitted on the scheduler, or
// on the goroutine of the first request if that comes later. Cancellation stops the
// timer.
func At(at time.Time, opts ...SchedulerOption) reactor.Publisher[time.Time] {
	p := &atPublisher{at: at}
	if len(opts) > 0 {
		p.scheduler = timerOf("at", opts)
	}
	return p
}

type atPublisher struct {
	protocol.Op
	at        time.Time
	scheduler schedulers.Scheduler // nil: schedulers.Parallel() at subscription
}

func (p *atPublisher) Subscribe(ctx context.Context, s reactor.Subscriber[time.Time]) {
	on := p.scheduler
	if on == nil {
		on = foreign.Scheduler(schedulers.Parallel())
	}
	sub := &atSubscription{at: p.at, clock: on, worker: on.NewWorker()}
	sub.Ctx, sub.Down = ctx, protocol.Strict(ctx, s)
	defer func() { // also if downstream ends the goroutine
		if !sub.IsOver() {
			sub.wait()
		}
	}()
	sub.Down.OnSubscribe(sub)
}

type atSubscription struct {
	single.Slot[time.Time]
	at     time.Time
	clock  schedulers.Scheduler
	worker schedulers.Worker
}

// wait schedules the next look at the clock.
func (s *atSubscription) wait() {
	now, ok := s.now()
	if !ok {
		return
	}
	d := min(max(0, s.at.Sub(now)), longestWait)
	if _, err := s.worker.ScheduleAfter(s.look, d); err != nil {
		s.refused(err)
	}
}

// now returns the time. If the clock, which may be one of the user, panics, the stream fails.
func (s *atSubscription) now() (now time.Time, ok bool) {
	ok = failure.Guard(func() { now = wallTime(s.clock) }, s.refused)
	return now, ok
}

// refused ends the stream because there is no timer, or no time.
func (s *atSubscription) refused(err error) {
	if s.CancelOnce() {
		s.worker.Dispose()
		s.Down.OnError(rejected(s.Ctx, "at", err, nil))
	}
}

func (s *atSubscription) look(context.Context) {
	now, ok := s.now()
	switch {
	case !ok:
		return
	case now.Before(s.at):
		s.wait()
		return
	}
	s.worker.Dispose()
	s.Complete(s.at)
}

func (s *atSubscription) Cancel() {
	s.Slot.Cancel()
	s.worker.Dispose()
}
