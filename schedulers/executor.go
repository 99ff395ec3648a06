package schedulers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/goid"
)

// ExecutorOption adjusts [FromExecutor].
type ExecutorOption func(*executorSettings)

type executorSettings struct {
	name       string
	trampoline bool
}

// Trampoline keeps the tasks of every worker in order: it hands a burst of tasks
// to the executor as one task, which runs them one after the other.
func Trampoline() ExecutorOption { return func(s *executorSettings) { s.trampoline = true } }

// Named sets the name of the scheduler and of its workers.
func Named(name string) ExecutorOption { return func(s *executorSettings) { s.name = name } }

var anonymousCount atomic.Int64

// FromExecutor returns a scheduler on top of e. If e runs tasks at the same time or
// out of order, so do the workers, unless [Trampoline] is given. A disposed task
// stays in e and does nothing when its turn comes. There are no timed tasks, and
// disposing the scheduler does not stop e. If e returns an error or panics, only that
// task is refused, not the tasks after it. But with Trampoline, the tasks that have
// lined up behind the refused task by then are dropped, though they were accepted;
// the handlers of [OnHandleError] are told.
//
// If e is an [executors.Service] and Trampoline is not given, the result is that
// of [FromExecutorService].
func FromExecutor(e executors.Executor, opts ...ExecutorOption) Scheduler {
	if e == nil {
		panic("schedulers: FromExecutor: executor is nil")
	}
	var set executorSettings
	apply("FromExecutor", &set, opts)
	if svc, ok := e.(executors.Service); ok && !set.trampoline {
		return FromExecutorService(svc, set.name)
	}
	x := newExecutorScheduler("fromExecutor", e, set.name)
	x.trampoline = set.trampoline
	return x
}

// FromExecutorService returns a scheduler on top of s that owns s: Dispose shuts it
// down by force, DisposeGracefully lets it finish. It has timed tasks if s is an
// [executors.Timed]; if s has a method Now() time.Time, as an
// [executors.ScheduledPool] does, periodic tasks go by that time. An empty name is
// replaced by a generated one.
//
// A late run of a periodic task is handed to s when the run before it has ended,
// behind the tasks that s was given meanwhile: late runs of several series take
// turns. On a worker of [FromScheduledPool], and on other schedulers, a late run
// keeps the place that its due time gives it.
//
// If s runs tasks at the same time or out of order, so do the workers: on a pool with
// more than one goroutine the tasks of a worker run at the same time, and in any
// order. For workers that keep the order use [FromScheduledPool], or [FromExecutor]
// with [Trampoline], which has no timed tasks. (Operators such as PublishOn look
// after the order of elements themselves.)
func FromExecutorService(s executors.Service, name string) Scheduler {
	if s == nil {
		panic("schedulers: FromExecutorService: service is nil")
	}
	x := newExecutorScheduler("fromExecutorService", s, name)
	x.service = s
	if t, ok := s.(executors.Timed); ok {
		x.later = t
		x.workersLater = true
	}
	return x
}

// FromScheduledPool returns a scheduler on top of p that owns p, as
// [FromExecutorService] does, with one difference: each worker runs its tasks, timed
// ones included, one after the other and in the order of [Worker], as the workers of
// this package do, however many goroutines p has. A worker that always has something
// to do lets other workers use its goroutine of p in between.
func FromScheduledPool(p *executors.ScheduledPool, opts ...ExecutorOption) Scheduler {
	if p == nil {
		panic("schedulers: FromScheduledPool: pool is nil")
	}
	var set executorSettings
	apply("FromScheduledPool", &set, opts)
	x := newExecutorScheduler("fromScheduledPool", p, set.name)
	x.service, x.later, x.workersLater, x.trampoline = p, p, true, true
	return x
}

// delayer is what timed tasks need of an executor.
type delayer interface {
	ExecuteAfter(ctx context.Context, delay time.Duration, task executors.Task) (withdraw func() bool, err error)
}

// trackingDelayer is a delayer that tells of a task that it drops, such as an [executors.TimedTracker].
type trackingDelayer interface {
	TrackAfter(ctx context.Context, delay time.Duration, task executors.Task, dropped func(cause error)) (withdraw func() bool, err error)
}

// repeater runs a task again and again, until it is stopped.
type repeater func(task executors.Task, initial, period time.Duration) (stop func() bool, err error)

// executorScheduler runs tasks on an executor from elsewhere.
type executorScheduler struct {
	kind         string
	name         string
	executor     executors.Executor
	service      executors.Service // executor, if the scheduler owns it
	tracker      executors.Tracker // executor, if it says what it drops
	later        delayer           // executor, if it can delay
	repeats      repeater          // executor, if it runs periodic tasks by itself
	workersLater bool              // workers may delay too
	trampoline   bool
	unhooked     bool             // the schedule hooks are not applied: SingleWorker on the immediate scheduler
	tells        bool             // executor itself reports a Goexit of a task to the handlers of errors
	now          func() time.Time // by which periodic tasks go
	base         time.Time        // lanes of workers count from then
	ctx          context.Context  // carries the identity
	life         lifecycle        // counts tasks
	forced       atomic.Bool      // Dispose was called, or SingleWorker has disposed its worker: what is queued is dropped
	disposer     atomic.Uintptr   // the goroutine that has called Dispose first; set before forced

	mu        sync.Mutex
	timed     map[*executorTask]struct{} // tasks that came with a time; mu
	noSeries  bool                       // a graceful disposal has ended the periodic tasks; mu
	noDelayed bool                       // a graceful disposal has dropped the delayed tasks as well; mu

	completed, rejected atomic.Uint64
	dropped             atomic.Int64 // below 0 for a moment where refused takes off a task that a disposal has yet to add
}

func newExecutorScheduler(kind string, e executors.Executor, name string) *executorScheduler {
	if name == "" {
		name = fmt.Sprintf("anonymousExecutor@%x", anonymousCount.Add(1))
	}
	tracker, _ := e.(executors.Tracker)
	now := time.Now
	if clock, ok := e.(interface{ Now() time.Time }); ok {
		now = clock.Now
	}
	return &executorScheduler{
		kind:     kind,
		name:     name,
		executor: e,
		tracker:  tracker,
		now:      now,
		base:     now(),
		ctx:      context.WithValue(context.Background(), identityKey{}, &identity{name: name}),
		timed:    map[*executorTask]struct{}{},
	}
}

// newTask makes a task and counts it in life until its end; w is nil for a direct
// task.
func (x *executorScheduler) newTask(op string, task Task, w *executorWorker) (*executorTask, error) {
	checkTask(op, task)
	if x.IsDisposed() {
		x.rejected.Add(1)
		return nil, errDisposed
	}
	if !x.unhooked {
		task = onSchedule(task)
	}
	if !x.life.enter() { // the hooks may have taken their time
		x.rejected.Add(1)
		return nil, errDisposed
	}
	return &executorTask{x: x, w: w, fn: task}, nil
}

// book adds the task to those of its worker, whose Dispose may end the task from then on. If the worker is disposed, book undoes
// newTask.
func (x *executorScheduler) book(t *executorTask) error {
	if t.w == nil || t.w.add(t) {
		return nil
	}
	x.life.gone()
	x.rejected.Add(1)
	return errWorkerDisposed
}

// refused undoes newTask and book; task is what t was made of.
func (x *executorScheduler) refused(t *executorTask, task Task, cause error) error {
	x.rejected.Add(1)
	switch {
	case t.state.CompareAndSwap(stateQueued, stateCancelled):
		t.end()
	case t.state.Load() == stateCancelled: // by a disposal, which counts it
		x.dropped.Add(-1)
	}
	if r, ok := errors.AsType[*RejectedError](cause); ok {
		return r
	}
	return &RejectedError{Reason: ExecutorFailed, Cause: named(cause, task, x)}
}

// offer hands run to the executor, which calls lost if it drops run after all. withdraw takes run back; it
// is nil if the executor can't do that.
func (x *executorScheduler) offer(run executors.Task, lost func(cause error)) (withdraw func() bool, err error) {
	err = accepting(x.name, func() (err error) {
		if x.tracker == nil {
			return x.executor.Execute(x.ctx, run)
		}
		withdraw, err = x.tracker.Track(x.ctx, run, lost)
		return err
	}, lost)
	return withdraw, err
}

// submit hands the task to the executor.
func (x *executorScheduler) submit(op string, task Task, w *executorWorker) (Disposable, error) {
	t, err := x.newTask(op, task, w)
	if err != nil {
		return nil, err
	}
	if err := x.book(t); err != nil {
		return nil, err
	}
	if w != nil && x.trampoline {
		err = w.bounce(t)
	} else {
		err = t.now()
	}
	if err != nil {
		return nil, x.refused(t, task, err)
	}
	return t, nil
}

// Execute hands task to the executor.
func (x *executorScheduler) Execute(task Task) error {
	_, err := x.submit("Execute", task, nil)
	return err
}

// Schedule hands task to the executor.
func (x *executorScheduler) Schedule(task Task) (Disposable, error) {
	return x.submit("Schedule", task, nil)
}

// ScheduleAfter hands task to the executor if it can delay.
func (x *executorScheduler) ScheduleAfter(task Task, delay time.Duration) (Disposable, error) {
	return x.submitAfter(task, delay, nil)
}

// SchedulePeriodically hands task to the executor if it can delay.
func (x *executorScheduler) SchedulePeriodically(task Task, initial, period time.Duration, opts ...PeriodicOption) (Disposable, error) {
	return x.submitSeries(task, initial, period, opts, nil)
}

// NewWorker returns a worker that keeps track of its tasks.
func (x *executorScheduler) NewWorker() Worker {
	return &executorWorker{x: x, tasks: map[*executorTask]struct{}{}}
}

// Now returns the time of the executor, or that of the system.
func (x *executorScheduler) Now() time.Time { return x.now() }

// Dispose refuses from now on, and shuts an owned service down.
func (x *executorScheduler) Dispose() {
	x.life.close()
	if x.service != nil {
		x.disposer.CompareAndSwap(0, goid.Current())
		x.forced.Store(true)
		x.service.ShutdownNow()
	}
}

// DisposeGracefully refuses from now on and waits for the tasks, or for the end of
// an owned service.
func (x *executorScheduler) DisposeGracefully(ctx context.Context, opts ...DisposeOption) error {
	if ctx == nil {
		return errNoContext // and nothing is disposed
	}
	x.life.close()
	x.endTimed(opts)
	if x.service != nil {
		x.service.Shutdown()
		return x.service.AwaitTermination(ctx)
	}
	return x.life.wait(ctx)
}

// IsDisposed reports whether a disposal has begun or the owned service is shut
// down.
func (x *executorScheduler) IsDisposed() bool {
	return x.life.isClosed() || x.service != nil && x.service.IsShutdown()
}

// Stats returns a snapshot; the executor has figures of its own.
func (x *executorScheduler) Stats() Stats {
	return Stats{
		Kind:          x.kind,
		Name:          x.String(),
		Disposed:      x.IsDisposed(),
		Completed:     x.completed.Load(),
		Dropped:       uint64(max(0, x.dropped.Load())),
		Rejected:      x.rejected.Load(),
		QueueCapacity: Unlimited,
		Remaining:     Unlimited,
	}
}

// String returns for example "fromExecutor(\"pool\")".
func (x *executorScheduler) String() string { return fmt.Sprintf("%s(%q)", x.kind, x.name) }
