package keylock

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
)

// arm sets the timer of the lease.
func (h *hold) arm(d time.Duration) error {
	t, err := h.clk.timer(d, h.timeUp)
	if err != nil {
		return err
	}
	h.s.lock()
	if h.state == held {
		h.leaseTimer, t = t, timer{}
	}
	h.s.unlock()
	t.stop()
	return nil
}

// timeUp is the task of the timer of the lease, on a goroutine of the clock. If the lease was extended, it sets the timer anew.
func (h *hold) timeUp(context.Context) {
	asked := false
	defer func() {
		if !asked { // the clock has ended the goroutine: a lease can't be kept without a clock
			h.s.lock()
			h.lose(h.shorter(), reactor.ErrGoexit, min(h.due, h.record)) // unlocks
		}
	}()
	now := h.clk.now()
	h.s.lock()
	if h.state != held {
		h.s.unlock()
		asked = true
		return
	}
	if left := min(h.due, h.record) - now; left > 0 {
		h.s.unlock()
		err := h.arm(time.Duration(left))
		asked = true
		if err == nil {
			return
		}
		h.s.lock() // a lease can't be kept without a clock
	}
	asked = true
	h.lose(h.shorter(), nil, now)
}

// shorter returns what ends the lease first. The caller holds s.mu.
func (h *hold) shorter() error {
	if h.record < h.due {
		return ErrLeaseLost
	}
	return ErrLeaseExpired
}

// lose ends the lease of a holder before its release. The caller holds s.mu, which
// lose gives back.
func (h *hold) lose(kind, cause error, now int64) {
	if h.state != held {
		h.s.unlock()
		return
	}
	err := h.failure(h.op.String(), kind)
	err.Held, err.Cause = time.Duration(now-h.since.Load()), cause
	h.err = err
	h.until.Store(0)
	h.state = expired
	detach := h.policy == ReleaseOnExpiry
	stop := h.unset(detach)
	session := h.session
	var next *hold
	var watch bool
	if detach {
		h.state = detached
		if session == nil {
			next, watch = h.s.pass(h.e, h.clk)
		}
	}
	onOver := h.onOver
	h.s.unlock()
	// Deferred, because each may end the goroutine. They run from the last to the first: the next holder goes on first, for onOver may block.
	defer func() {
		switch {
		case onOver == nil:
		case session != nil:
			go onOver.over(err) // this goroutine may be that of the session, which has yet to pass the key on
		default:
			onOver.over(err)
		}
	}()
	defer h.s.m.lapsed(h, err)
	if session == nil || detach {
		defer h.letGo(session, next, watch)
	}
	stop.all()
	h.end(err)
	if detach {
		h.s.m.measure.returned(h)
	}
}
