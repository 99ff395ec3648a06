package executors

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/timers"
)

// Handle is a handle on an accepted task, to wait for it and to cancel it. Every
// Handle ends: with the error that the task returned, with the panic of the task, or
// with the reason why the task was not run. The zero Handle has no task: it has
// ended, and its error matches reactor.ErrIllegalState.
type Handle struct {
	node timers.Node // first; Due is the due time in a schedule, else the place in the queue; pool.mu
	pool *ThreadPool
	body body                       // owned by the submitter; then, while the task waits, guarded by pool.mu; then owned by who took the task out
	own  atomic.Pointer[runContext] // of the run under way; written by whoever runs the task, read by Cancel
	more atomic.Pointer[extra]      // what most handles don't need; set once, by rest
	ends atomic.Uint32              // the bits settled, over and failed, and the index of the outcome; changed by change alone

	phase     phase // pool.mu
	essential bool  // no policy may drop it; immutable
	periodic  bool  // it has a series; immutable
	delayed   bool  // it came with a delay; pool.mu
}

// The bits of ends. There is no lock for them, but an order: who wants to hear of the end
// first makes more and looks at ends then; who ends the handle first changes ends and
// looks into more then. So at least one of the two sees the other.
const (
	settled     uint32 = 1 << iota // the outcome is known
	over                           // the task does not run, and will not run any more
	failed                         // the outcome is the error in more
	outcomeBits = iota             // from this bit on: the index in outcomes, unless failed is set
)

// outcomes are the outcomes that need no object of their own; the first one is success.
var outcomes = [...]error{nil, indexWithoutCause: withoutCause, indexOfShutdown: becauseOfShutdown, indexDiscarded: ErrDiscarded}

const (
	indexWithoutCause = 1 + iota
	indexOfShutdown
	indexDiscarded
)

// How tasks end that are cancelled for no particular reason, and by a shutdown.
var (
	withoutCause      error = &CancelError{}
	becauseOfShutdown error = &CancelError{Cause: ErrShutdown}
)

// extra is what a handle has only if somebody asks for it: see Handle.rest.
type extra struct {
	series *series // immutable

	mu             sync.Mutex
	done, finished chan struct{} // mu
	unwatch        func() bool   // ends the watch over the submitter's context; mu
	settledHook    func()        // called once; mu
	err            error         // written under mu before failed is set; who has seen failed reads it without mu
}

// phase is where a handle is in its pool.
type phase uint8

const (
	phaseNew phase = iota
	phaseQueued
	phaseRunning
	phaseOver // taken out of the queue, and will not run
)

// body is what a handle runs.
type body interface {
	run(ctx context.Context) error
	context() context.Context // of the submitter
	pc() uintptr              // where its code begins
	release()                 // lets go of what the body holds: run is not called any more
}

// action is a function as a body.
type action func(ctx context.Context) error

func (a action) run(ctx context.Context) error { return a(ctx) }
func (a action) context() context.Context      { return context.Background() }
func (a action) pc() uintptr                   { return pcOf((func(context.Context) error)(a)) }
func (a action) release()                      {}

// nothing is the body of a handle whose own body was released.
type nothing struct{}

func (nothing) run(context.Context) error { return nil }
func (nothing) context() context.Context  { return context.Background() }
func (nothing) pc() uintptr               { return 0 }
func (nothing) release()                  {}

// decorated is a body behind the decorators of the pool.
type decorated struct {
	body
	task Task
	err  error // what body.run has returned in the run under way
	ran  bool  // the decorators have called body.run in the run under way
}

func (d *decorated) run(ctx context.Context) error {
	d.err, d.ran = nil, false
	d.task(ctx)
	if !d.ran {
		return ErrDiscarded
	}
	return d.err
}

// abandoned passes on to the body that the task will not be run.
func (d *decorated) abandoned(err error) {
	if b, ok := d.body.(interface{ abandoned(err error) }); ok {
		b.abandoned(err)
	}
}

// detach returns the task with its decorators, which can still be run when the handle has released its body.
func (d *decorated) detach() Task {
	if b, ok := d.body.(detachable); ok {
		task := b.detach()
		b.release()
		d.body = action(func(ctx context.Context) error { task(ctx); return nil })
	}
	return func(ctx context.Context) { d.run(ctx) }
}

// decorateBody puts the decorators of the pool around a body. They are code of the user, called on the goroutine of the submitter.
func (p *ThreadPool) decorateBody(b body) body {
	if p.decorate == nil {
		return b
	}
	d := &decorated{body: b}
	d.task = p.decorate(func(ctx context.Context) {
		d.ran = true
		d.err = d.body.run(ctx)
	})
	if d.task == nil {
		return b
	}
	return d
}

// init gives a new handle its pool and its body; on the goroutine of the submitter.
func (h *Handle) init(p *ThreadPool, b body) {
	h.pool = p
	h.body = p.decorateBody(b)
}

// watch cancels the handle when ctx ends. The submitter calls it after the submission.
func (h *Handle) watch(ctx context.Context) {
	if ctx.Done() == nil {
		return
	}
	x := h.rest()
	x.mu.Lock()
	defer x.mu.Unlock()
	chaos.Yield()
	if !h.IsDone() {
		x.unwatch = live.AfterContext(ctx, live.Func(func() { h.Cancel(reactor.NonNil(context.Cause(ctx))) }))
	}
}

// rest returns the extra of the handle, and makes it first if there is none. Anybody calls it.
func (h *Handle) rest() *extra {
	x := h.more.Load()
	if x == nil {
		x = new(extra)
		chaos.Yield()
		if !h.more.CompareAndSwap(nil, x) {
			x = h.more.Load()
		}
	}
	return x
}

// begin notes own as the context of the run, and reports false if the task was cancelled: then it must not run. Whoever is about
// to run the task calls it.
func (h *Handle) begin(own *runContext) bool {
	h.own.Store(own)
	chaos.Yield()
	if h.IsDone() {
		h.letGo()
		h.become(over)
		return false
	}
	return true
}

// conclude ends the handle after its last run, which has returned err; ran is false if a
// hook has kept the task from running. An essential task that did not run, because of
// a hook or a decorator, is abandoned. If the submitter's context has ended, any
// other task counts as cancelled by that, whatever it has returned.
func (h *Handle) conclude(err error, ran bool) {
	if h.essential {
		if d, ok := h.body.(*decorated); ok {
			ran = ran && d.ran
		}
		if !ran {
			h.abandon(err)
			return
		}
	} else if ctx := h.body.context(); ctx.Err() != nil {
		err = &CancelError{Cause: reactor.NonNil(context.Cause(ctx))}
	}
	h.end(err)
}

// awaited reports whether the task is one of Track whose submitter is told if it is dropped: such
// a task runs even if the hook before it panics. The caller owns the task.
func (h *Handle) awaited() bool {
	b := h.body
	if d, ok := b.(*decorated); ok {
		b = d.body
	}
	t, ok := b.(*tracked)
	return ok && t.dropped != nil
}

// abandon ends the handle of a task that was not run.
func (h *Handle) abandon(err error) {
	b := h.body
	h.end(err)
	if t, ok := b.(interface{ abandoned(err error) }); ok {
		t.abandoned(err)
	}
}

// end ends the handle with err, and reports false if the handle had ended before. The caller
// owns the task, which will not run again.
func (h *Handle) end(err error) bool {
	h.letGo()
	return h.settle(err, over)
}

// letGo releases the body of a task that will not run again. The caller owns the task.
func (h *Handle) letGo() {
	if h.own.Load() != nil {
		h.own.Store(nil)
	}
	h.body.release()
	h.body = nothing{}
}

// settle ends the handle with err, and reports false if the handle had ended before. If with is
// over, the task does not run any more; if it is 0, the task may still run.
func (h *Handle) settle(err error, with uint32) bool {
	for i := range outcomes {
		if err == outcomes[i] {
			return h.become(settled | with | uint32(i)<<outcomeBits)
		}
	}
	x := h.rest()
	x.mu.Lock()
	before, after := h.note(x, err, settled|with)
	x.mu.Unlock()
	return h.changed(before, after)
}

// note is change for an outcome that is not one of outcomes: err goes into x. The caller holds x.mu.
func (h *Handle) note(x *extra, err error, what uint32) (before, after uint32) {
	if h.IsDone() { // x.err may be the outcome already
		return h.change(what)
	}
	x.err = err
	chaos.Yield()
	before, after = h.change(what | failed)
	if before&settled != 0 {
		x.err = nil
	}
	return before, after
}

// settleCancelled is settle for a task that was cancelled; why is nil if for no particular reason.
func (h *Handle) settleCancelled(why error, with uint32) bool {
	if why == nil {
		return h.become(settled | with | indexWithoutCause<<outcomeBits)
	}
	return h.settle(why, with)
}

// become adds the bits of what to ends, and tells those who wait for the task. It reports
// whether the outcome was unknown before.
func (h *Handle) become(what uint32) bool { return h.changed(h.change(what)) }

func (h *Handle) change(what uint32) (before, after uint32) {
	for {
		before, after = h.ends.Load(), what
		if before&settled != 0 {
			after = before | what&over
		}
		if h.ends.CompareAndSwap(before, after) {
			return before, after
		}
	}
}

func (h *Handle) changed(before, after uint32) bool {
	chaos.Yield()
	if x := h.more.Load(); x != nil {
		x.tell(after)
	}
	return before&settled == 0 && after&settled != 0
}

// tell wakes those who wait for one of the bits in what, and calls the hooks, on the goroutine of the caller.
func (x *extra) tell(what uint32) {
	x.mu.Lock()
	call := x.wake(what)
	x.mu.Unlock()
	call.all()
}

// toCall are the functions to be called at the end of a task, without any lock.
type toCall struct {
	unwatch func() bool
	hook    func()
}

func (c toCall) all() {
	if c.unwatch != nil {
		c.unwatch()
	}
	if c.hook != nil {
		c.hook()
	}
}

// wake closes the channels of those who wait for one of the bits in what, and returns what the caller has to call when it has
// released mu. The caller holds mu.
func (x *extra) wake(what uint32) (call toCall) {
	if what&over != 0 && x.finished != nil {
		close(x.finished)
		x.finished = nil
	}
	if what&settled != 0 {
		call = toCall{x.unwatch, x.settledHook}
		x.unwatch, x.settledHook = nil, nil
		if x.done != nil {
			close(x.done)
			x.done = nil
		}
	}
	return call
}

// onSettled has hook called when the handle ends, on the goroutine that ends it, or at once if it has ended. There is one hook.
func (h *Handle) onSettled(hook func()) {
	x := h.rest()
	x.mu.Lock()
	chaos.Yield()
	if !h.IsDone() {
		x.settledHook = hook
		x.mu.Unlock()
		return
	}
	x.mu.Unlock()
	hook()
}

// closedChan is the channel of handles and jobs that have ended.
var closedChan = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// Done returns a channel that is closed when the outcome is known: after the run,
// or with the cancellation.
func (h *Handle) Done() <-chan struct{} {
	return h.channel(settled, func(x *extra) *chan struct{} { return &x.done })
}

// Finished returns a channel that is closed when the task does not run and will not
// run any more. It is closed later than Done if the task was cancelled while it ran
// and did not return at once.
func (h *Handle) Finished() <-chan struct{} {
	return h.channel(over, func(x *extra) *chan struct{} { return &x.finished })
}

// channel returns the channel that is closed when the bit what is set in ends; of says where it is kept.
func (h *Handle) channel(what uint32, of func(x *extra) *chan struct{}) <-chan struct{} {
	if h.ends.Load()&what != 0 || h.pool == nil {
		return closedChan
	}
	x := h.rest()
	x.mu.Lock()
	defer x.mu.Unlock()
	chaos.Yield()
	if h.ends.Load()&what != 0 {
		return closedChan
	}
	c := of(x)
	if *c == nil {
		*c = make(chan struct{})
	}
	return *c
}

// IsDone reports whether the outcome is known.
func (h *Handle) IsDone() bool { return h.ends.Load()&settled != 0 || h.pool == nil }

// IsCancelled reports whether the outcome is that the task was cancelled.
func (h *Handle) IsCancelled() bool {
	_, ok := errors.AsType[*CancelError](h.Err())
	return ok
}

// Err returns the error that the task ended with, nil if there is none or the
// outcome is not known yet.
func (h *Handle) Err() error {
	what := h.ends.Load()
	switch {
	case what&failed != 0:
		return h.more.Load().err
	case h.pool == nil:
		return errNoTask
	}
	return outcomes[what>>outcomeBits]
}

// Wait waits for the outcome and returns its error. If ctx ends first, Wait returns
// the cause of ctx, and the task goes on. A task must not wait for another task of a
// pool that has no free worker for that one.
func (h *Handle) Wait(ctx context.Context) error {
	if ctx == nil {
		return errNoContext
	}
	if h.IsDone() {
		return h.Err()
	}
	select {
	case <-h.Done():
		return h.Err()
	case <-ctx.Done():
		return reactor.NonNil(context.Cause(ctx))
	}
}

// Cancel ends the task. If the task waits, it is taken out of the queue and never
// runs; if it runs, its context ends, and Cancel does not wait for it to return.
// The outcome is a [*CancelError] with cause, which may be nil. Cancel reports
// whether it came before the end of the task; when it returns, the outcome is known
// in either case.
func (h *Handle) Cancel(cause error) bool {
	if h.pool == nil {
		return false
	}
	if cause == nil {
		return h.cancel(nil)
	}
	return h.cancel(&CancelError{Cause: cause})
}

// cancel is Cancel, for no particular reason if why is nil.
func (h *Handle) cancel(why error) bool {
	if withdrawn, ended := h.withdraw(why); withdrawn {
		return ended
	}
	chaos.Yield()
	if !h.settleCancelled(why, 0) {
		return false
	}
	// A run that has not noted its context by now sees that it is cancelled.
	if own := h.own.Load(); own != nil {
		own.stop(cmp.Or(why, withoutCause))
	}
	if h.series() != nil {
		h.cancelQueued() // the run may have ended in between, and again have planned the next one
	}
	return true
}

// cancelQueued cancels the task if it waits, and reports whether it did.
func (h *Handle) cancelQueued() bool {
	withdrawn, _ := h.withdraw(nil)
	return withdrawn
}

// withdraw cancels the task if it is in the queue, for no particular reason if why is nil. It reports whether the task was in the
// queue, and whether withdraw has ended the handle. The outcome is set under the lock of the pool: whoever finds the task gone from
// the queue finds the outcome, and those who wait for the task are woken before those who wait for the end of the pool.
func (h *Handle) withdraw(why error) (withdrawn, ended bool) {
	p := h.pool
	x := h.more.Load()
	if why != nil {
		x = h.rest()
	}
	chaos.Yield()
	if x != nil {
		x.mu.Lock() // before pool.mu: watch calls the submitter's context with x.mu held, which must not hold up the pool
	}
	p.lock()
	if h.phase != phaseQueued || !p.queue.remove(h) {
		p.unlock()
		if x != nil {
			x.mu.Unlock()
		}
		return false, false
	}
	p.cancelled++
	h.letGo()
	var before, after uint32
	if why == nil {
		before, after = h.takenOut(indexWithoutCause)
	} else {
		h.phase = phaseOver
		before, after = h.note(x, why, settled|over)
	}
	var call toCall
	if x != nil {
		call = x.wake(after)
		x.mu.Unlock()
	}
	defer p.measure.withdrawn()
	if x != nil {
		defer call.all()
	} else {
		defer h.changed(before, after) // somebody may have made more meanwhile, and waits
	}
	if p.scheduled != nil && p.state == poolRunning {
		if p.queue.len() == 0 {
			p.armReaper() // a worker may have stayed for this task
		}
		p.mu.Unlock() // its queue has no limit: nobody waits for room
	} else {
		woken := p.room()
		p.wind() // unlocks
		woken.wake()
	}
	return true, before&settled == 0
}

// takenOut notes that the task has left the queue and will not run, and the outcome, as an index in outcomes: whoever finds the
// task gone from the queue finds an outcome. The caller holds pool.mu, and tells those who wait when it is released.
func (h *Handle) takenOut(outcome uint32) (before, after uint32) {
	h.phase = phaseOver
	return h.change(settled | over | outcome<<outcomeBits)
}

// series returns what a periodic task has in addition, else nil.
func (h *Handle) series() *series {
	if !h.periodic {
		return nil
	}
	return h.more.Load().series
}
