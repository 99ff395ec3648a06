package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/timers"
	"github.com/goreactor/reactor/schedulers"
)

// slidingTimer is the timer of a stage that waits again and again, each time for the same
// delay at most. A new wait only notes when it would end. The one task that is scheduled
// comes at the end of an old wait, finds that there is a later one, and schedules
// the task for the rest: one task for each delay that passes, however many waits there
// are, and nothing allocated for a wait.
//
// Among tasks that are due at the very same time, the task has the place of the time when
// it was scheduled, not of the time when the wait began. So a slidingTimer is for
// schedulers on the clock of the system, see [canLag], where nobody can tell the
// difference.
type slidingTimer struct {
	op    string
	ctx   context.Context
	on    schedulers.Scheduler
	delay time.Duration
	to    triggered
	task  schedulers.Task // wakes
	base  time.Time       // times are nanoseconds since then

	// index is the number of the wait. The stage moves it on before the element that it
	// waited for goes downstream; it is negative when the stage waits no more.
	index *atomic.Int64
	// limit owns the task.
	limit *protocol.Handle

	due     atomic.Int64 // when the wait ends, 0 before the first one; written before begun
	begun   atomic.Int64 // number of the latest wait that has begun
	about   atomic.Bool  // a task is scheduled, or runs, or is about to be scheduled
	ordinal atomic.Int64 // of the latest task
}

// canLag reports whether s, which may be nil, keeps the time of the system.
func canLag(s schedulers.Scheduler) bool {
	on, ok := s.(interface{ OnSystemClock() bool })
	return ok && on.OnSystemClock()
}

func newSlidingTimer(
	op string, ctx context.Context, on schedulers.Scheduler, delay time.Duration,
	to triggered, index *atomic.Int64, limit *protocol.Handle,
) *slidingTimer {
	l := &slidingTimer{op: op, ctx: ctx, on: on, delay: delay, to: to, base: time.Now(), index: index, limit: limit}
	l.task = func(context.Context) { l.wake() }
	return l
}

func (l *slidingTimer) now() int64 { return int64(time.Since(l.base)) }

// first begins the wait with the number 0, unless a later one has begun meanwhile, on
// another goroutine.
func (l *slidingTimer) first() {
	if l.due.CompareAndSwap(0, timers.Later(l.now(), l.delay)) {
		l.ensure(0)
	}
}

// next begins the wait with the given number. One call at a time.
func (l *slidingTimer) next(id int64) {
	l.due.Store(timers.Later(l.now(), l.delay))
	chaos.Yield()
	l.begun.Store(id)
	l.ensure(id)
}

// ensure makes sure that there is a task, or fails the wait because the task is
// refused.
func (l *slidingTimer) ensure(id int64) {
	if !l.about.Load() && l.about.CompareAndSwap(false, true) || l.on.IsDisposed() {
		l.schedule(id, l.delay)
	}
}

// schedule reports whether there is a task now; if not, the wait with the given number has failed.
func (l *slidingTimer) schedule(id int64, d time.Duration) bool {
	n := l.ordinal.Add(1)
	timer, err := l.on.ScheduleAfter(l.task, d)
	if err != nil {
		l.to.failed(id, rejected(l.ctx, l.op, err, nil))
		return false
	}
	l.limit.Set(n, timer)
	return true
}

// wake ends the wait if it is time.
func (l *slidingTimer) wake() {
	for {
		id := l.begun.Load()
		chaos.Yield()
		due := l.due.Load()
		chaos.Yield()
		switch n := l.index.Load(); {
		case n < 0:
			return
		case n == id:
			// due is that of id: the next one is noted after index has moved on.
			if left := due - l.now(); left <= 0 {
				l.to.fired(id)
			} else if l.schedule(id, time.Duration(left)) {
				return
			}
			// What has failed may have been over already: then the next wait counts on this task.
		default:
			// The stage is busy with what it waited for. Either its next wait finds that
			// there is no task, or we find that wait.
			l.about.Store(false)
			chaos.Yield()
			if l.begun.Load() != l.index.Load() || !l.about.CompareAndSwap(false, true) {
				return
			}
		}
	}
}
