package executors

import (
	"context"
	"time"
)

// Task is the function that executors run. The context belongs to the run: it ends
// when the executor is stopped by force, and it has the values of the context that
// was passed to Execute. It may end with the run: so pass another context, such as
// [context.WithoutCancel] of it, to what a task submits for later, which is otherwise
// cancelled when the task returns.
type Task = func(ctx context.Context)

// Executor runs tasks, each at most once.
type Executor interface {
	// Execute accepts task or returns an error that says why not. It does not
	// wait for the task, except for executors that run it in the caller.
	//
	// The values of ctx are visible to the task. If ctx is done before the
	// task has started, the executor may refuse or skip it.
	Execute(ctx context.Context, task Task) error
}

// Service is an Executor that can be stopped.
type Service interface {
	Executor
	// Shutdown refuses new tasks from now on; accepted ones are still run.
	// It does not wait and is idempotent.
	Shutdown()
	// ShutdownNow refuses new tasks, ends the contexts of running ones and
	// returns the accepted tasks that will not be run any more.
	ShutdownNow() []Task
	// AwaitTermination waits after a shutdown until the last task has
	// returned; it returns context.Cause(ctx) if ctx ends first.
	AwaitTermination(ctx context.Context) error
	// IsShutdown reports whether Shutdown or ShutdownNow was called.
	IsShutdown() bool
}

// Timed is a Service that can run a task later.
type Timed interface {
	Service
	// ExecuteAfter is Execute, not before delay has passed. A delay ≤ 0 is
	// none. The returned function withdraws the task, and reports whether it
	// did so before the start.
	ExecuteAfter(ctx context.Context, delay time.Duration, task Task) (withdraw func() bool, err error)
}

// Tracker is an Executor from which tasks can be taken back, and which reports it
// when it drops an accepted task. The pools of this package are Trackers.
type Tracker interface {
	Executor
	// Track is Execute, except that dropped is called, at most once, if the
	// accepted task will not be run after all. The returned function withdraws
	// the task, and reports whether it did so before the start.
	Track(ctx context.Context, task Task, dropped func(cause error)) (withdraw func() bool, err error)
}

// TimedTracker is a Tracker that can run a task later.
type TimedTracker interface {
	Timed
	Tracker
	// TrackAfter is Track, not before delay has passed.
	TrackAfter(ctx context.Context, delay time.Duration, task Task, dropped func(cause error)) (withdraw func() bool, err error)
}

// Func turns a function into an Executor, as http.HandlerFunc does for handlers.
type Func func(ctx context.Context, task Task) error

// Execute calls f.
func (f Func) Execute(ctx context.Context, task Task) error { return f(ctx, task) }
