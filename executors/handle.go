package executors

import (
	"context"
	"errors"
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/timers"
)

// Handle is an accepted task: it can be waited for and cancelled. Every Handle ends:
// with what the task returned, with what it threw, or with the reason why it was
// not run.
type Handle struct {
	node timers.Node[Handle] // first; where it waits: its due time, or the queue's note; pool.mu
	pool *ThreadPool
	ctx  context.Context // of the submitter
	body body

	mu        sync.Mutex
	phase     phase       // pool.mu
	essential bool        // no policy may drop it; immutable
	periodic  bool        // it has a series; immutable
	delayed   bool        // it came with a delay; pool.mu
	settled   bool        // err is what it ended with; mu
	over      bool        // it does not run any more; mu
	err       error       // written before settled; mu
	own       *runContext // of the run under way; mu
	more      *extra      // what most handles don't need; mu
}

// extra is what a handle has when somebody asks for it.
type extra struct {
	done, finished chan struct{}
	unwatch        func() bool // ends the watch over the submitter's context
	settledHook    func()      // called once
	series         *series     // immutable
}

// phase is where a handle is in its pool.
type phase uint8

const (
	phaseNew phase = iota
	phaseQueued
	phaseRunning
	phaseOver
)

// body is what a handle runs.
type body interface {
	run(ctx context.Context) error
	pc() uintptr // where its code begins
	release()    // lets go of what it holds; it will not be run any more
}

// action is a function as a body.
type action func(ctx context.Context) error

func (a action) run(ctx context.Context) error { return a(ctx) }
func (a action) pc() uintptr                   { return pcOf((func(context.Context) error)(a)) }
func (a action) release()                      {}

// nothing is the body of handles that are over.
type nothing struct{}

func (nothing) run(context.Context) error { return nil }
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
func (h *Handle) init(ctx context.Context, p *ThreadPool, b body) {
	h.pool, h.ctx = p, ctx
	h.body = p.decorateBody(b)
}

// watch cancels the handle when ctx ends. It is called after the submission.
func (h *Handle) watch(ctx context.Context) {
	if ctx.Done() == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.settled {
		h.rest().unwatch = live.AfterContext(ctx, func() { h.Cancel(reactor.NonNil(context.Cause(ctx))) })
	}
}

// rest returns what most handles don't need. The caller holds mu.
func (h *Handle) rest() *extra {
	if h.more == nil {
		h.more = new(extra)
	}
	return h.more
}

// begin notes that the task runs with context own, unless it was cancelled.
func (h *Handle) begin(own *runContext) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.settled {
		h.letGo()
		return false
	}
	h.own = own
	return true
}

// conclude ends the handle after its last run. A run that was overtaken by the end
// of its submitter's context was cancelled by that, whatever it made of it.
func (h *Handle) conclude(err error) {
	h.mu.Lock()
	if !h.essential && h.ctx.Err() != nil {
		err = &CancelError{Cause: reactor.NonNil(context.Cause(h.ctx))}
	}
	h.letGo()
	h.settle(err) // unlocks
}

// abandon ends the handle of a task that was not run.
func (h *Handle) abandon(err error) {
	h.mu.Lock()
	b := h.body
	h.letGo()
	h.settle(err) // unlocks
	if t, ok := b.(interface{ abandoned(err error) }); ok {
		t.abandoned(err)
	}
}

// letGo notes that the task will not run again. The caller holds mu.
func (h *Handle) letGo() {
	h.own = nil
	if h.over {
		return
	}
	h.over = true
	if h.more != nil && h.more.finished != nil {
		close(h.more.finished)
	}
	h.body.release()
	h.body, h.ctx = nothing{}, context.Background()
}

// settle ends the handle, unless it has ended, and reports whether it did. The
// caller holds mu, which is released.
func (h *Handle) settle(err error) bool {
	if h.settled {
		h.mu.Unlock()
		return false
	}
	h.settled, h.err = true, err
	var unwatch func() bool
	var hook func()
	if x := h.more; x != nil {
		unwatch, hook = x.unwatch, x.settledHook
		x.unwatch, x.settledHook = nil, nil
		if x.done != nil {
			close(x.done)
		}
	}
	h.mu.Unlock()
	if unwatch != nil {
		unwatch()
	}
	if hook != nil {
		hook()
	}
	return true
}

// onSettled calls hook when the handle has ended, at once if it has.
func (h *Handle) onSettled(hook func()) {
	h.mu.Lock()
	if !h.settled {
		h.rest().settledHook = hook
		h.mu.Unlock()
		return
	}
	h.mu.Unlock()
	hook()
}

// closedChan is what handles that have ended hand out.
var closedChan = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// Done returns a channel that is closed when the outcome is known: after the run,
// or with the cancellation.
func (h *Handle) Done() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.settled {
		return closedChan
	}
	x := h.rest()
	if x.done == nil {
		x.done = make(chan struct{})
	}
	return x.done
}

// Finished returns a channel that is closed when the task does not run and will
// not. That is later than Done if the task was cancelled while it ran and took its
// time.
func (h *Handle) Finished() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return closedChan
	}
	x := h.rest()
	if x.finished == nil {
		x.finished = make(chan struct{})
	}
	return x.finished
}

// IsDone reports whether the outcome is known.
func (h *Handle) IsDone() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.settled
}

// IsCancelled reports whether the outcome is that the task was cancelled.
func (h *Handle) IsCancelled() bool {
	_, ok := errors.AsType[*CancelError](h.Err())
	return ok
}

// Err returns the error that the task ended with, nil if there is none or the
// outcome is not known yet.
func (h *Handle) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// Wait waits for the outcome and returns the error in it. The end of ctx ends the
// waiting, not the task; then the error is its cause. A task must not wait for
// another one of a pool that has no free worker for it.
func (h *Handle) Wait(ctx context.Context) error {
	h.mu.Lock()
	if h.settled {
		defer h.mu.Unlock()
		return h.err
	}
	h.mu.Unlock()
	select {
	case <-h.Done():
		return h.Err()
	case <-ctx.Done():
		return reactor.NonNil(context.Cause(ctx))
	}
}

// Cancel ends the task: one that waits is taken out of the queue and never runs;
// the context of one that runs ends, and its outcome is not waited for. The outcome
// is a [*CancelError] with cause, which may be nil. It reports whether it came
// before the end.
func (h *Handle) Cancel(cause error) bool {
	if cause == nil {
		return h.cancel(withoutCause)
	}
	return h.cancel(&CancelError{Cause: cause})
}

// withoutCause is how tasks end that are cancelled for no particular reason.
var withoutCause error = &CancelError{}

func (h *Handle) cancel(why error) bool {
	withdrawn, over := h.withdraw()
	if withdrawn {
		h.mu.Lock()
		h.letGo()
		return h.settle(why) // unlocks
	}
	if over {
		return false
	}
	chaos.Yield()
	h.mu.Lock()
	own := h.own
	if !h.settle(why) { // unlocks
		return false
	}
	if own != nil {
		own.stop(why)
	}
	if h.series() != nil {
		h.cancelQueued() // its run may have ended in between, and planned the next one
	}
	return true
}

// cancelQueued cancels the task if it waits.
func (h *Handle) cancelQueued() bool {
	if withdrawn, _ := h.withdraw(); !withdrawn {
		return false
	}
	h.mu.Lock()
	h.letGo()
	return h.settle(withoutCause) // unlocks
}

// withdraw takes the task out of the queue, if it is there. If somebody else was
// faster, who ends the handle, it is over.
func (h *Handle) withdraw() (withdrawn, over bool) {
	p := h.pool
	p.lock()
	if h.phase != phaseQueued || !p.queue.remove(h) {
		over = h.phase == phaseOver
		p.unlock()
		return false, over
	}
	h.phase = phaseOver
	p.cancelled++
	woken := p.room()
	p.wind() // unlocks
	woken.wake()
	p.measure.withdrawn()
	return true, true
}

// series returns what a periodic task has in addition, else nil.
func (h *Handle) series() *series {
	if !h.periodic {
		return nil // without a look at more, which somebody may be making now
	}
	return h.more.series
}
