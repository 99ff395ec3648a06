package reactortest

import (
	"context"
	"fmt"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

// lane is what tasks belong to: a scheduler on the clock, or a worker of one. All
// lanes of a clock share its order, so that each of them is first in, first out.
type lane struct {
	clock  *clock // immutable
	parent *lane  // the scheduler of a worker, the clock's own lane of another scheduler; immutable
	worker bool   // immutable

	closing bool      // refuses tasks; guarded by clock.mu
	tasks   laneTasks // guarded by clock.mu
}

var (
	_ schedulers.Scheduler = (*VirtualTime)(nil)
	_ schedulers.Scheduler = (*lane)(nil)
	_ schedulers.Worker    = (*lane)(nil)
)

// within reports whether l is outer or below it.
func (l *lane) within(outer *lane) bool {
	for ; l != nil; l = l.parent {
		if l == outer {
			return true
		}
	}
	return false
}

// closed reports whether l refuses tasks. The caller holds clock.mu.
func (l *lane) closed() bool {
	for ; l != nil; l = l.parent {
		if l.closing {
			return true
		}
	}
	return false
}

// refusal returns the error for a task that comes too late. The caller holds
// clock.mu.
func (l *lane) refusal() error {
	l.clock.rejected++
	if l.worker && l.closing {
		return &schedulers.RejectedError{Reason: schedulers.WorkerDisposed}
	}
	return &schedulers.RejectedError{Reason: schedulers.Disposed}
}

// submit queues t under the key that is due after delay; without a delay, under
// the key 0, which is the earliest, and that of the epoch.
func (l *lane) submit(op string, t *virtualTask, task schedulers.Task, delay time.Duration) (schedulers.Disposable, error) {
	if task == nil {
		panic("reactortest: " + op + ": task is nil")
	}
	t.task = schedulers.OnSchedule(task)
	t.lane = l
	t.index = -1
	c := l.clock
	c.mu.Lock()
	if l.closed() {
		defer c.mu.Unlock()
		return nil, l.refusal()
	}
	if delay != immediately {
		t.key = addTime(c.now, max(delay, 0))
		t.first = t.key
	}
	c.push(t)
	c.mu.Unlock()
	c.drain()
	return t, nil
}

const immediately time.Duration = -1 << 63

// Execute runs task before every timed one.
func (l *lane) Execute(task schedulers.Task) error {
	_, err := l.submit("Execute", &virtualTask{}, task, immediately)
	return err
}

// Schedule is Execute with a handle.
func (l *lane) Schedule(task schedulers.Task) (schedulers.Disposable, error) {
	return l.submit("Schedule", &virtualTask{}, task, immediately)
}

// ScheduleAfter runs task when the clock has moved by delay; a delay ≤ 0 means
// now, behind what was scheduled for now before, see [VirtualTime].
func (l *lane) ScheduleAfter(task schedulers.Task, delay time.Duration) (schedulers.Disposable, error) {
	return l.submit("ScheduleAfter", &virtualTask{}, task, max(delay, 0))
}

// SchedulePeriodically runs task when the clock has moved by initial and again
// after every period. A period ≤ 0 runs it again and again without the clock
// moving, until it is disposed.
func (l *lane) SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	t := &virtualTask{periodic: true, period: period, stopOnError: schedulers.StopsOnError(opts...)}
	return l.submit("SchedulePeriodically", t, task, max(initial, 0))
}

// NewWorker returns a lane of its own on the same clock.
func (l *lane) NewWorker() schedulers.Worker { return &lane{clock: l.clock, parent: l, worker: true} }

// Dispose refuses new tasks, drops the queued ones and cancels the context of the
// running one, unless that one is the caller. The clock still moves.
func (l *lane) Dispose() {
	c := l.clock
	c.mu.Lock()
	l.closing = true
	l.drop(func(*virtualTask) bool { return true })
	cancel := noCancel
	if t := c.running; t != nil && t.lane.within(l) {
		cancel = c.stop(t)
	}
	c.tellWaiters()
	c.mu.Unlock()
	cancel(schedulers.ErrTaskDisposed)
}

// drop takes the tasks of l and below that match out of the queue. The caller
// holds clock.mu.
func (l *lane) drop(match func(*virtualTask) bool) {
	var matching []*virtualTask // before the first removal, which moves the others about
	l.eachTask(func(t *virtualTask) {
		if match(t) {
			matching = append(matching, t)
		}
	})
	for _, t := range matching {
		l.clock.drop(t)
	}
}

// errNoContext is that of a graceful disposal whose end nobody can tell.
var errNoContext = fmt.Errorf("reactortest: the context is nil: %w", reactor.ErrIllegalArgument)

// DisposeGracefully refuses new tasks, ends periodic ones, and waits until the
// clock has moved so far that all others have run. Somebody else must move it.
func (l *lane) DisposeGracefully(ctx context.Context, opts ...schedulers.DisposeOption) error {
	if ctx == nil {
		return errNoContext // and nothing is disposed
	}
	dropDelayed := schedulers.DropsDelayed(opts...)
	c := l.clock
	c.mu.Lock()
	l.closing = true
	l.drop(func(t *virtualTask) bool { return t.periodic || dropDelayed && t.key > c.now })
	w := waiter{l, make(chan struct{})}
	c.waiters = append(c.waiters, w)
	c.tellWaiters()
	c.mu.Unlock()
	select {
	case <-w.done:
		return nil
	default:
	}
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// IsDisposed reports whether a disposal has begun; that of its scheduler is none
// of a worker's.
func (l *lane) IsDisposed() bool {
	l.clock.mu.Lock()
	defer l.clock.mu.Unlock()
	if l.worker {
		return l.closing
	}
	return l.closed()
}

// Now returns the time of the clock.
func (l *lane) Now() time.Time { return l.clock.time() }

// IsVirtual reports whether a test moves the time, and waits for what is due: nothing of it may happen elsewhere.
func (l *lane) IsVirtual() bool { return true }

// Stats returns the figures of the clock, whichever of its schedulers is asked.
func (l *lane) Stats() schedulers.Stats {
	c := l.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	st := schedulers.Stats{
		Kind: "virtualTime", Name: "virtualTime", Disposed: l.closed(), Workers: 1, Capacity: 1,
		Queued: len(c.queue), Completed: c.ended, Dropped: c.dropped, Rejected: c.rejected,
		QueueCapacity: schedulers.Unlimited, Remaining: schedulers.Unlimited,
	}
	for _, t := range c.queue {
		if t.key > c.now {
			st.Delayed++
		}
	}
	if c.running != nil {
		st.Running = 1
	}
	if st.Queued+st.Running > 0 {
		st.Busy = 1
	} else {
		st.Idle = 1
	}
	return st
}
