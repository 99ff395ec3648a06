package schedulers

import (
	"slices"
	"time"

	"github.com/goreactor/reactor/internal/chaos"
)

// Tasks with a time on an executor.

// canDelay says whether timed tasks are possible, and counts the refusal if not.
func (x *executorScheduler) canDelay(w *executorWorker) bool {
	if x.later != nil && (w == nil || x.workersLater) {
		return true
	}
	x.rejected.Add(1)
	return false
}

func (x *executorScheduler) submitAfter(task Task, delay time.Duration, w *executorWorker) (Disposable, error) {
	if delay <= 0 {
		return x.submit("ScheduleAfter", task, w)
	}
	checkTask("ScheduleAfter", task) // also where the answer is no
	if !x.canDelay(w) {
		return nil, errNotTimeCapable
	}
	due := x.now().Add(delay) // before the task is counted: the clock may panic
	t, err := x.newTask("ScheduleAfter", task, w)
	if err != nil {
		return nil, err
	}
	t.due = due
	if err := x.keep(t, task); err != nil {
		return nil, err
	}
	if err := t.delayed(delay); err != nil {
		return nil, x.refused(t, task, err)
	}
	return t, nil
}

func (x *executorScheduler) submitSeries(task Task, initial, period time.Duration, opts []PeriodicOption, w *executorWorker) (Disposable, error) {
	checkTask("SchedulePeriodically", task)
	set := newPeriodicSettings(opts)
	if !x.canDelay(w) {
		return nil, errNotTimeCapable
	}
	first := x.now().Add(max(0, initial)) // before the task is counted
	t, err := x.newTask("SchedulePeriodically", task, w)
	if err != nil {
		return nil, err
	}
	t.series = &series{period: period, stopOnError: set.stopOnError}
	t.due = first
	if err := x.keep(t, task); err != nil {
		return nil, err
	}
	if x.repeats != nil {
		err = t.repeated(initial)
	} else {
		err = t.delayed(max(0, initial))
	}
	if err != nil {
		return nil, x.refused(t, task, err)
	}
	return t, nil
}

// keep books a timed task and notes it. If its worker is disposed, or a graceful disposal has begun meanwhile, it refuses t; task is
// what t was made of.
func (x *executorScheduler) keep(t *executorTask, task Task) error {
	t.timed = true // before its worker may dispose it
	if err := x.book(t); err != nil {
		return err
	}
	chaos.Yield()
	if !x.note(t) {
		return x.refused(t, task, errDisposed)
	}
	return nil
}

// note adds the task to timed, or reports false if a graceful disposal has ended such tasks.
func (x *executorScheduler) note(t *executorTask) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.noDelayed || x.noSeries && t.series != nil {
		return false
	}
	if t.state.Load() == stateQueued { // else its worker has disposed it, and drop may have been called already
		x.timed[t] = struct{}{}
	}
	return true
}

// drop takes the task off timed.
func (x *executorScheduler) drop(t *executorTask) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.timed, t)
}

// endTimed disposes the periodic tasks, and the delayed ones if that is asked for.
func (x *executorScheduler) endTimed(opts []DisposeOption) {
	dropDelayed := newDisposeSettings(opts).dropDelayed
	now := x.now()
	x.mu.Lock()
	x.noSeries = true
	x.noDelayed = x.noDelayed || dropDelayed
	var all []*executorTask
	for t := range x.timed {
		if t.series != nil || dropDelayed && t.due.After(now) {
			all = append(all, t)
		}
	}
	x.mu.Unlock()
	disposeAll(slices.Values(all))
}
