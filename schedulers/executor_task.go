package schedulers

import (
	"context"
	"iter"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/timers"
)

// executorTask is a task on an executor, and the handle on it.
type executorTask struct {
	node   timers.Node // first; in the lane of a worker, with due in nanoseconds since the base of x; w.mu
	x      *executorScheduler
	w      *executorWorker // nil if direct
	fn     Task            // cleared by end, which whoever has moved state to its last value calls
	series *series         // nil for one run
	due    time.Time       // when the task, or the next run of a series, is due; written before the task is handed over
	timed  bool            // it came with a time; immutable once booked
	state  atomic.Uint32

	mu       sync.Mutex
	times    int                     // how often the task was handed to the executor; mu
	withdraw func() bool             // takes the task out of the executor, as of the last time; mu
	cancel   context.CancelCauseFunc // of the run; mu
	runner   uintptr                 // goroutine of the run, 0 if there is none; mu
	isLost   bool                    // the task was accepted and will not be run; mu
	told     func(cause error)       // called when isLost becomes true; mu
}

// now hands the task to the executor.
func (t *executorTask) now() error {
	n := t.nextTime()
	withdraw, err := t.x.offer(t.run, t.lost)
	if err != nil {
		return err
	}
	if withdraw != nil {
		t.takeBack(n, withdraw)
	}
	return nil
}

// nextTime counts that the task is handed to the executor, and returns which time that is.
func (t *executorTask) nextTime() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.times++
	return t.times
}

// delayed hands the task to the executor for later.
func (t *executorTask) delayed(delay time.Duration) error {
	run := t.run
	if t.w != nil && t.x.trampoline {
		run = t.w.wake
		t.w.await(t)
	}
	var withdraw func() bool
	n := t.nextTime()
	err := accepting(t.x.name, func() (err error) {
		if x, ok := t.x.later.(trackingDelayer); ok {
			withdraw, err = x.TrackAfter(t.x.ctx, delay, run, t.lost)
		} else {
			withdraw, err = t.x.later.ExecuteAfter(t.x.ctx, delay, run)
		}
		return err
	}, t.lost)
	if err != nil {
		return err // the end of the task takes it out of the lane
	}
	t.takeBack(n, withdraw)
	return nil
}

// repeated hands a periodic task to what runs it again and again by itself.
func (t *executorTask) repeated(initial time.Duration) error {
	n := t.nextTime()
	var stop func() bool
	err := accepting(t.x.name, func() (err error) {
		stop, err = t.x.repeats(t.run, initial, t.series.period)
		return err
	}, t.lost)
	if err != nil {
		return err
	}
	t.takeBack(n, stop)
	return nil
}

// stop tells what repeats a periodic task to end the series, which has ended without Dispose.
func (t *executorTask) stop() {
	if t.x.repeats == nil || t.series == nil {
		return
	}
	t.mu.Lock()
	stop := t.withdraw
	t.mu.Unlock()
	t.takeOut(stop)
}

// takeBack notes withdraw for the n-th time that the task was handed over, unless the task was handed over again since. If the
// task has ended meanwhile it is withdrawn at once.
func (t *executorTask) takeBack(n int, withdraw func() bool) {
	t.mu.Lock()
	if t.times == n {
		t.withdraw = withdraw
	}
	t.mu.Unlock()
	if s := t.state.Load(); s == stateCancelled || s == stateDone && t.x.repeats != nil {
		t.takeOut(withdraw) // disposed in the meantime, or it is not to run again
	}
}

// lost is called by an executor that was shut down by somebody else, or where one has ended the goroutine
// in place of taking the task: that will not be run.
func (t *executorTask) lost(cause error) { t.lose(cause) }

// lose ends a task that was accepted and will not be run, and reports whether it was for the caller to do so.
func (t *executorTask) lose(cause error) bool {
	if !t.state.CompareAndSwap(stateQueued, stateCancelled) {
		return false
	}
	t.x.dropped.Add(1)
	t.end()
	t.mu.Lock()
	t.isLost = true
	told := t.told
	t.mu.Unlock()
	if told != nil {
		told(cause)
	}
	return true
}

// whenLost implements lossTeller.
func (t *executorTask) whenLost(fn func(cause error)) {
	t.mu.Lock()
	t.told = fn
	isLost := t.isLost
	t.mu.Unlock()
	if isLost {
		fn(errDisposed)
	}
}

// run is what the executor calls.
func (t *executorTask) run(ctx context.Context) {
	if t.x.forced.Load() { // in the line behind the task that has disposed the scheduler
		t.lost(errDisposed)
		return
	}
	if !t.state.CompareAndSwap(stateQueued, stateRunning) {
		return
	}
	chaos.Yield()
	var cancel context.CancelCauseFunc
	if t.x.service == nil {
		ctx, cancel = context.WithCancelCause(ctx)
	} else {
		// A service that is shut down ends the contexts of all, also of the task that
		// shuts it down, and for a reason of its own.
		of := ctx
		ctx, cancel = context.WithCancelCause(context.WithoutCancel(of))
		defer live.AfterContext(of, live.Func(func() { t.overtaken(context.Cause(of), cancel) }))()
	}
	defer cancel(nil)
	t.mu.Lock()
	t.cancel, t.runner = cancel, goid.Current()
	t.mu.Unlock()
	if t.state.Load() == stateRunningDisposed {
		cancel(ErrTaskDisposed) // by somebody who saw no cancel function
	}
	failed := true
	defer func() { // also for Goexit, in the task or in a handler of errors
		t.mu.Lock()
		t.cancel, t.runner = nil, 0
		t.mu.Unlock()
		t.x.completed.Add(1)
		if !t.again(failed) {
			t.state.Store(stateDone)
			t.stop()
			t.end()
		}
	}()
	defer func() {
		if failed {
			t.report(ctx, recover())
		}
	}()
	t.fn(ctx)
	failed = false
}

// overtaken ends the context of a run because the context of the service has ended, for the
// same cause. If Dispose of the scheduler was called, the cause is ErrTaskDisposed, and the
// context of the task that has called it does not end.
func (t *executorTask) overtaken(cause error, cancel context.CancelCauseFunc) {
	if t.x.forced.Load() {
		t.mu.Lock()
		self := t.runner != 0 && t.runner == t.x.disposer.Load()
		t.mu.Unlock()
		if self {
			return
		}
		cause = ErrTaskDisposed
	}
	cancel(cause)
}

func (t *executorTask) report(ctx context.Context, thrown any) {
	switch {
	case thrown != nil:
		handleError(ctx, &reactor.PanicError{Op: t.x.name, Value: thrown, Stack: debug.Stack()})
	case !t.x.tells: // else the executor reports the Goexit
		handleError(ctx, reactor.ErrGoexit)
	}
}

// again hands a periodic task back for its next run. A service that refuses it has
// been shut down: the series ends.
func (t *executorTask) again(failed bool) bool {
	if t.series == nil || failed && t.series.stopOnError || t.x.IsDisposed() ||
		!t.state.CompareAndSwap(stateRunning, stateQueued) {
		return false
	}
	if t.x.repeats != nil {
		return true
	}
	if t.next() == nil {
		return true
	}
	// If the executor has refused: a disposer that was faster has ended the task already.
	return !t.state.CompareAndSwap(stateQueued, stateRunning)
}

// next hands a periodic task over for its next run. Without a period that run comes behind the tasks that were submitted meanwhile,
// also if the clock has not moved.
func (t *executorTask) next() error {
	switch {
	case t.series.period > 0:
		t.due = t.due.Add(t.series.period)
		return t.delayed(t.due.Sub(t.x.now()))
	case t.w != nil && t.x.trampoline:
		return t.w.bounce(t)
	}
	return t.delayed(0)
}

// Dispose turns a waiting task into one that does nothing, and cancels the context
// of a running one, unless it is the caller.
func (t *executorTask) Dispose() {
	if t.dropWaiting() || !t.state.CompareAndSwap(stateRunning, stateRunningDisposed) {
		return
	}
	t.mu.Lock()
	cancel, self := t.cancel, t.runner == goid.Current()
	t.mu.Unlock()
	if cancel != nil && !self {
		cancel(ErrTaskDisposed)
	}
}

// dropWaiting is Dispose for a task that waits, and reports whether it does.
func (t *executorTask) dropWaiting() bool {
	if !t.state.CompareAndSwap(stateQueued, stateCancelled) {
		return false
	}
	t.mu.Lock()
	withdraw := t.withdraw
	t.mu.Unlock()
	defer func() { // also if withdraw ends the goroutine
		t.x.dropped.Add(1)
		t.end()
	}()
	t.takeOut(withdraw)
	return true
}

// disposeAll disposes tasks, first those that wait: the end of one that runs would let the next one begin. What takes a task
// back may end the goroutine, the others are disposed all the same.
func disposeAll(tasks iter.Seq[*executorTask]) {
	all := slices.Collect(tasks)
	failure.Persist(2*len(all), func(i int) bool {
		if i < len(all) {
			all[i].dropWaiting()
		} else {
			all[i-len(all)].Dispose()
		}
		return true
	})
}

// takeOut calls withdraw, which takes the task out of the executor, unless it is nil. The task ends all the same: a panic is told
// to the handlers of errors.
func (t *executorTask) takeOut(withdraw func() bool) {
	if withdraw == nil {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			handleError(t.x.ctx, &reactor.PanicError{Op: t.x.name, Value: r, Stack: debug.Stack()})
		}
	}()
	withdraw()
}

// IsDisposed reports whether the task has ended or was disposed.
func (t *executorTask) IsDisposed() bool {
	switch t.state.Load() {
	case stateQueued:
		return t.x.forced.Load()
	case stateRunning:
		return false
	}
	return true
}

// end takes the task off the books.
func (t *executorTask) end() {
	t.fn = nil
	if t.w != nil {
		t.w.remove(t)
	}
	if t.timed {
		t.x.drop(t)
	}
	t.x.life.gone()
}
