package foreign

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/schedulers"
)

// Scheduler returns s for the use of an operator: itself if its methods are known not to panic, otherwise guarded. Its clock is not guarded:
// what to make of a missing time is for the operator to say.
func Scheduler(s schedulers.Scheduler) schedulers.Scheduler {
	if own, ok := s.(interface{ NeverPanics() bool }); ok && own.NeverPanics() {
		return s
	}
	return &guarded{lane{s}, scheduler{s}}
}

// tasks is what takes tasks: a scheduler or a worker.
type tasks interface {
	Execute(task schedulers.Task) error
	Schedule(task schedulers.Task) (schedulers.Disposable, error)
	ScheduleAfter(task schedulers.Task, delay time.Duration) (schedulers.Disposable, error)
	SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error)
}

// lane guards what takes tasks.
type lane struct{ to tasks }

func (l lane) Execute(task schedulers.Task) (err error) {
	defer caught(&err)
	return l.to.Execute(task)
}

func (l lane) Schedule(task schedulers.Task) (d schedulers.Disposable, err error) {
	defer caught(&err)
	return handed(l.to.Schedule(task))
}

func (l lane) ScheduleAfter(task schedulers.Task, delay time.Duration) (d schedulers.Disposable, err error) {
	defer caught(&err)
	return handed(l.to.ScheduleAfter(task, delay))
}

func (l lane) SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (d schedulers.Disposable, err error) {
	defer caught(&err)
	return handed(l.to.SchedulePeriodically(task, initial, period, opts...))
}

// guarded is a scheduler of others: the methods of lane stand before those of the scheduler.
type guarded struct {
	lane
	scheduler
}

type scheduler struct{ schedulers.Scheduler }

// NeverPanics is what [Scheduler] knows it by.
func (*guarded) NeverPanics() bool { return true }

// OnSystemClock reports whether time is that of the system.
func (g *guarded) OnSystemClock() bool {
	on, ok := g.Scheduler.(interface{ OnSystemClock() bool })
	return ok && on.OnSystemClock()
}

// IsVirtual reports whether a test moves the time, and runs what is due.
func (g *guarded) IsVirtual() bool {
	v, ok := g.Scheduler.(interface{ IsVirtual() bool })
	return ok && v.IsVirtual()
}

// NewWorker returns a worker that refuses every task if there is none.
func (g *guarded) NewWorker() (w schedulers.Worker) {
	var err error
	defer func() {
		if err != nil {
			w = refusing{reactor.NewDisposable(nil), err}
		}
	}()
	defer caught(&err)
	of := g.Scheduler.NewWorker()
	return &guardedWorker{lane{of}, worker{of}}
}

// guardedWorker is a worker of others.
type guardedWorker struct {
	lane
	worker
}

type worker struct{ schedulers.Worker }

func (w *guardedWorker) Dispose() { dispose(w.Worker) }

// refusing is a worker that there is not.
type refusing struct {
	schedulers.Disposable
	err error
}

func (w refusing) Execute(schedulers.Task) error { return w.err }

func (w refusing) Schedule(schedulers.Task) (schedulers.Disposable, error) { return nil, w.err }

func (w refusing) ScheduleAfter(schedulers.Task, time.Duration) (schedulers.Disposable, error) {
	return nil, w.err
}

func (w refusing) SchedulePeriodically(schedulers.Task, time.Duration, time.Duration, ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	return nil, w.err
}

// handle is that of a task of others.
type handle struct{ schedulers.Disposable }

func (h handle) Dispose() { dispose(h.Disposable) }

// handed passes on what a scheduler has returned. A task without a handle can't be taken back.
func handed(d schedulers.Disposable, err error) (schedulers.Disposable, error) {
	switch {
	case err != nil:
		return nil, err
	case d == nil:
		return reactor.NewDisposable(nil), nil
	}
	return handle{d}, nil
}

// caught is deferred: a panic becomes the error of the call.
func caught(err *error) {
	if r := recover(); r != nil {
		*err = &schedulers.RejectedError{Reason: schedulers.ExecutorFailed, Cause: failure.Recovered(r)}
	}
}

// dispose disposes of d, which nobody waits for.
func dispose(d schedulers.Disposable) {
	var err error
	defer func() {
		if err != nil {
			reactor.DropError(context.Background(), err)
		}
	}()
	defer caught(&err)
	d.Dispose()
}
