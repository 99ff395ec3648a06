package schedulers

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
)

// Task is what schedulers run.
//
// Its context is the context of the task, not of a subscription. The context is
// cancelled with the cause [ErrTaskDisposed] when the task, its worker or its
// scheduler is disposed from outside while the task runs, and never because the task
// disposes itself. It carries the worker's name ([WorkerName]) and the mark of
// workers that must not block ([IsNonBlocking]). It ends with the task: don't hand it
// to code that outlives the task, and never to callbacks of a subscription, which
// have the context of their subscription.
type Task = func(ctx context.Context)

// Disposable is a handle on a scheduled task. Before the start of the task, Dispose
// takes it out of its queue at once; during the run, Dispose cancels the task's
// context (unless the task itself calls it); after that, Dispose does nothing.
// IsDisposed reports true once the task has ended or was disposed; for a periodic
// task, once it was disposed.
type Disposable = reactor.Disposable

// Scheduler decides where and when tasks run.
//
// Every method is safe for concurrent use. A refusal is an error returned by the
// call, always a [*RejectedError]; a refused task leaves no trace. A nil task
// panics. A panic of a task goes to the handlers of [OnHandleError] and never ends
// the scheduler.
//
// Programs may implement their own. Operators take a panic of one of its methods, other than
// Now, for a refusal, and one of a Dispose is reported as dropped.
type Scheduler interface {
	// Execute runs task as soon as possible. There is no handle, so nothing is
	// allocated. The tasks of two calls have no order between them; use a
	// [Worker] if they need one.
	Execute(task Task) error
	// Schedule is Execute with a handle.
	Schedule(task Task) (Disposable, error)
	// ScheduleAfter runs task when delay has passed since the call; a delay
	// ≤ 0 means Schedule. The start may be late, but is never early.
	ScheduleAfter(task Task, delay time.Duration) (Disposable, error)
	// SchedulePeriodically runs task at a fixed rate: run k is due at
	// initial + k·period, runs never overlap, late ones catch up back to
	// back. A period ≤ 0 runs it again as soon as the previous run has ended,
	// behind the tasks that came in the meantime. A run that panics is
	// reported and the series continues, unless [StopOnError] is given.
	SchedulePeriodically(task Task, initial, period time.Duration, opts ...PeriodicOption) (Disposable, error)
	// NewWorker returns a lane for tasks that must not overlap. It must be
	// disposed. On a disposed scheduler it returns a worker that refuses.
	NewWorker() Worker
	// Now returns the time of the scheduler's clock.
	Now() time.Time
	// Dispose refuses new tasks, drops the queued ones and cancels the
	// contexts of those that run. It does not wait for them, is idempotent and
	// cuts a graceful disposal short.
	Dispose()
	// DisposeGracefully refuses new tasks, cancels periodic ones, and waits until all
	// others have run, those with a delay at their time. If ctx ends first, it
	// returns context.Cause(ctx), and the tasks go on: another call waits again,
	// Dispose stops them. A nil ctx is an error, and nothing is disposed. A shared
	// scheduler returns [ErrShared] and goes on, see [Shutdown]. A task must not call
	// it on its own scheduler: it would wait for itself.
	DisposeGracefully(ctx context.Context, opts ...DisposeOption) error
	// IsDisposed reports true from the moment a disposal of either kind has
	// begun.
	IsDisposed() bool
	// Stats returns a snapshot of the scheduler's figures.
	Stats() Stats
}

// Worker is a lane of a scheduler: its tasks run one at a time, in the order of
// their due times, and of submission where those are equal. A delayed task that
// is overdue comes before a task submitted after it was due.
//
// A worker keeps its slot for life. Several workers may share a slot, each with its
// own order; disposing one worker does not touch the tasks of another.
type Worker interface {
	// Execute runs task after those submitted before. It is cancelled by the
	// worker's Dispose.
	Execute(task Task) error
	// Schedule is Execute with a handle.
	Schedule(task Task) (Disposable, error)
	// ScheduleAfter is as in [Scheduler], in the lane of this worker.
	ScheduleAfter(task Task, delay time.Duration) (Disposable, error)
	// SchedulePeriodically is as in [Scheduler], in the lane of this worker.
	SchedulePeriodically(task Task, initial, period time.Duration, opts ...PeriodicOption) (Disposable, error)
	// Dispose drops the worker's queued tasks, cancels the context of its
	// running one (unless that one is the caller) and gives the place back.
	// It is idempotent.
	Dispose()
	// IsDisposed reports whether Dispose was called; it says nothing about
	// the scheduler.
	IsDisposed() bool
}
