package executors

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
)

// Shutdown makes the pool refuse new tasks; tasks that run or wait are still
// finished. It interrupts nothing, does not wait, and may be called again.
func (p *ThreadPool) Shutdown() {
	if !p.made() {
		return // it has no tasks
	}
	left := p.close(poolShutdown)
	failure.Persist(len(left), func(i int) bool {
		defer p.measure.withdrawn()
		left[i].h.abandon(becauseOfShutdown) // who hears of it may end the goroutine
		return true
	})
}

// ShutdownNow makes the pool refuse new tasks, ends the contexts of running tasks
// with the cause [ErrShutdown], and returns the waiting tasks in the order of the
// queue. Each accepted task is either run or returned. The futures of returned tasks
// fail with a [*CancelError], even if you run the returned function later.
// ShutdownNow does not wait for running tasks.
func (p *ThreadPool) ShutdownNow() []Task {
	if !p.made() {
		return nil
	}
	left := p.close(poolStop)
	chaos.Yield()
	p.stop(ErrShutdown)
	tasks := make([]Task, 0, len(left))
	failure.Persist(len(left), func(i int) bool {
		e := &left[i]
		defer p.measure.withdrawn()
		if e.h == nil {
			tasks = append(tasks, e.fn)
			return true
		}
		tasks = append(tasks, e.h.asTask())
		e.h.abandon(becauseOfShutdown) // who hears of it may end the goroutine
		return true
	})
	return tasks
}

// asTask returns a function that runs the task of the handle without the handle: what the
// task returns is lost. The caller owns the task.
func (h *Handle) asTask() Task {
	switch b := h.body.(type) {
	case *tracked:
		return b.task
	case detachable:
		return b.detach()
	default:
		return func(ctx context.Context) { b.run(ctx) }
	}
}

// detachable is a body that clears its function when it is released.
type detachable interface {
	body
	detach() Task
}

func (f *futureBody[T]) detach() Task {
	fn := f.fn
	return func(ctx context.Context) { fn(ctx) }
}

// close raises the state to s, and returns the tasks that will not be run for that: all in the queue if
// s is poolStop, else those of a schedule that do not outlive a shutdown.
func (p *ThreadPool) close(s poolState) (left []entry) {
	p.lock()
	first := p.state == poolRunning
	p.state = max(p.state, s)
	if first {
		close(p.stopping)
	}
	if p.scheduled != nil && p.state < poolStop {
		left = p.scheduled.closing(p)
	}
	if s == poolStop {
		left = p.queue.drain()
	}
	for _, e := range left {
		p.cancelled++
		if e.h != nil {
			e.h.takenOut(indexOfShutdown)
		}
	}
	woken := p.roomForNone()
	p.wind() // unlocks
	woken.wake()
	return left
}

// wind brings a pool that is shut down nearer to its end: idle workers leave when
// the queue is empty, and the last one that has left terminates it. The caller holds
// mu, which is released.
func (p *ThreadPool) wind() {
	if p.state < poolShutdown || p.queue.len() > 0 {
		p.unlock()
		return
	}
	gone := p.idle
	p.idle = nil
	for _, w := range gone {
		w.quit = true
		p.workers--
	}
	ended := p.goroutines == 0 && p.state < poolTidying
	if ended {
		p.state = poolTidying
		p.disarmReaper()
		if p.scheduled != nil {
			p.scheduled.alarm.Stop()
		}
	}
	p.unlock()
	for _, w := range gone {
		w.signal()
	}
	if ended {
		p.terminate()
	}
}

// terminate is called once, by wind, on the goroutine that has counted out the last worker or has shut an idle pool down.
func (p *ThreadPool) terminate() {
	defer func() { // deferred, because the hook or the meter may call runtime.Goexit
		p.lock()
		p.state = poolTerminated
		last := p.callers == 0
		p.unlock()
		if last { // else a submitter still runs a task, which nothing interrupts
			p.stop(ErrShutdown)
		}
		close(p.done)
	}()
	defer p.measure.remove()
	if p.hooks.Terminated != nil {
		p.callAfter(func(context.Context, error) { p.hooks.Terminated() }, p.ctx, nil)
	}
}

// AwaitTermination waits after a shutdown until the last task has ended, the
// Terminated hook was called and no goroutine of the pool is left. If ctx ends first,
// it returns the cause of ctx; with a context that has already ended it only checks,
// without waiting. A task of the pool must not call it.
func (p *ThreadPool) AwaitTermination(ctx context.Context) error {
	if !p.made() {
		return errNotMade
	}
	if ctx == nil {
		return errNoContext
	}
	select {
	case <-p.done:
		return nil
	default:
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return reactor.NonNil(context.Cause(ctx))
	}
}

// Close shuts the pool down and waits for its tasks. If ctx ends first, it shuts the
// pool down by force and returns without waiting further; the error has the cause of
// ctx and says how many tasks ran and how many waited.
func (p *ThreadPool) Close(ctx context.Context) error {
	if ctx == nil {
		return errNoContext // and nothing is shut down
	}
	p.Shutdown()
	err := p.AwaitTermination(ctx)
	if err != nil && p.made() {
		err = fmt.Errorf("executors: Close: %v: %w", p.Stats(), err)
	}
	if err != nil {
		p.ShutdownNow()
	}
	return err
}

// IsShutdown reports whether the pool takes no more tasks.
func (p *ThreadPool) IsShutdown() bool {
	if !p.made() {
		return false
	}
	select {
	case <-p.stopping:
		return true
	default:
		return false
	}
}

// IsTerminating reports whether the pool is shut down and not terminated yet.
func (p *ThreadPool) IsTerminating() bool { return p.IsShutdown() && !p.IsTerminated() }

// IsTerminated reports whether the pool has come to its end.
func (p *ThreadPool) IsTerminated() bool {
	if !p.made() {
		return false
	}
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
