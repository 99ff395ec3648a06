package keylock

import (
	"context"
	"math"
	"sync/atomic"
	"time"
)

// state is where a call stands. A single change under the lock of its shard decides
// each question: granted or given up, released or expired.
type state uint8

const (
	waiting    state = iota // in the queue of its entry
	contending              // first in this process, its session asks the backend
	held                    // it has the key
	expired                 // the lease is over, the key is not passed on yet
	detached                // the lease is over and the key was passed on
	released                // it had the key
	refused                 // it never had
)

// forever is the time of what has no end.
const forever = math.MaxInt64

// hold is one call for a key from its arrival to its end: it waits, it is the
// holder, it is the context of what runs meanwhile, and a [Lease] points to it.
type hold struct {
	m       *Manager
	s       *shard
	e       *entry
	clk     *clock
	parent  context.Context // of the caller
	lease   time.Duration   // 0 without a limit
	op      string
	policy  Policy
	once    bool // it does not wait
	counted bool // as one who waits, by the meter; s.mu

	// Guarded by s.mu; what does not change any more once the state is held is read
	// without it by the holder.
	state          state
	before, behind *hold  // neighbours in the queue
	token          uint64 // 0 before the grant
	due            int64  // end of the lease, forever without one
	record         int64  // end of the record in the backend as far as we rely on it, forever without one
	waited         time.Duration
	stopWait       func()       // stops the timer of the wait, or nil
	stopLease      func()       // stops that of the lease, or nil
	stopSlow       func()       // stops the look at slow holders, or nil
	err            *Error       // what ended its lease before the release, or nil
	session        *session     // with the backend, or nil
	onOver         overListener // told of the end of the lease, or nil

	refusal atomic.Pointer[error] // why the key was not granted, or nil
	ready   chan struct{}         // tells that the wait may be over; nil if the call did not wait, or sink is told
	sink    waiter                // who waits without a goroutine, or nil; immutable
	since   atomic.Int64          // of the grant; before it, of the beginning of a wait
	until   atomic.Int64          // end of the lease as the holder may see it, 0 if it is over, forever without one
	inner   atomic.Pointer[endable]
	ending  atomic.Pointer[ending]
}

// waiter is told the end of a wait, once: with nil the key is held.
type waiter interface{ settled(err error) }

// overListener is told, once, that a lease has ended before its release.
type overListener interface{ over(err error) }

// endable is the context that a hold makes when somebody asks it for more than
// values.
type endable struct {
	context.Context
	cancel context.CancelCauseFunc
}

// ending is why the context of a hold has ended.
type ending struct{ cause error }

var normalEnding = &ending{}

type heldKey struct{}

// holdOf returns the innermost hold that ctx belongs to, or nil.
func holdOf(ctx context.Context) *hold {
	h, _ := ctx.Value(heldKey{}).(*hold)
	return h
}

// reentered returns the hold of key that ctx belongs to, or nil.
func (m *Manager) reentered(ctx context.Context, key string) *hold {
	for h := holdOf(ctx); h != nil; h = holdOf(h.parent) {
		if h.m == m && h.e.key == key && h.until.Load() != 0 {
			return h
		}
	}
	return nil
}

// Deadline returns the end of the lease or that of the caller's context, whichever
// comes first.
func (h *hold) Deadline() (time.Time, bool) {
	outer, ok := h.parent.Deadline()
	h.s.lock()
	due := h.due
	h.s.unlock()
	if due == forever {
		return outer, ok
	}
	if own := h.clk.time(due); !ok || own.Before(outer) {
		return own, true
	}
	return outer, true
}

// Done returns a channel that is closed when the lease or the caller's context ends,
// or the key is released.
func (h *hold) Done() <-chan struct{} { return h.ended().Done() }

// Err returns nil as long as the context lives.
func (h *hold) Err() error {
	if c := h.inner.Load(); c != nil {
		return c.Err()
	}
	if h.ending.Load() != nil {
		return h.ended().Err()
	}
	return h.parent.Err()
}

// Value returns the values of the caller's context.
func (h *hold) Value(key any) any {
	if key == (heldKey{}) {
		return h
	}
	if c := h.inner.Load(); c != nil {
		return c.Value(key)
	}
	if h.ending.Load() != nil {
		return h.ended().Value(key)
	}
	return h.parent.Value(key)
}

// ended returns the part of the context that can end. Most functions never ask for
// it, and it costs more than the rest of an uncontended call.
func (h *hold) ended() *endable {
	if c := h.inner.Load(); c != nil {
		return c
	}
	ctx, cancel := context.WithCancelCause(h.parent)
	c := &endable{ctx, cancel}
	if !h.inner.CompareAndSwap(nil, c) {
		cancel(nil)
		return h.inner.Load()
	}
	// end stores before it looks for c, so that one of the two sees the other.
	if e := h.ending.Load(); e != nil {
		cancel(e.cause)
	}
	return c
}

// end ends the context with a cause, or with context.Canceled if that is nil.
func (h *hold) end(cause error) {
	e := normalEnding
	if cause != nil {
		e = &ending{cause}
	}
	if !h.ending.CompareAndSwap(nil, e) {
		return
	}
	if c := h.inner.Load(); c != nil {
		c.cancel(cause)
	}
}

// wake tells the caller that its wait is over.
func (h *hold) wake(err error) {
	if h.sink != nil {
		h.sink.settled(err)
		return
	}
	select {
	case h.ready <- struct{}{}:
	default: // it has not looked yet at what it was told before
	}
}

// failure returns an error about h.
func (h *hold) failure(op string, kind error) *Error {
	return &Error{Op: op, Kind: kind, Key: h.e.key, Token: h.token}
}

// begin starts what belongs to a hold that was granted: the time of its lease. The
// caller has granted it and lets nobody know before begin returns.
func (h *hold) begin() error {
	now := h.clk.now()
	if h.lease == 0 && h.m.measure == nil {
		h.since.Store(now) // there is nothing else to start
		return h.watch()
	}
	h.s.lock()
	h.start(now)
	h.s.unlock()
	return h.watch()
}

// start makes now the time of the grant. The caller holds s.mu.
func (h *hold) start(now int64) {
	h.waited = time.Duration(now - h.since.Load())
	h.since.Store(now)
	if h.lease > 0 {
		h.due = later(now, h.lease)
		h.limit()
	}
}

// limit makes the end of the lease and that of the record what the holder goes by.
// The caller holds s.mu.
func (h *hold) limit() {
	if h.state == held {
		h.until.Store(min(h.due, h.record))
	}
}

// watch sets the timers of a hold that was granted.
func (h *hold) watch() error {
	if h.m.onSlow != nil {
		h.watchSlow()
	}
	if until := h.until.Load(); until != forever && until != 0 {
		return h.arm(time.Duration(until - h.clk.now()))
	}
	return nil
}

// watchSlow sets the timer that looks whether h is still held. It is a help for people:
// without a clock it does not come.
func (h *hold) watchSlow() {
	stop, err := h.clk.after(h.m.slow, func() {
		if v, ok := h.view(); ok {
			h.m.onSlow(v)
		}
	})
	if err != nil {
		return
	}
	h.s.lock()
	if h.state == held {
		h.stopSlow, stop = stop, nil
	}
	h.s.unlock()
	if stop != nil {
		stop()
	}
}

// later is at + d, kept within range.
func later(at int64, d time.Duration) int64 {
	if at > forever-1-int64(d) {
		return forever - 1
	}
	return at + int64(d)
}

// arm sets the timer of the lease.
func (h *hold) arm(d time.Duration) error {
	stop, err := h.clk.after(d, h.timeUp)
	if err != nil {
		return err
	}
	h.s.lock()
	if h.state == held {
		h.stopLease, stop = stop, nil
	}
	h.s.unlock()
	if stop != nil {
		stop()
	}
	return nil
}

// timeUp is called when the lease should be over. It was extended if it is not.
func (h *hold) timeUp() {
	now := h.clk.now()
	h.s.lock()
	if h.state != held {
		h.s.unlock()
		return
	}
	if left := min(h.due, h.record) - now; left > 0 {
		h.s.unlock()
		if h.arm(time.Duration(left)) == nil {
			return
		}
		h.s.lock() // a lease can't be kept without a clock
	}
	if h.record < h.due {
		h.lose(ErrLeaseLost, nil, now)
	} else {
		h.lose(ErrLeaseExpired, nil, now)
	}
}

// lose ends the lease of a holder before its release. The caller holds s.mu, which
// lose gives back.
func (h *hold) lose(kind, cause error, now int64) {
	if h.state != held {
		h.s.unlock()
		return
	}
	err := h.failure(h.op, kind)
	err.Held, err.Cause = time.Duration(now-h.since.Load()), cause
	h.err = err
	h.until.Store(0)
	h.stopLease = nil
	h.state = expired
	detach := h.policy == ReleaseOnExpiry
	var next *hold
	var watch bool
	if detach {
		h.state = detached
		if h.session == nil {
			next, watch = h.s.pass(h.e, h.clk)
		}
	}
	onOver := h.onOver
	h.s.unlock()
	h.end(err)
	h.m.lapsed(h, err)
	if onOver != nil {
		onOver.over(err)
	}
	if detach {
		h.m.measure.returned(h)
	}
	if h.session == nil {
		h.m.goOn(h, next, watch)
	} else if detach {
		h.session.stop()
	}
}

// release gives the key back, if h has it. It reports whether it had, and what had ended
// the lease before, or nil.
func (h *hold) release() (had bool, lapse *Error) {
	h.s.lock()
	lapse = h.err
	if h.state != held && h.state != expired {
		h.s.unlock()
		return false, lapse
	}
	h.state = released
	h.until.Store(0)
	stop, stopSlow := h.stopLease, h.stopSlow
	h.stopLease, h.stopSlow = nil, nil
	var next *hold
	var watch bool
	if h.session == nil {
		next, watch = h.s.pass(h.e, h.clk)
	}
	h.s.unlock()
	if stop != nil {
		stop()
	}
	if stopSlow != nil {
		stopSlow()
	}
	h.end(nil)
	h.m.measure.returned(h)
	if h.session == nil {
		h.m.goOn(h, next, watch)
	} else {
		h.session.stop()
	}
	return true, lapse
}

// lapse returns what ended the lease before its release, or nil.
func (h *hold) lapse() error {
	h.s.lock()
	defer h.s.unlock()
	if h.err == nil {
		return nil
	}
	return h.err
}

// listen lets l know when the lease ends, or returns what ended it already.
func (h *hold) listen(l overListener) error {
	h.s.lock()
	defer h.s.unlock()
	if h.err != nil {
		return h.err
	}
	h.onOver = l
	return nil
}
