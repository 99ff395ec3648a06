package schedulers

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor/executors"
)

// ExecutorDecorator wraps e, the executor of a slot. The executor that Decorate
// returns sees every submission once, timed ones included: its Execute receives the
// task, and must hand the task, or a function that calls it, to the Execute of e with
// the same context. If it returns an error or panics instead, the task is refused.
// Once e has the task, the task stays accepted; an error or panic after that goes to
// the handlers of [OnHandleError]. Other tasks that a decorator hands to e, in the
// same call or later, are direct tasks of its own; e refuses them after its slot was
// given up. A decorator that is also a [Disposable] is disposed when it is removed.
type ExecutorDecorator interface {
	// Decorate is called once for every slot that is made, with the string
	// form of its scheduler and the name of its worker. Where several are made at
	// the same time, one may not be used.
	Decorate(scheduler, worker string, e executors.Executor) executors.Executor
}

var executorDecorators keyed[ExecutorDecorator]

// AddExecutorDecorator installs d for the slots made from now on and reports whether
// it has done so: if there is a decorator for key already, that one is kept.
// Decorators of several keys are applied in the order in which the keys were first
// set, the first one innermost.
func AddExecutorDecorator(key string, d ExecutorDecorator) bool {
	if d == nil {
		panic("schedulers: AddExecutorDecorator: decorator is nil")
	}
	return !executorDecorators.set(key, d, false)
}

// SetExecutorDecorator installs d for the slots made from now on, in the place of
// the one for key if there is one.
func SetExecutorDecorator(key string, d ExecutorDecorator) {
	if d == nil {
		panic("schedulers: SetExecutorDecorator: decorator is nil")
	}
	executorDecorators.set(key, d, true)
}

// RemoveExecutorDecorator removes, disposes and returns the decorator of key. An
// unknown key is ignored.
func RemoveExecutorDecorator(key string) (d ExecutorDecorator, had bool) {
	d, had = executorDecorators.remove(key)
	if disposable, ok := d.(Disposable); ok {
		disposable.Dispose()
	}
	return d, had
}

// DecorateExecutor applies the decorators to e, for schedulers implemented
// elsewhere.
func DecorateExecutor(scheduler, worker string, e executors.Executor) executors.Executor {
	for _, entry := range executorDecorators.load() {
		if d := entry.fn.Decorate(scheduler, worker, e); d != nil {
			e = d
		}
	}
	return e
}

// decorate puts the decorators around the slot. Without any the slot keeps its
// short way.
func (s *slot) decorate(scheduler string) {
	if hasDecorators() {
		s.outer = DecorateExecutor(scheduler, s.id.name, slotExecutor{s})
	}
}

func hasDecorators() bool { return len(executorDecorators.load()) > 0 }

// submission is a call on its way through the decorators of a slot.
type submission struct {
	s       *slot
	enter   func(task Task) error // puts the task, wrapped or not, into the slot
	entered atomic.Bool           // the task is in the slot or on its way into it, or through has returned
}

type submissionKey struct{}

// through hands a task of w, or a direct one, to the decorators, the innermost of which calls enter. A decorator that panics
// before that refuses the task. A task that has entered stays accepted, whatever the decorator does then.
func (s *slot) through(task Task, w *worker, enter func(task Task) error) error {
	sub := &submission{s: s, enter: enter}
	if s.stay() { // also for what a decorator submits when the task has run
		defer s.pool.release(s)
	}
	panicked := true
	ctx := context.WithValue(s.id.base, submissionKey{}, sub)
	err := accepting(s.id.name, func() error {
		err := s.outer.Execute(ctx, task)
		panicked = false
		return err
	}, func(error) {
		if !sub.isIn() {
			s.giveBack(w)
		}
	})
	switch {
	case err == nil:
		return nil
	case sub.isIn():
		handleError(&s.ctx, err)
		return nil
	case !panicked:
		return err
	}
	return &RejectedError{Reason: ExecutorFailed, Cause: err}
}

// isIn reports whether the slot has the task. through calls it once, when the decorators have failed: a task that is not in does not
// enter any more.
func (sub *submission) isIn() bool { return sub.entered.Swap(true) }

// slotExecutor is what the innermost decorator wraps.
type slotExecutor struct{ s *slot }

// Execute lets the task of a submission enter the slot. Any other task is one of the decorator itself.
func (e slotExecutor) Execute(ctx context.Context, task executors.Task) error {
	checkTask("Execute", task)
	sub, ok := ctx.Value(submissionKey{}).(*submission)
	if !ok || sub.s != e.s || !sub.entered.CompareAndSwap(false, true) {
		return e.s.submitOwn(task)
	}
	err := sub.enter(task)
	if err != nil {
		sub.entered.Store(false) // the decorator may try again
	}
	return err
}

// submitOwn accepts a task of a decorator, a direct one: nobody has picked the slot for it.
func (s *slot) submitOwn(task Task) error {
	if s.pool == nil {
		return s.submit(item{fn: task})
	}
	if !s.stay() && !s.pool.hold(s) {
		s.pool.rejected.Add(1)
		return errDisposed
	}
	err := s.submit(item{fn: task})
	if err != nil {
		s.pool.release(s)
	}
	return err
}
