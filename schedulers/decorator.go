package schedulers

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor/executors"
)

// ExecutorDecorator wraps the executor of a slot. It sees every submission, timed
// ones included, once: what it returns receives the task in Execute and must hand
// it, or a function that calls it, to the Execute of e with the same context.
// Returning an error instead refuses the task, and so does a panic. A decorator that is also a
// [Disposable] is disposed when it is removed.
type ExecutorDecorator interface {
	// Decorate is called once for every slot that is made, with the string
	// form of its scheduler and the name of its worker.
	Decorate(scheduler, worker string, e executors.Executor) executors.Executor
}

var executorDecorators keyed[ExecutorDecorator]

// AddExecutorDecorator installs d for the slots made from now on and reports whether it
// has: if there is one for key already, that one is kept. Decorators of several
// keys are applied in the order in which the keys were first set, the first one
// innermost.
func AddExecutorDecorator(key string, d ExecutorDecorator) bool {
	if d == nil {
		panic("schedulers: AddExecutorDecorator: decorator is nil")
	}
	_, had := executorDecorators.set(key, d, false)
	return !had
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
	if len(executorDecorators.load()) > 0 {
		s.outer = DecorateExecutor(scheduler, s.id.name, slotExecutor{s})
	}
}

// submission is a call on its way through the decorators of a slot.
type submission struct {
	s        *slot
	enter    func(task Task) error // puts the task, wrapped or not, into the slot
	entered  atomic.Bool
	accepted atomic.Bool // it is there
}

type submissionKey struct{}

// through sends a task through the decorators to enter. One that panics refuses the task, unless
// that has come through before.
func (s *slot) through(task Task, enter func(task Task) error) error {
	sub := &submission{s: s, enter: enter}
	ctx := context.WithValue(s.id.base, submissionKey{}, sub)
	panicked := true
	err := accepting(s.id.name, func() error {
		err := s.outer.Execute(ctx, task)
		panicked = false
		return err
	})
	switch {
	case !panicked:
		return err
	case sub.accepted.Load():
		handleError(&s.ctx, err)
		return nil
	}
	return &RejectedError{Reason: ExecutorFailed, Cause: err}
}

// slotExecutor is what the innermost decorator wraps.
type slotExecutor struct{ s *slot }

// Execute lets a submission enter the slot, and whatever else a decorator submits.
func (e slotExecutor) Execute(ctx context.Context, task executors.Task) error {
	sub, ok := ctx.Value(submissionKey{}).(*submission)
	if ok && sub.s == e.s && sub.entered.CompareAndSwap(false, true) {
		err := sub.enter(task)
		sub.accepted.Store(err == nil)
		return err
	}
	return e.s.submit(item{fn: task})
}
