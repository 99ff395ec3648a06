package executors

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/goid"
)

// worker runs tasks of a pool one after the other, on a goroutine of its own. When a task has
// ended that goroutine by runtime.Goexit, the same worker goes on on another one.
type worker struct {
	pool *ThreadPool
	id   *identity
	base context.Context // for tasks that were submitted without values; immutable, so it carries nothing from one to the next

	next      entry         // the task that it was given by assign and has not begun; pool.mu
	busy      bool          // it has a task; pool.mu
	quit      bool          // it is to leave; pool.mu
	idleSince int64         // pool.mu
	waiting   atomic.Uint32 // looking, parked or signalled; written by the worker and by who signals it
	wake      chan struct{} // written by signal if the worker is parked; has room for one

	now     run         // the run under way; the worker's goroutine
	taker   taker       // of the line; the worker's goroutine
	scratch map[any]any // what its task keeps in Locals; the worker's goroutine
	skipped bool        // its task was cancelled in the last moment; the worker's goroutine
	calling bool        // runPlain calls a task; the worker's goroutine
	left    bool        // it was counted out; the worker's goroutine

	unstarted bool // its goroutine has not begun; who hires it, then its goroutine

	runner atomic.Uintptr // its goroutine, which writes it; read by who asks for a Local
}

// The states of a worker that waits.
const (
	looking uint32 = iota // it looks at waiting again and again
	parked                // it waits for wake
	signalled
)

// looks is how often a worker lets other goroutines run and looks again, for a task before it rests, and for a signal before it parks.
const looks = 4

func newWorker(p *ThreadPool, n int) *worker {
	name := p.name + "-" + strconv.Itoa(n)
	w := &worker{pool: p, id: &identity{name: name, pool: p}, wake: make(chan struct{}, 1)}
	w.id.worker = w
	w.base = pprof.WithLabels(
		context.WithValue(p.ctx, identityKey{}, w.id),
		pprof.Labels("executor", p.name, "worker", name))
	return w
}

// loop runs tasks until the worker is to leave.
func (w *worker) loop() {
	w.runner.Store(goid.Current())
	if w.unstarted {
		w.started()
	}
	// Also takes off the labels of the goroutine that has started this one.
	pprof.SetGoroutineLabels(w.base)
	defer func() {
		if !w.left { // runtime.Goexit in a task: this goroutine is lost, the worker is not
			w.replace()
		}
	}()
	for ran := false; ; {
		e, ok := w.pool.take(w, ran)
		if !ok {
			break
		}
		for ran = true; !e.empty(); {
			if w.plain(&e) {
				e = w.runPlain(e)
			} else {
				w.run(e)
				e = entry{}
			}
		}
	}
}

// replace starts a new goroutine for the worker, whose goroutine ends: by a go statement if spawn fails.
func (w *worker) replace() {
	_ = w.pool.launch(w, func() { go w.loop() })
}

// plain reports whether there is nothing to do for a task but to call it.
func (w *worker) plain(e *entry) bool {
	return w.pool.bare && e.h == nil && e.ctx == context.Background()
}

// runPlain runs a plain task, and then further tasks for as long as they are plain and can be claimed
// without the lock, so that endPlain is deferred once for all of them. It returns the first task that it
// has claimed and that is not plain, or no task if take has to ask under the lock.
func (w *worker) runPlain(e entry) (next entry) {
	defer w.endPlain()
	line, fn := w.pool.line, e.fn
	for w.calling = true; ; {
		chaos.Yield()
		fn(w.base)
		if w.scratch != nil {
			w.scratch = nil
		}
		pprof.SetGoroutineLabels(w.base)
		s, i, c := line.claim(&w.taker)
		if c != claimedTask {
			w.calling = false
			return entry{}
		}
		if fn = s.plain(i); fn == nil {
			w.calling = false
			return s.empty(i)
		}
	}
}

// endPlain is deferred by runPlain: it recovers the panic of a task, and reports that or a Goexit.
func (w *worker) endPlain() {
	if !w.calling {
		return
	}
	w.calling = false
	err := caught(w.id.name, recover())
	defer w.clean()
	w.pool.report(w.base, err)
}

// take returns the next task of w, or false if w was counted out and has to end its goroutine.
// If ran is true, w has run a task, which take counts.
func (p *ThreadPool) take(w *worker, ran bool) (entry, bool) {
	if ran && p.line != nil && !w.skipped {
		if e, ok := p.look(w); ok {
			return e, true
		}
	}
	w.taker.settle()
	p.lock()
	if w.next.empty() {
		p.finished(w)
		if p.workers > p.most && p.workers > 1 {
			return entry{}, p.leave(w)
		}
		if e, woken, ok := p.nextTask(); ok {
			p.assign(w, e)
			w.next = entry{}
			p.unlock()
			woken.wake()
			return e, true
		}
		if p.state >= poolShutdown && p.queue.len() == 0 || p.keepAlive == 0 && p.surplus() {
			return entry{}, p.leave(w)
		}
		p.rest(w)
		p.unlock()
		w.await()
		p.lock()
		if w.quit {
			w.left = true // before the pool may end, with a hook that may end the goroutine
			p.retire()    // unlocks
			return entry{}, false
		}
	}
	e := w.next
	w.next = entry{}
	p.unlock()
	return e, true
}

// look takes the next task for a worker that has completed one, without mu. If there is
// none, the worker looks again a few times, because to rest and be woken costs more than
// a small task. Submitters wake no other worker meanwhile: a worker that has found
// nothing goes on in take, and looks once more there, under the lock.
//
// If the queue has a limit the worker does not look again, so that nobody finds a full
// queue beside a worker that has nothing to do.
func (p *ThreadPool) look(w *worker) (entry, bool) {
	s, i, c := p.line.claim(&w.taker)
	if c == claimedTask {
		return s.empty(i), true
	}
	if c == claimedLocked || p.capacity != Unlimited {
		return entry{}, false
	}
	p.looking.Add(1)
	for range looks {
		runtime.Gosched()
		if !p.line.some() {
			continue
		}
		p.looking.Add(-1) // before the task is taken: each worker in the count stands for one task that needs no other worker
		chaos.Yield()
		if s, i, c = p.line.claim(&w.taker); c == claimedTask {
			return s.empty(i), true
		} else if c == claimedLocked {
			return entry{}, false
		}
		p.looking.Add(1)
	}
	p.looking.Add(-1)
	return entry{}, false
}

// nextTask returns the task that is to run next, if there is one: the first one of the
// queue or, if the queue has none, that of the first submitter that waits for room. The
// caller holds mu, and calls wake of woken when mu is released.
func (p *ThreadPool) nextTask() (e entry, woken wakers, ok bool) {
	if e, ok = p.queue.poll(p.pollTime()); ok {
		return e, p.room(), true
	}
	if w := p.waiters.first; w != nil && p.state == poolRunning {
		if p.measure != nil {
			w.e.at = p.now()
		}
		p.letIn(w, &woken)
		return w.e, woken, true
	}
	return entry{}, woken, false
}

// pollTime is the time to poll the queue with: only a schedule looks at it. The caller holds mu.
func (p *ThreadPool) pollTime() int64 {
	if p.scheduled == nil || p.queue.len() == 0 {
		return 0
	}
	return p.now()
}

// finished counts the task that w had, if any: as completed, or as cancelled if it was skipped. The
// caller holds mu.
func (p *ThreadPool) finished(w *worker) {
	if !w.busy {
		return
	}
	w.busy = false
	p.active--
	if w.skipped {
		w.skipped = false
		p.cancelled++
	} else {
		p.completed++
	}
}

// rest puts w on the list of idle workers. The caller holds mu.
func (p *ThreadPool) rest(w *worker) {
	w.waiting.Store(looking)
	if p.surplus() {
		w.idleSince = p.now()
	} else {
		w.idleSince = never
	}
	p.idle = append(p.idle, w)
	p.armReaper()
	if p.scheduled != nil {
		p.armDue()
	}
}

// await waits, on the goroutine of w, until somebody has called signal.
func (w *worker) await() {
	for range looks {
		if w.waiting.Load() == signalled {
			return
		}
		runtime.Gosched()
	}
	if w.waiting.CompareAndSwap(looking, parked) {
		chaos.Yield()
		<-w.wake
	}
}

// signal ends await of w. Whoever has taken w off the list of idle workers calls it once, without mu.
func (w *worker) signal() {
	chaos.Yield()
	if w.waiting.Swap(signalled) == parked {
		w.wake <- struct{}{}
	}
}

// leave counts out w, which is not on the list of idle workers, and returns false for take. The caller
// holds mu, which is released.
func (p *ThreadPool) leave(w *worker) bool {
	w.left = true // as in take
	p.workers--
	p.retire() // unlocks
	return false
}

// retire counts out a goroutine: a worker that ends calls it last, or dismissUnstarted for
// one that was never started. The last one terminates a pool that is shut down. The caller holds mu,
// which is released.
func (p *ThreadPool) retire() {
	p.goroutines--
	woken := p.room()
	p.wind() // unlocks
	woken.wake()
}

// run is a task on a worker.
type run struct {
	e     entry
	ctx   context.Context
	own   *runContext // ctx, if it is of this run alone
	stage stage
	err   error
	start int64 // 0 if nobody measures
}

type stage uint8

const (
	preparing stage = iota
	running
	returned
	skipped // it was cancelled in the last moment
)

// run runs a task, between the hooks.
func (w *worker) run(e entry) {
	r := &w.now
	r.e = e
	defer w.finish()
	r.ctx, r.own = w.contextFor(&e)
	if e.h != nil && !e.h.begin(r.own) {
		r.stage = skipped
		w.skipped = true
		w.pool.measure.withdrawn()
		return
	}
	if w.pool.measure != nil {
		r.start = w.pool.measure.begin(w.pool, e.at)
	}
	if before := w.pool.hooks.Before; before != nil {
		if ctx := w.callBefore(before); ctx != nil {
			r.ctx = ctx
		}
	}
	chaos.Yield()
	r.stage = running
	if e.h != nil {
		r.err = e.h.body.run(r.ctx)
	} else {
		e.fn(r.ctx)
	}
	r.stage = returned
}

// callBefore calls the hook before a run. If the task is awaited, a panic of the hook is reported
// here and the task runs all the same; otherwise finish meets the panic.
func (w *worker) callBefore(before func(ctx context.Context) context.Context) context.Context {
	r := &w.now
	if r.e.h == nil || !r.e.h.awaited() {
		return before(r.ctx)
	}
	defer func() {
		if thrown := recover(); thrown != nil {
			w.pool.report(r.ctx, caught(w.id.name, thrown))
		}
	}()
	return before(r.ctx)
}

// finish is deferred by run: it recovers the panic of a task or hook, and does what is due after a run.
func (w *worker) finish() {
	defer w.clean()
	p, r := w.pool, &w.now
	if r.stage == skipped {
		return
	}
	ran := r.stage != preparing
	if r.stage != returned {
		r.err = caught(w.id.name, recover())
	}
	switch { // deferred, because the meter or the hook below may end the goroutine
	case r.e.h != nil:
		defer p.concluded(r.e.h, r.err, ran)
		if r.err != nil && r.e.h.essential {
			defer p.report(r.ctx, r.err) // nobody else looks at the handle
		}
	case r.err != nil:
		defer p.report(r.ctx, r.err)
	}
	if r.start != 0 {
		p.measure.end(p, r.start)
	}
	if after := p.hooks.After; after != nil && ran {
		p.callAfter(after, r.ctx, r.err)
	}
}

// concluded ends the handle of a run, or plans its next one.
func (p *ThreadPool) concluded(h *Handle, err error, ran bool) {
	if h.series() != nil && err == nil {
		v := p.again(h)
		defer p.decided(v) // behind the end of the handle: the meter may end the goroutine
		if v == accepted {
			return
		}
		err = becauseOfShutdown // unless it was cancelled before
	}
	h.conclude(err, ran)
}

func (p *ThreadPool) callAfter(after func(context.Context, error), ctx context.Context, err error) {
	done := false
	defer func() {
		if !done {
			p.report(ctx, caught(p.name, recover()))
		}
	}()
	after(ctx, err)
	done = true
}

// clean removes every trace of the task from the worker.
func (w *worker) clean() {
	if own := w.now.own; own != nil {
		own.release()
	}
	w.now = run{}
	w.scratch = nil
	pprof.SetGoroutineLabels(w.base)
}

// runHere runs a task on the goroutine of its submitter, because a policy wants that.
func (p *ThreadPool) runHere(e entry) {
	p.lock()
	p.callerRuns++
	p.callers++
	p.unlock()
	defer p.callerEnds()
	var err error
	ctx := e.context()
	id := callerIdentity(ctx)
	done := false
	if e.h != nil {
		own := newRunContext(ctx, p, id)
		defer own.release()
		if !e.h.begin(own) {
			return
		}
		ctx = own
	} else if id != nil {
		ctx = context.WithValue(ctx, identityKey{}, id)
	}
	defer func() {
		if !done {
			err = caught(p.name, recover())
		}
		switch {
		case e.h != nil:
			if err != nil && e.h.essential {
				defer p.report(ctx, err) // as on a worker: nobody else looks at the handle
			}
			e.h.conclude(err, true)
		case err != nil:
			p.report(ctx, err)
		}
	}()
	if e.h != nil {
		err = e.h.body.run(ctx)
	} else {
		e.fn(ctx)
	}
	done = true
}

// callerEnds counts out a task that its submitter has run. The last one ends the context of a terminated pool.
func (p *ThreadPool) callerEnds() {
	p.lock()
	p.callers--
	last := p.callers == 0 && p.state == poolTerminated
	p.unlock()
	if last {
		p.stop(ErrShutdown)
	}
}

// caught is the error for a function that did not return. It must be called by the
// deferred function that recovered.
func caught(op string, thrown any) error {
	if thrown == nil {
		return reactor.ErrGoexit
	}
	return &reactor.PanicError{Op: op, Value: thrown, Stack: debug.Stack()}
}
