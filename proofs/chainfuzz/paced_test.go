package chainfuzz

import (
	"context"
	"time"

	"github.com/goreactor/reactor/schedulers"
)

// pace is the shortest time between two runs of a periodic task: enough for what a run causes on
// another goroutine that gives way again and again while other chains run.
const pace = 200 * time.Microsecond

// paced is a scheduler whose periodic tasks leave time for others. The roster's have a period of a
// microsecond, which is made for a clock that stands still while they run: on a real one a run takes
// as long as that, and because late runs catch up, one pause is enough for a worker that never again
// gets to anything else.
type paced struct{ schedulers.Scheduler }

func (p paced) SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	return p.Scheduler.SchedulePeriodically(spaced(task), initial, max(period, pace), opts...)
}

func (p paced) NewWorker() schedulers.Worker { return pacedWorker{p.Scheduler.NewWorker()} }

// spaced leaves out the runs by which a task that was late catches up.
func spaced(task schedulers.Task) schedulers.Task {
	var last time.Time // end of the last run; runs do not overlap
	return func(ctx context.Context) {
		if time.Since(last) < pace/2 {
			return
		}
		defer func() { last = time.Now() }()
		task(ctx)
	}
}

// OnSystemClock reports whether time is that of the system.
func (p paced) OnSystemClock() bool {
	on, ok := p.Scheduler.(interface{ OnSystemClock() bool })
	return ok && on.OnSystemClock()
}

type pacedWorker struct{ schedulers.Worker }

func (p pacedWorker) SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	return p.Worker.SchedulePeriodically(spaced(task), initial, max(period, pace), opts...)
}
