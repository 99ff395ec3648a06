package keylock

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/goreactor/reactor"
)

var _ reactor.Discardable = Lease{}

// Lease is the right to work on a key for some time. It is a small value, to be copied
// freely; all copies stand for the same right. Its methods may be called from any
// goroutine. The zero Lease gives no right: it is not valid.
type Lease struct{ h *hold }

// Key returns the key.
func (l Lease) Key() string {
	if l.h == nil {
		return ""
	}
	return l.h.e.key
}

// Token returns a number that is higher than the token of every earlier lease of the
// key: of this manager, or with a [Backend] of all managers that share the store. Pass
// it to the resource that the lock protects, which refuses tokens lower than the
// highest it has seen: see package fence.
func (l Lease) Token() uint64 {
	if l.h == nil {
		return 0
	}
	return l.h.token
}

// Nonce returns a text that no other lease has. It tells two leases with the same
// token apart. Such leases exist when the store of a [Backend] was restored from a
// backup, or when a process without a Backend was started again.
func (l Lease) Nonce() string {
	switch {
	case l.h == nil:
		return ""
	case l.h.backed() != nil:
		return l.h.backed().nonce
	}
	return l.h.s.m.nonce + "-" + strconv.FormatUint(l.h.token, 36)
}

// Context returns the context that ends with the lease. Its cause is
// [ErrLeaseExpired] or [ErrLeaseLost], [ErrLocksClosed] when the manager is closed,
// context.Canceled at the release, or the cause of the context with which the key
// was acquired.
func (l Lease) Context() context.Context {
	if l.h == nil {
		return endedContext
	}
	return l.h
}

// endedContext is the context of no lease.
var endedContext = func() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(ErrReleased)
	return ctx
}()

// Valid reports whether the key is held: the lease is neither over nor released. The
// end of the context with which the key was acquired does not change that. By the time
// you act on the answer it may be wrong: only a resource that checks the token can be
// sure.
func (l Lease) Valid() bool {
	if l.h == nil {
		return false
	}
	until := l.h.until.Load()
	return until == forever || until != 0 && l.h.clk.now() < until
}

// Deadline returns when the lease ends, and false if nothing limits the lease or it is
// over. With a [Backend] the deadline moves with each renewal of the record, but not
// beyond the limit of [LeaseTime].
func (l Lease) Deadline() (time.Time, bool) {
	if l.h == nil {
		return time.Time{}, false
	}
	until := l.h.until.Load()
	if until == 0 || until == forever {
		return time.Time{}, false
	}
	return l.h.clk.time(until), true
}

// Extend makes the lease last for d from now, if it would end earlier. A lease that is
// over can't be extended: the error matches [ErrLeaseExpired], [ErrLeaseLost] or
// [ErrReleased]. d ≤ 0 is refused.
func (l Lease) Extend(d time.Duration) error {
	if l.h == nil {
		return &Error{Op: "Extend", Kind: ErrReleased}
	}
	return l.h.extend(d)
}

// Release gives the key back and reports whether this call did so. It does nothing if
// the key was given back before, also if that happened because the lease expired. It
// never takes the key from a later holder.
//
// With a [Backend] it waits for the answer, at most for the time that the record lives,
// unless it is called on a worker that must not block.
func (l Lease) Release() bool {
	if l.h == nil {
		return false
	}
	ok, _, _ := l.h.release()
	if ok {
		l.h.settle()
	}
	return ok
}

// Discarded is Release without waiting, for streams: it frees the key of a lease that
// nobody will get.
func (l Lease) Discarded() {
	if l.h != nil {
		l.h.release()
	}
}

// String returns for example "lease 7 of \"order-3\"".
func (l Lease) String() string {
	if l.h == nil {
		return "no lease"
	}
	return fmt.Sprintf("lease %d of %q", l.h.token, l.h.e.key)
}

func (h *hold) extend(d time.Duration) error {
	if d <= 0 {
		return illegal("Extend", h.e.key, "d > 0 required but it was %v", d)
	}
	now := h.clk.now()
	h.s.lock()
	defer h.s.unlock()
	switch {
	case h.state != held && h.err != nil:
		return h.failure("Extend", h.err.Kind)
	case h.state != held:
		return h.failure("Extend", ErrReleased)
	case h.extra == nil:
		return nil // nothing limits it
	case h.due <= now:
		return h.failure("Extend", ErrLeaseExpired) // its timer is late
	case h.record <= now:
		return h.failure("Extend", ErrLeaseLost)
	}
	h.due = max(h.due, later(now, d)) // the timer finds out when it fires
	h.limit()
	return nil
}
