package schedulers

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
)

// What a scheduler refuses with; test for them with errors.Is. The refusals of a
// task come wrapped in a [*RejectedError].
var (
	// ErrRejected matches every refusal.
	ErrRejected = reactor.ErrRejected
	// ErrUnavailable: the scheduler or the worker is disposed, or the
	// executor behind it refused.
	ErrUnavailable = errors.New("scheduler unavailable")
	// ErrCapacity: the queue is full; the same call may succeed later.
	ErrCapacity = errors.New("task capacity reached")
	// ErrNotTimeCapable: the scheduler can't delay tasks.
	ErrNotTimeCapable = errors.New("scheduler is not capable of time-based scheduling")
	// ErrShared: DisposeGracefully of a shared scheduler, which does nothing.
	ErrShared = errors.New("a shared scheduler can't be disposed, schedulers.Shutdown lets them run out")
	// ErrTaskDisposed is the cause with which the context of a running task is
	// cancelled.
	ErrTaskDisposed = errors.New("task disposed")
)

// errNoContext is the answer to a nil context.
var errNoContext = fmt.Errorf("schedulers: the context is nil: %w", reactor.ErrIllegalArgument)

// Reason says why a task was refused.
type Reason uint8

// The reasons for a refusal.
const (
	Disposed       Reason = iota + 1 // the scheduler is disposed
	WorkerDisposed                   // the worker is disposed
	Capacity                         // the queue is full
	NotTimeCapable                   // no delays here
	ExecutorFailed                   // the executor behind the scheduler returned an error
)

// RejectedError is the refusal of a task. It matches [ErrRejected] and the
// sentinel of its reason with errors.Is, and Cause if there is one.
type RejectedError struct {
	Reason   Reason
	Pending  int   // for Capacity: what the queue would have held with this task
	Capacity int   // for Capacity: what it may hold
	Cause    error // for ExecutorFailed: what the executor returned

	perTask bool // refused by the one-goroutine-per-task variant
}

// The refusals without figures never differ, so there is one of each.
var (
	errDisposed       = &RejectedError{Reason: Disposed}
	errWorkerDisposed = &RejectedError{Reason: WorkerDisposed}
	errNotTimeCapable = &RejectedError{Reason: NotTimeCapable}
)

// Error returns for example "scheduler unavailable", or "task capacity of bounded
// elastic scheduler reached while scheduling 1 tasks (3/2)".
func (e *RejectedError) Error() string {
	switch e.Reason {
	case Capacity:
		what := "1 tasks"
		if e.perTask {
			what = "a new tasks"
		}
		return fmt.Sprintf("task capacity of bounded elastic scheduler reached while scheduling %s (%d/%d)",
			what, e.Pending, e.Capacity)
	case ExecutorFailed:
		return ErrUnavailable.Error() + ": " + reactor.NonNil(e.Cause).Error()
	case NotTimeCapable:
		return ErrNotTimeCapable.Error()
	}
	return ErrUnavailable.Error()
}

// Unwrap returns [ErrRejected], the sentinel of the reason, and Cause.
func (e *RejectedError) Unwrap() []error {
	errs := []error{ErrRejected, ErrUnavailable}
	switch e.Reason {
	case Capacity:
		errs[1] = ErrCapacity
	case NotTimeCapable:
		errs[1] = ErrNotTimeCapable
	}
	if e.Cause != nil {
		errs = append(errs, e.Cause)
	}
	return errs
}

// named returns cause or, if that is the refusal of a pool, a copy with the name of task, in place of the function of this
// package that was to run task. A task of a stage is named after the scheduler s, since no user knows the functions of stages.
func named(cause error, task Task, s fmt.Stringer) error {
	r, ok := cause.(*executors.RejectedError)
	if !ok {
		return cause
	}
	own := *r
	own.Task = runtime.FuncForPC(reflect.ValueOf(task).Pointer()).Name()
	for _, pkg := range []string{"internal/", "operators.", "schedulers.("} {
		if strings.HasPrefix(own.Task, "github.com/goreactor/reactor/"+pkg) {
			own.Task = "of " + s.String()
		}
	}
	return &own
}

// checkTask panics for a nil task: on a worker's goroutine nobody could tell who
// submitted it.
func checkTask(op string, task Task) {
	if task == nil {
		panic("schedulers: " + op + ": task is nil")
	}
}

// accepting calls submit, which hands a task to code from elsewhere. If submit panics, the task is refused: the panic
// is the error. If submit ends the goroutine, nothing returns to the submitter, so ended is called to take back what is
// noted of the task; ended has to find out whether the task, which may have run within submit, has ended the goroutine.
func accepting(op string, submit func() error, ended func(cause error)) (err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if r := recover(); r != nil {
			err = &reactor.PanicError{Op: op, Value: r, Stack: debug.Stack()}
			return
		}
		ended(reactor.ErrGoexit)
	}()
	err = submit()
	returned = true
	return err
}
