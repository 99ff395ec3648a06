package schedulers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/live"
)

// SingleWorker returns a scheduler on one worker of s: everything runs in the lane of
// that worker, in order, the runs of periodic tasks too. Direct timed tasks work if s
// has timed tasks; the workers of the returned scheduler have none. Disposing the
// returned scheduler disposes the worker, not s.
func SingleWorker(s Scheduler) Scheduler {
	if s == nil {
		panic("schedulers: SingleWorker: scheduler is nil")
	}
	w := pinnableOf(s.NewWorker())
	e := workerExecutor{w}
	x := newExecutorScheduler("singleWorker", e, nameOf(s))
	x.later, x.repeats = e, e.repeat
	x.now = s.Now
	_, x.unhooked = s.(immediate)
	x.tells = w.tellsGoexit()
	return &pinned{executorScheduler: x, source: s, worker: w, overtakes: w.overtakes(), gone: make(chan struct{})}
}

// nameOf returns the string form of a scheduler.
func nameOf(s Scheduler) string {
	if named, ok := s.(fmt.Stringer); ok {
		return named.String()
	}
	return s.Stats().Name
}

// pinnable is a worker with what [SingleWorker] has to know of it.
type pinnable interface {
	Worker

	// tellsGoexit reports whether the worker itself reports the Goexit of a task to the handlers of errors.
	tellsGoexit() bool

	// overtakes reports whether a task need not run behind those that were submitted before it.
	overtakes() bool

	// tasksLost returns a channel that is closed when the worker has dropped its tasks, or nil if the worker does not tell.
	tasksLost() <-chan struct{}

	// tellsLoss reports whether the handles of its tasks are lossTellers.
	tellsLoss() bool

	// executeBare runs a task of this package, past hooks, decorators and meters: those of the user must not see it, and could
	// refuse it while tasks before it are still to be run. A worker that tells of losses calls dropped if it drops the task.
	executeBare(task Task, dropped func(cause error)) error
}

// lossTeller is the handle of a task that may be dropped though it was accepted, because the executor below was shut down.
type lossTeller interface {
	Disposable

	// whenLost has fn called, at most once, when the task is dropped so, or at once if it was.
	whenLost(fn func(cause error))
}

// tellLoss has fn called when the task of d is lost, if d tells of that.
func tellLoss(d Disposable, fn func(cause error)) {
	if t, ok := d.(lossTeller); ok {
		t.whenLost(fn)
	}
}

// pinnableOf returns w, with what holds for most workers if it does not say itself.
func pinnableOf(w Worker) pinnable {
	if known, ok := w.(pinnable); ok {
		return known
	}
	return plainWorker{w}
}

// plainWorker is a worker that does not implement pinnable, such as one that is implemented elsewhere.
type plainWorker struct{ Worker }

func (plainWorker) tellsGoexit() bool          { return false }
func (plainWorker) overtakes() bool            { return false }
func (plainWorker) tasksLost() <-chan struct{} { return nil }
func (plainWorker) tellsLoss() bool            { return false }

func (w plainWorker) executeBare(task Task, _ func(cause error)) error {
	return w.Execute(Undecorated(task))
}

// workerExecutor makes a worker look like an executor. Its tasks are marked Undecorated: newTask has
// applied the schedule hooks, once for all runs of a periodic task.
type workerExecutor struct{ pinnable }

// Execute runs task in the lane of the worker, with the context of that.
func (e workerExecutor) Execute(_ context.Context, task executors.Task) error {
	return e.pinnable.Execute(Undecorated(task))
}

// Track is Execute, except that dropped is called if the worker drops the task and tells of losses. It returns no function to withdraw
// the task.
func (e workerExecutor) Track(ctx context.Context, task executors.Task, dropped func(cause error)) (func() bool, error) {
	if !e.tellsLoss() {
		return nil, e.Execute(ctx, task)
	}
	d, err := e.Schedule(Undecorated(task))
	if err != nil {
		return nil, err
	}
	tellLoss(d, dropped)
	return nil, nil
}

// ExecuteAfter runs task in the lane of the worker after delay.
func (e workerExecutor) ExecuteAfter(ctx context.Context, delay time.Duration, task executors.Task) (func() bool, error) {
	return e.TrackAfter(ctx, delay, task, func(error) {})
}

// TrackAfter is ExecuteAfter, except that dropped is called if the worker drops the task and tells of losses.
func (e workerExecutor) TrackAfter(_ context.Context, delay time.Duration, task executors.Task, dropped func(cause error)) (func() bool, error) {
	d, err := e.ScheduleAfter(Undecorated(task), delay)
	if err != nil {
		return nil, err
	}
	tellLoss(d, dropped)
	return func() bool {
		early := !d.IsDisposed()
		d.Dispose()
		return early
	}, nil
}

// repeat runs task again and again in the lane of the worker, which decides where a run comes between the other
// tasks, also if the run is late.
func (e workerExecutor) repeat(task executors.Task, initial, period time.Duration) (stop func() bool, err error) {
	d, err := e.SchedulePeriodically(Undecorated(task), initial, period)
	if err != nil {
		return nil, err
	}
	return func() bool { d.Dispose(); return true }, nil
}

// pinned is an executorScheduler on one worker, with a short cut for Execute.
type pinned struct {
	*executorScheduler
	source    Scheduler
	worker    pinnable
	overtakes bool          // worker keeps no order
	gone      chan struct{} // closed when worker is disposed
}

// Execute runs task in the lane. Nothing but its submission has to be tracked: the worker
// drops it when it is disposed, and it comes before the last task of a graceful
// disposal, which waits for submissions that are under way. On a worker that keeps no
// order the last task may come first.
func (p *pinned) Execute(task Task) error {
	checkTask("Execute", task)
	if p.overtakes {
		return p.executorScheduler.Execute(task)
	}
	if !p.life.enter() {
		p.rejected.Add(1)
		return errDisposed
	}
	defer p.life.gone()
	return p.worker.Execute(task)
}

// Dispose disposes the worker.
func (p *pinned) Dispose() {
	p.life.close()
	if !p.forced.Swap(true) {
		close(p.gone)
	}
	p.worker.Dispose()
}

// DisposeGracefully waits until the worker has run what was accepted, and disposes
// it then.
func (p *pinned) DisposeGracefully(ctx context.Context, opts ...DisposeOption) error {
	if ctx == nil {
		return errNoContext // and nothing is disposed
	}
	p.life.close()
	p.endTimed(opts)
	if err := p.runOut(ctx); err != nil {
		return err
	}
	// Whoever has set forced before disposes the worker. That may be a task of it, whose context a disposal from here would end.
	if !p.forced.Swap(true) {
		close(p.gone)
		p.worker.Dispose()
	}
	return nil
}

// runOut waits until the worker has run what was accepted, or has dropped it.
func (p *pinned) runOut(ctx context.Context) error {
	lost := p.worker.tasksLost()
	if !p.source.IsDisposed() {
		if err := p.life.waitUnless(ctx, p.gone, lost); err != nil {
			return err
		}
		if over, err := p.runLast(ctx, lost); over || err != nil {
			return err
		}
	}
	// If the source is disposed, it runs what it has accepted, or has dropped it.
	if p.forced.Load() || !p.source.IsDisposed() {
		return nil
	}
	return p.awaitSource(ctx)
}

// lookTime is the pause after which runLast tries again to submit to a full queue: nobody tells when there is room.
const lookTime = time.Millisecond

// runLast submits a task behind all others and waits for it. over says that nothing is left to wait for; it is false if the source
// has refused or dropped the task, or ctx has ended.
func (p *pinned) runLast(ctx context.Context, lost <-chan struct{}) (over bool, err error) {
	last, dropped := make(chan struct{}), make(chan struct{})
	task := func(context.Context) { close(last) }
	drop := func(error) { close(dropped) }
	err = p.worker.executeBare(task, drop)
	for errors.Is(err, ErrCapacity) && !p.forced.Load() {
		look := make(chan struct{})
		stop := live.After(lookTime, func() { close(look) })
		select {
		case <-look:
		case <-p.gone:
		case <-lost:
		case <-ctx.Done():
			stop()
			return false, context.Cause(ctx)
		}
		stop()
		err = p.worker.executeBare(task, drop)
	}
	if err != nil {
		return false, nil
	}
	select {
	case <-last:
		return true, nil
	case <-p.gone: // somebody else has disposed the worker, which drops the task
		return true, nil
	case <-lost:
		return false, nil
	case <-dropped:
		return false, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// awaitSource waits for the end of the source, which was disposed.
func (p *pinned) awaitSource(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan error, 1)
	go func() { ended <- p.source.DisposeGracefully(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-p.gone:
		return nil
	}
}

// Stats returns a snapshot; the worker's tasks are counted by the scheduler below.
func (p *pinned) Stats() Stats {
	st := p.executorScheduler.Stats()
	st.Parent = nameOf(p.source)
	st.Workers, st.Capacity = 1, 1
	return st
}
