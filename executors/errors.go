package executors

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/goreactor/reactor"
)

// What becomes of tasks that are not run; test for them with errors.Is.
var (
	// ErrRejected matches every refusal; it is wrapped in a [*RejectedError].
	ErrRejected = reactor.ErrRejected
	// ErrSaturated: all workers are busy and the queue is full; the same call
	// may succeed later.
	ErrSaturated = errors.New("executor is saturated")
	// ErrShutdown: the executor takes no more tasks. It is also the cause with
	// which ShutdownNow ends the contexts of running tasks.
	ErrShutdown = errors.New("executor is shut down")
	// ErrDiscarded: the task was accepted and then dropped by a policy.
	ErrDiscarded = errors.New("task discarded")
	// ErrCancelled: the task was cancelled, or withdrawn by a shutdown; it is
	// wrapped in a [*CancelError].
	ErrCancelled = reactor.ErrCancelled
	// ErrNilTask: there is nothing to run. It matches reactor.ErrIllegalArgument.
	ErrNilTask = fmt.Errorf("executors: the task is nil: %w", reactor.ErrIllegalArgument)
)

// errNotMade is the answer of a zero pool.
var errNotMade = fmt.Errorf("executors: the pool was not made by NewThreadPool or NewScheduledPool: %w", reactor.ErrIllegalState)

// errNoContext is the answer to a nil context.
var errNoContext = fmt.Errorf("executors: the context is nil: %w", reactor.ErrIllegalArgument)

// errNoTask is the outcome of a zero handle.
var errNoTask = fmt.Errorf("executors: the handle is of no task: %w", reactor.ErrIllegalState)

// errNoJob is the outcome of a zero job.
var errNoJob = fmt.Errorf("executors: the job is of no scheduler: %w", reactor.ErrIllegalState)

// errNoScheduler is the answer of a zero scheduler.
var errNoScheduler = fmt.Errorf("executors: the scheduler was not made by NewTaskScheduler: %w", reactor.ErrIllegalState)

// RejectedError is the refusal of a task. It matches [ErrRejected], Kind and, if
// there is one, Cause with errors.Is.
type RejectedError struct {
	Task  string // name of the function, or of the job
	Kind  error  // [ErrSaturated] or [ErrShutdown]
	Stats Stats  // figures of the pool when it refused
	Cause error  // why no worker could be started, or nil
}

// Error returns for example "task main.crawl rejected from pool \"io\" [running,
// workers 2/2, active 2, queued 10/10, completed 7]: executor is saturated".
func (e *RejectedError) Error() string {
	s := fmt.Sprintf("task %s rejected from %v: %v", e.Task, e.Stats, e.Kind)
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap returns [ErrRejected], Kind and Cause.
func (e *RejectedError) Unwrap() []error {
	errs := []error{ErrRejected, e.Kind}
	if e.Cause != nil {
		errs = append(errs, e.Cause)
	}
	return errs
}

// CancelError is how a cancelled task ends. It matches [ErrCancelled] and, if there
// is one, Cause with errors.Is.
type CancelError struct {
	Cause error // what was passed to Cancel, what ended the context, [ErrShutdown], or nil
}

// Error returns for example "cancelled: executor is shut down".
func (e *CancelError) Error() string {
	if e.Cause == nil {
		return ErrCancelled.Error()
	}
	return ErrCancelled.Error() + ": " + e.Cause.Error()
}

// Unwrap returns [ErrCancelled] and Cause.
func (e *CancelError) Unwrap() []error {
	if e.Cause == nil {
		return []error{ErrCancelled}
	}
	return []error{ErrCancelled, e.Cause}
}

// functionName returns the name of the function at pc.
func functionName(pc uintptr) string {
	if f := runtime.FuncForPC(pc); f != nil {
		return f.Name()
	}
	return "?"
}
