package books

import (
	"context"
	"time"

	"github.com/goreactor/reactor/schedulers"
)

// counted is a scheduler whose tasks and workers are resources: a task has to run or to be disposed of, a
// worker has to be disposed of.
type counted struct {
	schedulers.Scheduler
	*trial
}

// handle is that of a task.
type handle struct {
	schedulers.Disposable
	task  *resource
	trial *trial
}

func (h handle) Dispose() {
	h.task.release()
	defer h.trial.breaks("the handle of a task")
	h.Disposable.Dispose()
}

// once is task, which is gone when it has run.
func once(r *resource, task schedulers.Task) schedulers.Task {
	return func(ctx context.Context) {
		defer r.release()
		task(ctx)
	}
}

// handed returns what a scheduler has returned; a task that it refuses is gone.
func (t *trial) handed(r *resource, d schedulers.Disposable, err error) (schedulers.Disposable, error) {
	if err != nil {
		r.release()
		return d, err
	}
	return handle{d, r, t}, nil
}

func (c counted) Execute(task schedulers.Task) error {
	if err := c.refused(); err != nil {
		return err
	}
	return c.Scheduler.Execute(task)
}

func (c counted) Schedule(task schedulers.Task) (schedulers.Disposable, error) {
	if err := c.refused(); err != nil {
		return nil, err
	}
	r := c.books.openLoose("a task")
	d, err := c.Scheduler.Schedule(once(r, task))
	return c.handed(r, d, err)
}

func (c counted) ScheduleAfter(task schedulers.Task, delay time.Duration) (schedulers.Disposable, error) {
	if err := c.refused(); err != nil {
		return nil, err
	}
	r := c.books.openLoose("a task with a delay")
	d, err := c.Scheduler.ScheduleAfter(once(r, task), delay)
	return c.handed(r, d, err)
}

func (c counted) SchedulePeriodically(task schedulers.Task, initial, every time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	if err := c.refused(); err != nil {
		return nil, err
	}
	r := c.books.openLoose("a periodic task")
	d, err := c.Scheduler.SchedulePeriodically(task, initial, max(every, period), opts...)
	return c.handed(r, d, err)
}

func (c counted) NewWorker() schedulers.Worker {
	c.breaks("NewWorker")
	return countedWorker{c.Scheduler.NewWorker(), c.trial, c.books.openLoose("a worker")}
}

// OnSystemClock reports whether time is that of the system.
func (c counted) OnSystemClock() bool {
	on, ok := c.Scheduler.(interface{ OnSystemClock() bool })
	return ok && on.OnSystemClock()
}

// countedWorker is a worker that has to be disposed of: its tasks go with it.
type countedWorker struct {
	schedulers.Worker
	trial *trial
	lane  *resource
}

func (w countedWorker) Execute(task schedulers.Task) error {
	if err := w.trial.refused(); err != nil {
		return err
	}
	return w.Worker.Execute(task)
}

func (w countedWorker) Schedule(task schedulers.Task) (schedulers.Disposable, error) {
	if err := w.trial.refused(); err != nil {
		return nil, err
	}
	return w.Worker.Schedule(task)
}

func (w countedWorker) ScheduleAfter(task schedulers.Task, delay time.Duration) (schedulers.Disposable, error) {
	if err := w.trial.refused(); err != nil {
		return nil, err
	}
	return w.Worker.ScheduleAfter(task, delay)
}

func (w countedWorker) SchedulePeriodically(task schedulers.Task, initial, every time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	if err := w.trial.refused(); err != nil {
		return nil, err
	}
	return w.Worker.SchedulePeriodically(task, initial, max(every, period), opts...)
}

func (w countedWorker) Dispose() {
	w.lane.release()
	defer w.trial.breaks("a worker's Dispose")
	w.Worker.Dispose()
}

func (c counted) Now() time.Time {
	c.breaks("Now")
	return c.Scheduler.Now()
}
