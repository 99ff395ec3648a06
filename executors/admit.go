package executors

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
)

// answer is the answer of a pool to a task.
type answer uint8

const (
	accepted answer = iota
	refusedFull
	refusedStopped
	refusedWorker // no worker could be started
)

// Execute runs task on a worker. It returns nil if the task was accepted or if, by
// the decision of the policy, it ran in the caller or was discarded. Otherwise the
// error is [ErrNilTask], a [*RejectedError], or the cause of ctx if ctx has ended.
// If ctx ends after the task was accepted, the task still runs, with a context that
// has ended.
func (p *ThreadPool) Execute(ctx context.Context, task Task) error {
	if p.bare && p.decorate == nil && task != nil && ctx == context.Background() {
		return p.executePlain(task)
	}
	e, err := p.entryFor(ctx, task)
	if err != nil {
		return err
	}
	return p.submit(e)
}

// executePlain is Execute for a task that has nothing but its function.
func (p *ThreadPool) executePlain(task Task) error {
	p.mu.Lock()
	if p.state == poolRunning && p.workers > 0 && p.workers >= p.core && len(p.idle) == 0 && p.capacity == Unlimited {
		p.line.push(task)
		p.submitted++
		p.mu.Unlock()
		return nil
	}
	e := entry{fn: task, ctx: context.Background()}
	if v, cause := p.admit(e, nil, false); v != accepted { // unlocks
		return p.reject(e, v, cause)
	}
	return nil
}

// entryFor checks and decorates a task, on the goroutine of the submitter.
func (p *ThreadPool) entryFor(ctx context.Context, task Task) (entry, error) {
	if !p.made() {
		return entry{}, errNotMade
	}
	if task == nil {
		return entry{}, ErrNilTask
	}
	if ctx == nil || ctx.Err() != nil {
		return entry{}, unusable(ctx)
	}
	if p.decorate != nil {
		if wrapped := p.decorate(task); wrapped != nil {
			task = wrapped
		}
	}
	return entry{fn: task, ctx: ctx}, nil
}

// unusable returns why nothing is accepted with ctx, which is nil or has ended.
func unusable(ctx context.Context) error {
	if ctx == nil {
		return errNoContext
	}
	return reactor.NonNil(context.Cause(ctx))
}

// submit offers an entry to the pool, and leaves it to the policy if the pool does not take it.
func (p *ThreadPool) submit(e entry) error {
	e.rank = p.rankOf(&e)
	if v, cause := p.offer(e); v != accepted {
		return p.reject(e, v, cause)
	}
	return nil
}

// rankOf returns the rank of an entry in a Priority queue. The rank function of the user is called once, before the first offer.
func (p *ThreadPool) rankOf(e *entry) int {
	if p.rank == nil {
		return 0
	}
	return p.rank(e.context())
}

// offer offers an entry to the pool. The cause is that of refusedWorker.
func (p *ThreadPool) offer(e entry) (v answer, cause error) {
	p.offered(&e)
	p.mu.Lock()
	v, cause = p.admit(e, nil, false) // unlocks
	p.decided(v)
	return v, cause
}

// offered tells the meter, if there is one, that an entry is about to be offered.
func (p *ThreadPool) offered(e *entry) {
	if p.measure != nil {
		e.at = p.measure.offered(p)
	}
}

// decided tells the meter, if there is one, the answer of the pool.
func (p *ThreadPool) decided(v answer) {
	if p.measure != nil {
		p.measure.decided(v)
	}
}

// admit takes an entry, in the order of [ThreadPool], or says why not. If there is no
// room, w is put on the list of waiters, unless w is nil: to the front if the caller
// tries again because w was woken. The caller holds mu, which is released.
func (p *ThreadPool) admit(e entry, w *waiter, again bool) (answer, error) {
	var failed error
	for {
		switch n := len(p.idle); {
		case p.state != poolRunning:
			p.mu.Unlock()
			return refusedStopped, nil
		case p.workers < p.core && failed == nil:
			if failed = p.startWith(e); failed == nil {
				return accepted, nil
			}
			p.mu.Lock()
			continue
		case n > 0 && p.needsWorker():
			first := p.enqueueFor(e)
			if first.empty() {
				p.mu.Unlock()
				return accepted, nil
			}
			idle := p.idle[n-1]
			p.idle[n-1], p.idle = nil, p.idle[:n-1]
			p.assign(idle, first)
			p.mu.Unlock()
			idle.signal()
			return accepted, nil
		case p.workers > 0 && p.queue.offer(e):
			p.accept(&e)
			p.mu.Unlock()
			return accepted, nil
		case p.workers < p.most && failed == nil:
			if failed = p.startWith(e); failed == nil {
				return accepted, nil
			}
			p.mu.Lock()
			continue
		case failed != nil:
			p.mu.Unlock()
			return refusedWorker, failed
		}
		if w == nil {
			p.mu.Unlock()
			return refusedFull, nil
		}
		p.freeze() // from now on who takes a task looks for those who wait
		if p.line != nil && p.workers > 0 && p.line.len() < p.capacity {
			continue // one was taken in the meantime
		}
		if again {
			p.waiters.pushFront(w)
		} else {
			p.waiters.pushBack(w)
		}
		p.mu.Unlock()
		return refusedFull, nil
	}
}

// needsWorker reports whether an idle worker has to be woken for one more task: the
// workers that look into the queue anyway are too few. The caller holds mu.
func (p *ThreadPool) needsWorker() bool {
	waiting := p.queue.len()
	return waiting == 0 && p.looking.Load() == 0 ||
		p.line != nil && p.capacity == Unlimited && waiting >= int(p.looking.Load())
}

// enqueueFor accepts a task while there is an idle worker, and returns the task for that
// worker: e if nothing waits, else the first task of the queue, or no task if other
// workers have taken all of them in between. The caller holds mu.
func (p *ThreadPool) enqueueFor(e entry) (first entry) {
	if p.queue.len() == 0 {
		p.accept(&e)
		return e
	}
	p.queue.offer(e)
	p.accept(&e)
	first, _ = p.queue.poll(0)
	return first
}

// accept counts a task as submitted. The caller holds mu.
func (p *ThreadPool) accept(e *entry) {
	p.submitted++
	if e.h != nil {
		e.h.phase = phaseQueued
	}
}

// assign gives a task to a worker that has none, in next. The caller holds mu.
func (p *ThreadPool) assign(w *worker, e entry) {
	w.next = e
	w.busy = true
	p.active++
	if e.h != nil {
		e.h.phase = phaseRunning
	}
}

// startWith starts a worker for e. The caller holds mu, which is released.
func (p *ThreadPool) startWith(e entry) error {
	w := p.hire()
	p.accept(&e)
	p.assign(w, e)
	p.mu.Unlock()
	v, returned := accepted, false
	defer func() {
		if !returned { // spawn ends the goroutine: whoever has offered e does not call decided
			p.decided(v)
		}
	}()
	err := p.launch(w, func() {
		v = refusedWorker
		p.unstart(w, e)
	})
	returned = true
	return err
}

// unstart undoes what startWith has done for e, because w could not be started.
func (p *ThreadPool) unstart(w *worker, e entry) {
	p.lock()
	if e.h != nil {
		e.h.phase = phaseNew
	}
	p.submitted--
	p.active--
	if p.workers == 1 && p.queue.len() > 0 {
		// Others have relied on this worker in the meantime.
		w.next, w.busy = entry{}, false
		p.unlock()
		go w.loop()
		return
	}
	p.dismissUnstarted() // unlocks
}

// hire makes and counts a new worker; the caller starts it when mu is released. The caller holds mu.
func (p *ThreadPool) hire() *worker {
	p.workers++
	p.goroutines++
	p.names++
	w := newWorker(p, p.names)
	if p.spawn == nil {
		p.countStarted()
	} else {
		w.unstarted = true // spawn may fail
		p.unstarted++
	}
	return w
}

// countStarted raises largest to the number of workers that were started. The caller
// holds mu.
func (p *ThreadPool) countStarted() { p.largest = max(p.largest, p.workers-p.unstarted) }

// started notes that the goroutine of a worker runs, which calls it.
func (w *worker) started() {
	w.unstarted = false
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	w.pool.unstarted--
	w.pool.countStarted()
}

// dismissUnstarted takes a worker that could not be started out of the counts. The
// caller holds mu, which is released.
func (p *ThreadPool) dismissUnstarted() {
	p.unstarted--
	p.workers--
	p.retire() // unlocks
}

// launch starts the goroutine of a worker. If spawn, the function of the user, does not, launch calls failed on the goroutine of
// the caller, also while spawn ends that goroutine.
func (p *ThreadPool) launch(w *worker, failed func()) error {
	if p.spawn == nil {
		go w.loop()
		return nil
	}
	return p.callSpawn(w, failed)
}

func (p *ThreadPool) callSpawn(w *worker, failed func()) (err error) {
	var settled atomic.Bool // the worker runs, or was given up: whichever came first
	returned := false
	defer func() {
		if !returned {
			err = caught(p.name, recover())
		}
		switch {
		case err == nil:
		case settled.Swap(true):
			err = nil // the worker runs all the same
		default:
			failed()
		}
	}()
	err = p.spawn(w.id.name, func() {
		if !settled.Swap(true) {
			w.loop()
		}
	})
	returned = true
	return err
}

// discardNew ends a task that was not accepted as one that was accepted and then dropped.
func (p *ThreadPool) discardNew(e entry) {
	p.lock()
	p.submitted++
	p.discarded++
	p.unlock()
	defer p.measure.discarded()
	p.dropped(e)
}

// dropOldest drops the first task of the queue that may be dropped, and reports whether there was one. It sets noted before
// anybody hears of that task: who hears of it may end the goroutine.
func (p *ThreadPool) dropOldest(noted *bool) bool {
	p.lock()
	e, ok := p.queue.dropOldest()
	if !ok {
		p.unlock()
		return false
	}
	p.discarded++
	if e.h != nil {
		e.h.takenOut(indexDiscarded)
	}
	p.unlock()
	chaos.Yield()
	*noted = true
	defer p.measure.withdrawn()
	p.dropped(e)
	return true
}

// dropped tells the handle of a discarded task, or the error handler if the task has none.
func (p *ThreadPool) dropped(e entry) {
	if e.h != nil {
		e.h.abandon(ErrDiscarded)
		return
	}
	p.report(e.ctx, ErrDiscarded)
}
