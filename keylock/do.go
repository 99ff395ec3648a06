package keylock

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
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
// fn runs on the calling goroutine, unless [On] names a scheduler, or [ReleaseOnExpiry]
// may make Do return before it: then it runs on one of its own. Its context is
// derived from ctx and ends with the lease. A panic of fn releases the key and is
// returned as a [*reactor.PanicError], or goes on if [Repanic] is given; so does
// runtime.Goexit, which on another goroutine becomes [reactor.ErrGoexit].
//
// If the lease ended before fn returned, the error matches [ErrLeaseExpired] or
// [ErrLeaseLost], and what fn returned comes along: its value, and its error joined.
// If the key was not granted, fn is not run, neither now nor later, and the error is
// that of [Manager.Acquire].
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
		m.add(panicCount)
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

// giveBack releases h when its function has ended with err. It returns that, joined
// with what ended the lease before.
func (h *hold) giveBack(err error) error {
	_, passed, lapse := h.release()
	if passed {
		// Who was woken runs when this goroutine stops, and until then the key is held by
		// nobody who uses it. What the caller does next can wait: the others can't.
		runtime.Gosched()
	}
	if h.backed() != nil {
		h.settle()
	}
	if lapse == nil {
		return err
	}
	return h.withLapse(lapse, err)
}

// tooShort releases a hold whose lease was over before its function could begin.
func (h *hold) tooShort() error {
	h.release()
	h.settle()
	return h.lapse()
}

// withLapse joins what a function ended with and what ended its lease before.
func (h *hold) withLapse(lapse, err error) error {
	h.s.m.overran(h)
	if err == nil || err == lapse { // fn returned the cause of its context
		return lapse
	}
	return errors.Join(lapse, err)
}

// errand is a function on another goroutine, and who waits for it.
type errand[T any] struct {
	h      *hold
	c      *call
	ctx    context.Context   // of fn
	back   func(error) error // gives the key back, if it is this call's; returns what to end with
	own    bool              // it is
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
	v   T
	err error
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
	// These two matter to what may be dropped before it starts.
	var ended <-chan struct{}
	var look chan struct{} // nobody tells of what is dropped
	var lookLater func()
	var task schedulers.Disposable
	if c.on == nil {
		go e.run()
	} else {
		var err error
		if task, err = c.on.Schedule(func(context.Context) { e.run() }); err != nil {
			return *new(T), e.back(e.refused(err))
		}
		ended = e.ctx.Done()
		if !e.own || c.lease == 0 { // else the wait has an end
			var stop func() bool
			look = make(chan struct{}, 1)
			lookLater = func() { stop = live.After(dropTime, func() { look <- struct{}{} }) }
			lookLater()
			defer func() { stop() }()
		}
	}
	for {
		select {
		case out := <-e.result:
			if stop := e.stopGrace.Load(); stop != nil {
				(*stop)()
			}
			if p, ok := errors.AsType[*reactor.PanicError](out.err); ok && c.repanic {
				panic(p)
			}
			return out.v, out.err
		case <-ended:
			if e.state.CompareAndSwap(errandQueued, errandLeft) {
				return *new(T), e.back(context.Cause(e.ctx))
			}
			ended = nil // it runs, and has the same context
		case <-look:
			if task.IsDisposed() && e.state.CompareAndSwap(errandQueued, errandLeft) {
				return *new(T), e.back(e.refused(schedulers.ErrTaskDisposed))
			}
			if e.state.Load() == errandQueued {
				lookLater()
			}
		case <-left:
			if err, ok := e.leave(); ok {
				return *new(T), err
			}
			left = nil // the result is on its way
		}
	}
}

// dropTime is how often who waits looks whether the scheduler has dropped the task.
const dropTime = time.Second

// refused returns the error for a function that the scheduler does not run.
func (e *errand[T]) refused(err error) error {
	return &Error{Op: e.h.op.String(), Kind: reactor.ErrRejected, Key: e.h.e.key, Cause: err}
}

// leave lets who waits go without a result, and reports whether it may.
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

// over lets who waits leave after the grace.
func (e *errand[T]) over(error) {
	if e.c.grace > 0 {
		if stop, err := e.h.clk.after(e.c.grace, func() { close(e.left) }); err == nil {
			e.stopGrace.Store(&stop)
			chaos.Yield()
			if e.state.Load() == errandDone {
				stop() // who got the result may have looked too early
			}
			return
		}
	}
	close(e.left)
}

// run is what the other goroutine does.
func (e *errand[T]) run() {
	h := e.h
	if !e.state.CompareAndSwap(errandQueued, errandRunning) {
		return // nobody waits any more; the key is released
	}
	returned := false
	var out outcome[T]
	defer func() {
		if !returned {
			out.err = reactor.ErrGoexit
			if lapse := h.lapse(); lapse != nil { // here has released h
				out.err = errors.Join(lapse, reactor.ErrGoexit)
			}
		}
		chaos.Yield()
		if e.state.CompareAndSwap(errandRunning, errandDone) {
			e.result <- out
			return
		}
		h.s.m.late.Add(-1)
		h.s.m.measure.late(-1)
		if h.s.m.cameLate(h, out.err) && returned {
			reactor.DropNext(h.parent, out.v)
		}
	}()
	out.v, out.err = here(h.s.m, e.c, e.back, func() (T, error) { return e.fn(e.ctx, Lease{h}) })
	returned = true
}

// DoAll waits for several keys, runs fn while all of them are held, and returns what
// fn returns. The keys are acquired in sorted order, so that calls of DoAll don't wait
// for one another in a circle, and released in reverse; one that is named several
// times is acquired once. leases are in the order of keys. [WaitTime] is for all of
// them together. The context of fn ends with the first lease that ends; whatever the
// policy, DoAll returns when fn has.
//
// fn runs on the calling goroutine, also where the manager has [On] for its calls; as an option of this one On is
// refused. A key that the caller holds
// already fails with [ErrReentrant], or with [Reentrant] is left to the outer hold. See
// [Manager.Do] for the rest.
func (m *Manager) DoAll[T any](
	ctx context.Context, keys []string, fn func(ctx context.Context, leases []Lease) (T, error), opts ...CallOption,
) (T, error) {
	all := &several{m: m, keys: keys, leases: make([]Lease, len(keys))}
	c, err := m.callOf("DoAll", all.name(), opts)
	switch {
	case err != nil:
	case fn == nil:
		err = illegal("DoAll", all.name(), "the function is nil")
	case ctx == nil:
		err = illegal("DoAll", all.name(), "the context is nil")
	default:
		ctx, err = all.acquire(ctx, c)
	}
	if err != nil {
		return *new(T), err
	}
	return here(m, &c, all.giveBack, func() (T, error) { return fn(ctx, all.leases) })
}

// several are the keys of one call.
type several struct {
	m      *Manager
	keys   []string
	leases []Lease // in the order of keys
	holds  []*hold // to be released, in the order in which they were acquired
}

// name returns the keys for errors.
func (a *several) name() string { return strings.Join(a.keys, ", ") }

// acquire waits for all keys and returns the context that ends with the first lease.
// After an error nothing is held.
func (a *several) acquire(ctx context.Context, c call) (context.Context, error) {
	clk, wait := a.m.clocks.current(), c.wait
	start := clk.now()
	for _, key := range slices.Compact(slices.Sorted(slices.Values(a.keys))) {
		h, err := a.one(&ctx, key, &c)
		if err != nil {
			return nil, a.giveBack(err)
		}
		for i, k := range a.keys {
			if k == key {
				a.leases[i] = Lease{h}
			}
		}
		if wait > 0 {
			c.wait = max(wait-time.Duration(clk.now()-start), 0)
		}
	}
	for _, h := range a.holds {
		if err := h.lapse(); err != nil {
			return nil, a.giveBack(nil) // which returns it
		}
	}
	return ctx, nil
}

// one acquires one key. The next one is acquired in its context.
func (a *several) one(ctx *context.Context, key string, c *call) (*hold, error) {
	if c.reentrant {
		if outer := a.m.lent(*ctx, key); outer != nil {
			return outer, nil
		}
	}
	if a.m.reentered(*ctx, key) != nil {
		return nil, a.m.reentrance("DoAll", key)
	}
	h, err := a.m.acquire(*ctx, byDoAll, key, c)
	if err != nil {
		return nil, err
	}
	a.holds = append(a.holds, h)
	*ctx = h
	return h, nil
}

// giveBack releases all keys, the last one first.
func (a *several) giveBack(err error) error {
	for _, h := range slices.Backward(a.holds) {
		err = h.giveBack(err)
	}
	return err
}
