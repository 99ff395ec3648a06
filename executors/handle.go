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
	node timers.Node // first; where it waits: its due time, or the queue's note; pool.mu
	pool *ThreadPool
	body body                       // of who has it: who submits it, then pool.mu while it waits, then who took it out
	own  atomic.Pointer[runContext] // of the run under way; written by who runs it
	more atomic.Pointer[extra]      // what most handles don't need; set once
	ends atomic.Uint32              // settled and over, and the outcome

	phase     phase // pool.mu
	essential bool  // no policy may drop it; immutable
	periodic  bool  // it has a series; immutable
	delayed   bool  // it came with a delay; pool.mu
}

// What a handle knows of its end. There is no lock for it: who looks for something else
// in more as well makes that first, and who ends the handle looks into more last.
const (
	settled     uint32 = 1 << iota // the outcome is known
	over                           // it does not run any more
	failed                         // the outcome is the error in more
	outcomeBits = iota             // the index of another outcome
)

// outcomes are those that handles share; the first one is success.
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

// extra is what a handle has when somebody asks for it.
type extra struct {
	series *series // immutable

	mu             sync.Mutex
	done, finished chan struct{} // mu
	unwatch        func() bool   // ends the watch over the submitter's context; mu
	settledHook    func()        // called once; mu
	err            error         // written under mu before failed is set
}

// phase is where a handle is in its pool.
type phase uint8

const (
	phaseNew phase = iota
	phaseQueued
	phaseRunning
	phaseOver // it was taken out of the queue, and will not run
)

// body is what a handle runs.
type body interface {
	run(ctx context.Context) error
	context() context.Context // of the submitter
	pc() uintptr              // where its code begins
	release()                 // lets go of what it holds; it will not be run any more
}

// action is a function as a body.
type action func(ctx context.Context) error

func (a action) run(ctx context.Context) error { return a(ctx) }
func (a action) context() context.Context      { return context.Background() }
func (a action) pc() uintptr                   { return pcOf((func(context.Context) error)(a)) }
func (a action) release()                      {}

// nothing is the body of handles that are over.
type nothing struct{}

func (nothing) run(context.Context) error { return nil }
func (nothing) context() context.Context  { return context.Background() }
func (nothing) pc() uintptr               { return 0 }
func (nothing) release()                  {}

// decorated is a body behind the decorators of the pool.
type decorated struct {
	body
	task Task
	err  error // of the run under way
	ran  bool  // as err
}

func (d *decorated) run(ctx context.Context) error {
	d.err, d.ran = nil, false
	d.task(ctx)
	if !d.ran {
		return ErrDiscarded
	}
	return d.err
}

// abandoned tells the body, as if it had no decorators.
func (d *decorated) abandoned(err error) {
	if b, ok := d.body.(interface{ abandoned(err error) }); ok {
		b.abandoned(err)
	}
}

// detach returns the task within its decorators, which can be run after the handle has let go of it.
func (d *decorated) detach() Task {
	if b, ok := d.body.(detachable); ok {
		task := b.detach()
		b.release()
		d.body = action(func(ctx context.Context) error { task(ctx); return nil })
	}
	return func(ctx context.Context) { d.run(ctx) }
}

// decorateBody puts the decorators of the pool around a body.
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

// init prepares a handle.
func (h *Handle) init(p *ThreadPool, b body) {
	h.pool = p
	h.body = p.decorateBody(b)
}

// watch cancels the handle when ctx ends. It is called after the submission.
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

// rest returns what most handles don't need.
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

// begin notes that the task runs with context own, unless it was cancelled.
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

// conclude ends the handle after its last run. A run that was overtaken by the end
// of its submitter's context was cancelled by that, whatever it made of it. It was none
// if a hook, or a decorator, has kept the task from it.
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

// awaited reports whether somebody waits for the run of the task, and for nothing else. The
// caller has the task.
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

// end ends the handle, unless it has ended, and reports whether it did. The caller has
// the task, which will not run again.
func (h *Handle) end(err error) bool {
	h.letGo()
	return h.settle(err, over)
}

// letGo lets go of a task that will not run again. The caller has it.
func (h *Handle) letGo() {
	if h.own.Load() != nil {
		h.own.Store(nil)
	}
	h.body.release()
	h.body = nothing{}
}

// settle ends the handle with err, unless it has ended, and reports whether it did. It
// also notes that the task is over, if with says so.
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

// note is change to an outcome that handles do not share. The caller holds x.mu.
func (h *Handle) note(x *extra, err error, what uint32) (before, after uint32) {
	if h.IsDone() { // then the error may be another one's
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

// settleCancelled is settle for a task that was cancelled, maybe for no particular reason.
func (h *Handle) settleCancelled(why error, with uint32) bool {
	if why == nil {
		return h.become(settled | with | indexWithoutCause<<outcomeBits)
	}
	return h.settle(why, with)
}

// become notes what has become of the task, and tells those who wait for it. It reports
// whether the outcome was not known before.
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

// tell tells those who wait for what has become of the task.
func (x *extra) tell(what uint32) {
	x.mu.Lock()
	call := x.wake(what)
	x.mu.Unlock()
	call.all()
}

// toCall is what else hears of the end of a task, outside any lock.
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

// wake wakes those who wait for what has become of the task. The caller holds mu.
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

// onSettled calls hook when the handle has ended, at once if it has.
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

// closedChan is what handles that have ended hand out.
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

// channel returns the channel that is closed when what is true of the handle.
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
		h.cancelQueued() // its run may have ended in between, and planned the next one
	}
	return true
}

// cancelQueued cancels the task if it waits, and reports whether it did.
func (h *Handle) cancelQueued() bool {
	withdrawn, _ := h.withdraw(nil)
	return withdrawn
}

// withdraw cancels the task if it is in the queue, for no particular reason if why is nil. It reports whether it was there, and
// whether that has ended the handle. Who finds that it is not in the queue any more finds that it has ended, and whoever waits
// for the end of the pool comes behind those who wait for the task.
func (h *Handle) withdraw(why error) (withdrawn, ended bool) {
	p := h.pool
	x := h.more.Load()
	if why != nil {
		x = h.rest()
	}
	chaos.Yield()
	if x != nil {
		x.mu.Lock() // outside: who has it may call the context of a submitter
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
		defer h.changed(before, after) // for who has come meanwhile
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

// takenOut notes that the task has left the queue and will not run, and the outcome, one of those that handles share: who finds
// that it is not there any more finds an outcome. Who has taken it out tells of that. The caller holds pool.mu.
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
