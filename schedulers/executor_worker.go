package schedulers

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/internal/timers"
)

// executorWorker is a worker on an executor. It knows its tasks, so that it can
// dispose them.
type executorWorker struct {
	x        *executorScheduler
	mu       sync.Mutex
	tasks    map[*executorTask]struct{} // nil once disposed; mu
	line     []*executorTask            // tasks that wait for the trampoline; mu
	timed    timers.Queue               // tasks that wait for their time first; mu
	bouncing bool                       // the executor has the trampoline or runs it; mu
	bounces  atomic.Uint64              // how often the trampoline has begun
}

// add takes t into the set and reports false if the worker is disposed.
func (w *executorWorker) add(t *executorTask) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tasks == nil {
		return false
	}
	w.tasks[t] = struct{}{}
	return true
}

func (w *executorWorker) remove(t *executorTask) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.tasks, t)
	w.takeOut(t)
}

// Execute hands task to the executor.
func (w *executorWorker) Execute(task Task) error {
	_, err := w.x.submit("Execute", task, w)
	return err
}

// Schedule hands task to the executor.
func (w *executorWorker) Schedule(task Task) (Disposable, error) {
	return w.x.submit("Schedule", task, w)
}

// ScheduleAfter hands task to the executor if it can delay.
func (w *executorWorker) ScheduleAfter(task Task, delay time.Duration) (Disposable, error) {
	return w.x.submitAfter(task, delay, w)
}

// SchedulePeriodically hands task to the executor if it can delay.
func (w *executorWorker) SchedulePeriodically(task Task, initial, period time.Duration, opts ...PeriodicOption) (Disposable, error) {
	return w.x.submitSeries(task, initial, period, opts, w)
}

// Dispose disposes all tasks of the worker.
func (w *executorWorker) Dispose() {
	w.mu.Lock()
	tasks := w.tasks
	w.tasks, w.line = nil, nil
	w.mu.Unlock()
	disposeAll(maps.Keys(tasks))
}

// IsDisposed reports whether Dispose was called.
func (w *executorWorker) IsDisposed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tasks == nil
}

func (*executorWorker) tellsGoexit() bool          { return true }
func (*executorWorker) tasksLost() <-chan struct{} { return nil }
func (*executorWorker) tellsLoss() bool            { return true }

func (w *executorWorker) overtakes() bool {
	if below, ok := w.x.executor.(workerExecutor); ok {
		return below.overtakes()
	}
	return !w.x.trampoline
}

func (w *executorWorker) executeBare(task Task, dropped func(cause error)) error {
	if below, ok := w.x.executor.(workerExecutor); ok {
		return below.executeBare(task, dropped)
	}
	d, err := w.Schedule(Undecorated(task))
	tellLoss(d, dropped)
	return err
}
