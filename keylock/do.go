package keylock

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/schedulers"
)

// Do waits for key, runs fn while it is held, and returns what fn returns.
//
// fn runs on the calling goroutine, with two exceptions: if [On] names a scheduler, fn
// runs there; otherwise, if [ReleaseOnExpiry] may make Do return before fn, fn runs on
// a goroutine of its own. The context of fn is derived from ctx and ends with the
// lease. A panic of fn releases the key and is returned as a [*reactor.PanicError], or
// goes on if [Repanic] is given. runtime.Goexit releases the key and goes on; on
// another goroutine it becomes [reactor.ErrGoexit].
//
// If the lease ended before fn returned, the error matches [ErrLeaseExpired] or
// [ErrLeaseLost]; the value of fn is returned all the same, and the error of fn is
// joined. If the key was not granted, fn is not run, neither now nor later, and the
// error is that of [Manager.Acquire].
func (m *Manager) Do[T any](
	ctx context.Context, key string, fn func(ctx context.Context, lease Lease) (T, error), opts ...CallOption,
) (T, error) {
	c, err := m.callOf("Do", key, opts)
	if err == nil && fn == nil {
		err = illegal("Do", key, "the function is nil")
	}
	if err == nil && c.reentrant && ctx != nil {
		if h := m.lent(ctx, key); h != nil {
			kept := func(err error) error { return err } // by the outer call
			if c.on != nil {
				return elsewhere(&errand[T]{h: h, ctx: ctx, back: kept, fn: fn}, &c)
			}
			return here(m, &c, kept, func() (T, error) { return fn(ctx, Lease{h}) })
		}
	}
	if err != nil {
		return *new(T), err
	}
	h, err := m.acquire(ctx, byDo, key, &c)
	if err != nil {
		return *new(T), err
	}
	if h.until.Load() == 0 {
		return *new(T), h.tooShort()
	}
	if c.on != nil || h.policy == ReleaseOnExpiry && (c.lease > 0 || m.backend != nil) {
		return elsewhere(&errand[T]{h: h, ctx: h, back: h.giveBack, own: true, fn: fn}, &c)
	}
	return here(m, &c, h.giveBack, func() (T, error) { return fn(h, Lease{h}) })
}

// here runs fn on the calling goroutine, and back when it has ended.
func here[T any](m *Manager, c *call, back func(error) error, fn func() (T, error)) (v T, err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		defer m.add(panicCount) // the meter may end the goroutine
		if c.repanic {
			_ = back(nil)
			return
		}
		err = back(thrown(recover()))
	}()
	v, err = fn()
	returned = true
	return v, back(err)
}

// thrown returns the error for what recover returned in a deferred function.
func thrown(r any) error {
	err := failure.Recovered(r)
	if p, ok := err.(*reactor.PanicError); ok && p.Op == "" {
		p.Op = "keylock"
	}
	return err
}

// giveBack releases h when its function has ended with err. It returns err, joined with
// what had ended the lease before that.
func (h *hold) giveBack(err error) error {
	lapse := h.handBack()
	if lapse == nil {
		return err
	}
	h.s.m.overran(h)
	return withLapse(lapse, err)
}

// unused is giveBack where the function has not begun.
func (h *hold) unused(err error) error {
	lapse := h.handBack()
	if lapse == nil {
		return err
	}
	return withLapse(lapse, err)
}

// handBack releases h, and returns what ended the lease before, or nil.
func (h *hold) handBack() *Error {
	_, passed, lapse := h.release()
	if passed {
		// Who was woken runs when this goroutine stops, and until then the key is held by
		// nobody who uses it. What the caller does next can wait: the others can't.
		runtime.Gosched()
	}
	if h.backed() != nil {
		h.settle()
	}
	return lapse
}

// tooShort releases a hold whose lease was over before its function could begin.
func (h *hold) tooShort() error {
	h.release()
	h.settle()
	return h.lapse()
}

// withLapse joins what a call ended with and what ended its lease before.
func withLapse(lapse, err error) error {
	if err == nil || err == lapse { // fn returned the cause of its context
		return lapse
	}
	return errors.Join(lapse, err)
}

// errand is a function that runs on another goroutine, for a call that waits for it.
type errand[T any] struct {
	h      *hold
	c      *call
	ctx    context.Context   // of fn
	back   func(error) error // gives the key back, if own, and returns what the call ends with
	own    bool              // the key is this call's, not that of a hold in which a [Reentrant] call runs
	fn     func(context.Context, Lease) (T, error)
	state  atomic.Int32
	result chan outcome[T] // has room for one
	left   chan struct{}   // closed when the lease is over, and the grace

	stopGrace atomic.Pointer[func()] // stops the timer of the grace, nil if it is not set
}

// The states of an errand.
const (
	errandQueued = iota
	errandRunning
	errandDone // the result is on its way to who waits
	errandLeft // nobody waits for it
)

type outcome[T any] struct {
	v      T
	err    error
	thrown *reactor.PanicError // what the function itself has panicked with, or nil
}

// elsewhere runs fn on another goroutine and waits for it, under [ReleaseOnExpiry] not
// longer than the lease and the grace.
func elsewhere[T any](e *errand[T], c *call) (T, error) {
	h, inner := e.h, *c
	inner.repanic = false
	e.c, e.result, e.left = &inner, make(chan outcome[T], 1), make(chan struct{})
	if e.own && h.policy == ReleaseOnExpiry {
		if h.listen(e) != nil {
			return *new(T), h.tooShort()
		}
	}
	left := e.left
	// The next four are for a task, which its scheduler may drop before it begins.
	var ended <-chan struct{}
	var look chan struct{} // tells that it is time to look: schedulers tell nobody of what they drop
	var lookAfter func(d time.Duration)
	var task schedulers.Disposable
	if c.on == nil {
		go e.run()
	} else {
		err := e.schedule(c.on, &task)
		if err != nil && e.state.CompareAndSwap(errandQueued, errandLeft) { // else it has begun all the same
			return *new(T), e.unused(h.notRun(err))
		}
		if e.state.Load() == errandQueued { // else there is nothing to drop
			ended = e.ctx.Done()
			first := dropTime
			if e.own {
				first = firstLook(c.lease)
			}
			var stop func() bool
			look = make(chan struct{}, 1)
			lookAfter = func(d time.Duration) { stop = live.After(d, func() { look <- struct{}{} }) }
			lookAfter(first)
			defer func() { stop() }()
		}
	}
	for {
		select {
		case out := <-e.result:
			if stop := e.stopGrace.Load(); stop != nil {
				(*stop)()
			}
			if out.thrown != nil && c.repanic {
				panic(out.thrown)
			}
			return out.v, out.err
		case <-ended:
			if e.state.CompareAndSwap(errandQueued, errandLeft) {
				return *new(T), e.unused(context.Cause(e.ctx))
			}
			ended = nil // it runs, and has the same context
		case <-look:
			if task.IsDisposed() && e.state.CompareAndSwap(errandQueued, errandLeft) {
				return *new(T), e.unused(h.notRun(schedulers.ErrTaskDisposed))
			}
			if e.state.Load() == errandQueued {
				lookAfter(dropTime)
			}
		case <-left:
			if err, ok := e.leave(); ok {
				return *new(T), err
			}
			left = nil // the result is on its way
		}
	}
}

// schedule hands the function to a scheduler. If the scheduler ends the goroutine, the function is not run, unless it has begun.
func (e *errand[T]) schedule(on schedulers.Scheduler, task *schedulers.Disposable) (err error) {
	returned := false
	defer func() {
		if !returned && e.state.CompareAndSwap(errandQueued, errandLeft) {
			_ = e.unused(nil)
		}
	}()
	*task, err = on.Schedule(func(context.Context) { e.run() })
	returned = true
	return err
}

// unused gives the key back, if it is this call's, for a function that has not begun.
func (e *errand[T]) unused(err error) error {
	if e.own {
		return e.h.unused(err)
	}
	return err
}

// leave lets the call that waits return without a result, or reports false: there is one.
func (e *errand[T]) leave() (error, bool) {
	h := e.h
	if e.state.CompareAndSwap(errandQueued, errandLeft) {
		return h.tooShort(), true
	}
	h.s.m.late.Add(1)
	chaos.Yield()
	if e.state.CompareAndSwap(errandRunning, errandLeft) {
		h.s.m.measure.late(1)
		return h.lapse(), true
	}
	h.s.m.late.Add(-1)
	return nil, false
}

// over is told that the lease has ended, by whoever has ended it: it lets the call that waits leave, after the grace.
func (e *errand[T]) over(error) {
	set := false
	defer func() {
		if !set { // there is no grace, or no timer for it, also because the clock does not return
			close(e.left)
		}
	}()
	if e.c.grace <= 0 {
		return
	}
	stop, err := e.h.clk.after(e.c.grace, func() { close(e.left) })
	if set = err == nil; !set {
		return
	}
	e.stopGrace.Store(&stop)
	chaos.Yield()
	if e.state.Load() == errandDone {
		stop() // who got the result may have looked too early
	}
}

// run is what the other goroutine does.
func (e *errand[T]) run() {
	h := e.h
	if !e.state.CompareAndSwap(errandQueued, errandRunning) {
		return // nobody waits any more; the key is released
	}
	returned, ended := false, false
	var out outcome[T]
	var given error // what the function has ended with
	defer func() {
		if !returned { // the function, or what goes on where the key is given back, has ended the goroutine
			out.err = given
			if lapse := h.lapse(); lapse != nil { // here has released h
				out.err = withLapse(lapse, given)
			}
		}
		chaos.Yield()
		if e.state.CompareAndSwap(errandRunning, errandDone) {
			e.result <- out
			return
		}
		h.s.m.late.Add(-1)
		h.s.m.measure.late(-1)
		if out.thrown != nil {
			reactor.DropError(h.parent, out.thrown)
			return
		}
		h.s.m.cameLate(h, out.err)
		if ended {
			reactor.DropNext(h.parent, out.v)
		}
	}()
	back := func(err error) error {
		if !ended {
			out.thrown, _ = errors.AsType[*reactor.PanicError](err)
		}
		given = err
		return e.back(err)
	}
	_, out.err = here(h.s.m, e.c, back, func() (T, error) {
		v, err := e.fn(e.ctx, Lease{h})
		out.v, ended = v, true
		return v, err
	})
	returned = true
}
