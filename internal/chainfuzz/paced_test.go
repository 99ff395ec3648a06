package chainfuzz

import (
	"time"

	"github.com/goreactor/reactor/schedulers"
)

// pace is the shortest time between two runs of a periodic task.
const pace = 50 * time.Microsecond

// paced is a scheduler whose periodic tasks leave time for others. The roster's have a period of a
// microsecond, which is made for a clock that stands still while they run: on a real one a run takes
// as long as that, and because late runs catch up, one pause is enough for a worker that never again
// gets to anything else.
type paced struct{ schedulers.Scheduler }

func (p paced) SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	return p.Scheduler.SchedulePeriodically(task, initial, max(period, pace), opts...)
}

func (p paced) NewWorker() schedulers.Worker { return pacedWorker{p.Scheduler.NewWorker()} }

// OnSystemClock reports whether time is that of the system.
func (p paced) OnSystemClock() bool {
	on, ok := p.Scheduler.(interface{ OnSystemClock() bool })
	return ok && on.OnSystemClock()
}

type pacedWorker struct{ schedulers.Worker }

func (p pacedWorker) SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	return p.Worker.SchedulePeriodically(task, initial, max(period, pace), opts...)
}
