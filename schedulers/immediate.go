package schedulers

import (
	"context"
	"sync/atomic"
	"time"
)

// immediate runs tasks in the caller. It has no state.
type immediate struct{}

var immediateContext = context.WithValue(context.Background(), identityKey{}, &identity{name: "immediate"})

// Immediate returns the scheduler that runs every task at once on the goroutine of
// the caller, before the call returns. A panic of a task goes to the caller, not to
// the error handlers; schedule hooks are not applied; there are no timed tasks. The
// scheduler can't be disposed, but its workers can.
func Immediate() Scheduler { return immediate{} }

// NeverPanics tells operators that nothing does but their tasks.
func (immediate) NeverPanics() bool { return true }

// Execute calls task.
func (immediate) Execute(task Task) error {
	checkTask("Execute", task)
	task(immediateContext)
	return nil
}

// Schedule calls task and returns a handle that is disposed.
func (i immediate) Schedule(task Task) (Disposable, error) {
	checkTask("Schedule", task)
	if err := i.Execute(task); err != nil {
		return nil, err
	}
	return finishedHandle{}, nil
}

// ScheduleAfter refuses, except for no delay.
func (i immediate) ScheduleAfter(task Task, delay time.Duration) (Disposable, error) {
	checkTask("ScheduleAfter", task)
	if delay <= 0 {
		return i.Schedule(task)
	}
	return nil, errNotTimeCapable
}

// SchedulePeriodically refuses.
func (immediate) SchedulePeriodically(task Task, _, _ time.Duration, _ ...PeriodicOption) (Disposable, error) {
	checkTask("SchedulePeriodically", task)
	return nil, errNotTimeCapable
}

// NewWorker returns a worker that runs tasks in the caller until it is disposed.
func (immediate) NewWorker() Worker { return new(immediateWorker) }

// Now returns the system's time.
func (immediate) Now() time.Time { return time.Now() }

// Dispose does nothing.
func (immediate) Dispose() {}

// DisposeGracefully does nothing.
func (immediate) DisposeGracefully(context.Context, ...DisposeOption) error { return nil }

// IsDisposed reports false.
func (immediate) IsDisposed() bool { return false }

// Stats says that there is nothing to count.
func (immediate) Stats() Stats {
	return Stats{Kind: "immediate", Name: "immediate", QueueCapacity: Unlimited, Remaining: Unlimited}
}

// String returns "immediate".
func (immediate) String() string { return "immediate" }

type immediateWorker struct{ disposed atomic.Bool }

// Execute calls task unless the worker is disposed.
func (w *immediateWorker) Execute(task Task) error {
	checkTask("Execute", task)
	if w.disposed.Load() {
		return errWorkerDisposed
	}
	task(immediateContext)
	return nil
}

// Schedule calls task unless the worker is disposed.
func (w *immediateWorker) Schedule(task Task) (Disposable, error) {
	checkTask("Schedule", task)
	if err := w.Execute(task); err != nil {
		return nil, err
	}
	return finishedHandle{}, nil
}

// ScheduleAfter refuses, except for no delay.
func (w *immediateWorker) ScheduleAfter(task Task, delay time.Duration) (Disposable, error) {
	if delay <= 0 {
		checkTask("ScheduleAfter", task)
		return w.Schedule(task)
	}
	return immediate{}.ScheduleAfter(task, delay)
}

// SchedulePeriodically refuses.
func (w *immediateWorker) SchedulePeriodically(task Task, initial, period time.Duration, opts ...PeriodicOption) (Disposable, error) {
	return immediate{}.SchedulePeriodically(task, initial, period, opts...)
}

// Dispose makes the worker refuse.
func (w *immediateWorker) Dispose() { w.disposed.Store(true) }

// IsDisposed reports whether Dispose was called.
func (w *immediateWorker) IsDisposed() bool { return w.disposed.Load() }
