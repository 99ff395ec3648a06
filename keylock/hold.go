package keylock

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
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
	refused                 // it never had the key, and never will
)

// forever is the time of what has no end.
const forever = math.MaxInt64

// noTime is the time of what has not happened.
const noTime = math.MinInt64

// hold is one call for a key from its arrival to its end: it waits, it is the
// holder, it is the context of what runs meanwhile, and a [Lease] points to it. Its size
// is 128 bytes, which a test watches: there is one for each key that is held and for
// each call that waits. What most calls do without is in extra.
type hold struct {
	s       *shard
	clk     *clock
	parent  context.Context // of the caller
	op      method
	policy  Policy
	once    bool  // it does not wait
	counted bool  // the meter counts this stream among those who wait; s.mu
	state   state // s.mu
	*extra        // or nil; immutable

	// s.mu guards what follows. The holder reads e and token without it: these do not
	// change any more once the state is held.
	e              *entry
	before, behind *hold  // neighbours in the queue
	token          uint64 // 0 before the grant
	err            *Error // what ended its lease before the release, or nil

	ready  chan struct{}           // tells that the wait may be over; nil if the call did not wait, and for streams
	since  atomic.Int64            // when the key was granted; before that, when the wait began; noTime if that is not known
	until  atomic.Int64            // end of the lease, or of the record if that is earlier; 0 before the grant and when it is over, forever without an end
	inner  atomic.Pointer[endable] // nil until somebody asks for it, see ended
	ending atomic.Pointer[ending]  // why the lease or the wait has ended; nil before that
}

// extra is what a hold has that a meter, a lease, a backend, a stream or a slow holder is
// concerned with. Its lock is that of the hold.
type extra struct {
	lease      time.Duration // 0 without a limit; immutable
	due        int64         // end of the lease by LeaseTime and Extend, forever without one; s.mu
	record     int64         // end of the record in the backend as far as we rely on it, forever without one; s.mu
	waited     time.Duration // s.mu
	stopWait   func()        // stops the timer of the wait, or nil; s.mu
	leaseTimer timer         // s.mu
	stopSlow   func()        // stops the look at slow holders, or nil; s.mu
	session    *session      // with the backend; nil without one, and as long as others of this process come first; guarded as token is
	onOver     overListener  // told of the end of the lease, or nil; s.mu
	sink       waiter        // the stream that waits, nil for a call that waits on its goroutine; immutable
}

// waiter is a stream that waits. It is told the end of its wait, once: nil says that it has the key.
type waiter interface{ settled(err error) }

// overListener is told, once, that a lease has ended before its release.
type overListener interface{ over(err error) }

// ending is why the context of a hold has ended, or why there was no grant.
type ending struct {
	cause   error
	refused bool
}

var normalEnding = &ending{}

type heldKey struct{}

// holdOf returns the innermost hold that ctx belongs to, or nil.
func holdOf(ctx context.Context) *hold {
	h, _ := ctx.Value(heldKey{}).(*hold)
	return h
}

// reentered returns the hold that ctx belongs to and that keeps key, or nil. The lease of that
// hold may be over: under [HoldUntilReturn] the hold keeps the key nevertheless.
func (m *Manager) reentered(ctx context.Context, key string) *hold {
	for h := holdOf(ctx); h != nil; h = holdOf(h.parent) {
		if h.s.m == m && h.e.key == key && h.keepsKey() {
			return h
		}
	}
	return nil
}

// lent returns the hold of key that ctx belongs to if a [Reentrant] call may run in it, or
// nil. No call may run in a hold whose lease is over.
func (m *Manager) lent(ctx context.Context, key string) *hold {
	if h := m.reentered(ctx, key); h != nil && h.until.Load() != 0 {
		return h
	}
	return nil
}

// keepsKey reports whether nobody else of this process can have the key.
func (h *hold) keepsKey() bool {
	h.s.lock()
	defer h.s.unlock()
	return h.state == held || h.state == expired
}

// Deadline returns the end of the lease or that of the caller's context, whichever
// comes first.
func (h *hold) Deadline() (time.Time, bool) {
	outer, ok := h.parent.Deadline()
	due := h.limited()
	if due == forever {
		return outer, ok
	}
	if own := h.clk.time(due); !ok || own.Before(outer) {
		return own, true
	}
	return outer, true
}

// limited returns the end of the lease, forever without one.
func (h *hold) limited() int64 {
	if h.extra == nil {
		return forever
	}
	h.s.lock()
	defer h.s.unlock()
	return h.due
}

// deepest is how many streams are told within one another that their wait is over.
const deepest = 1000

// wake tells the caller of h that its wait is over. A stream that is told may give its key back within that call, because it runs there or
// can't run at all, and then the stream behind it is told within the same call, and so on. No stack is large enough for all that may wait:
// so a stream that is deeper than deepest is told on a goroutine of its own.
func (h *hold) wake(err error) {
	if sink := h.waiter(); sink != nil {
		if h.s.telling.Add(1) > deepest {
			go h.tell(sink, err)
		} else {
			h.tell(sink, err)
		}
		return
	}
	select {
	case h.ready <- struct{}{}:
	default: // the caller has yet to look at what it was told before
	}
}

// tell is wake for a stream.
func (h *hold) tell(sink waiter, err error) {
	defer h.s.telling.Add(-1) // also if the stream ends the goroutine
	sink.settled(err)
}

// waiter returns who waits without a goroutine, or nil.
func (h *hold) waiter() waiter {
	if h.extra == nil {
		return nil
	}
	return h.sink
}

// backed returns the session with the backend, or nil.
func (h *hold) backed() *session {
	if h.extra == nil {
		return nil
	}
	return h.session
}

// failure returns an error about h.
func (h *hold) failure(op string, kind error) *Error {
	return &Error{Op: op, Kind: kind, Key: h.e.key, Token: h.token}
}

// begin starts the time of the lease, and sets its timers, for a hold that was granted
// the key while it waited. The hold is told of the grant when begin has returned.
func (h *hold) begin() error {
	now := h.clk.now()
	if h.extra == nil {
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
	since := h.since.Swap(now)
	if h.extra == nil {
		return
	}
	h.waited = time.Duration(now - since)
	if h.lease > 0 {
		h.due = later(now, h.lease)
		h.limit()
	}
}

// limit sets until to the end of the lease or to that of the record, whichever comes
// first. The caller holds s.mu.
func (h *hold) limit() {
	switch {
	case h.state != held:
	case h.extra == nil:
		h.until.Store(forever)
	default:
		h.until.Store(min(h.due, h.record))
	}
}

// watch sets the timers of a hold that was granted.
func (h *hold) watch() error {
	if h.s.m.onSlow != nil {
		h.watchSlow()
	}
	if until := h.until.Load(); until != forever && until != 0 {
		return h.arm(time.Duration(until - h.clk.now()))
	}
	return nil
}

// watchSlow sets the timer after which the function of [WithSlowHolder] is called, if h
// still holds the key. That is for people: if the clock refuses, nothing is called.
func (h *hold) watchSlow() {
	stop, _ := h.clk.after(h.s.m.slow, func() {
		if v, ok := h.view(); ok {
			failure.Guard(func() { h.s.m.onSlow(v) }, func(err error) { reactor.DropError(h.parent, err) })
		}
	})
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

// letGo lets others go on when h has let go of its key: by Manager.goOn, or with a backend by stopping the session of h, which removes the
// record before it does that.
func (h *hold) letGo(session *session, next *hold, watch bool) {
	if session == nil {
		h.s.m.goOn(h, next, watch)
		return
	}
	session.stop()
}

// release gives the key back, if h has it. It returns whether h had it, whether a call that
// waits on its goroutine comes next, and what had ended the lease of h before, or nil.
func (h *hold) release() (had, passed bool, lapse *Error) {
	h.s.lock()
	lapse = h.err
	if h.state != held && h.state != expired {
		h.s.unlock()
		return false, false, lapse
	}
	h.state = released
	h.until.Store(0)
	stop := h.unset(true)
	session := h.backed()
	var next *hold
	var watch bool
	if session == nil {
		next, watch = h.s.pass(h.e, h.clk)
	}
	h.s.unlock()
	defer h.letGo(session, next, watch) // also if the meter ends the goroutine
	stop.all()
	h.end(nil)
	h.s.m.measure.returned(h)
	return true, next != nil && next.waiter() == nil, lapse
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
	if h.extra != nil { // without it nothing ends the lease
		h.onOver = l
	}
	return nil
}
