package protocol

import (
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
)

// Arbiter is a Subscription whose upstream is swapped while it lives: the demand
// that one source leaves open is asked of the next (concat, retry, repeat,
// timeout with a fallback, …). Safe for concurrent use; nothing is called while
// the lock is held. The zero value has no upstream and no demand.
//
// A mutex, not a lock-free loop: it is taken per request and per swap, never per
// element, and the three fields have to change together.
type Arbiter struct {
	// ToTheEnded: a cancellation also goes to an upstream that has ended, as long as there is no
	// next one. Set before the Arbiter is used.
	ToTheEnded bool

	all atomic.Bool // open is reactor.Unbounded, which it stays; set under mu

	mu        sync.Mutex
	current   reactor.Subscription // guarded by mu
	open      int64                // demand not yet produced; guarded by mu
	ended     bool                 // current has ended; guarded by mu
	cancelled bool                 // guarded by mu
}

// Set makes up the current upstream and asks it for the open demand. After
// Cancel it cancels up instead. The previous upstream is not cancelled: it has
// ended, or see Switch.
func (a *Arbiter) Set(up reactor.Subscription) {
	chaos.Yield()
	a.mu.Lock()
	if a.cancelled {
		a.mu.Unlock()
		up.Cancel()
		return
	}
	a.current, a.ended = up, false
	open := a.open
	a.mu.Unlock()
	chaos.Yield()
	if open > 0 {
		up.Request(open)
	}
}

// Switch is Set, but first cancels the previous upstream, if that has not ended.
func (a *Arbiter) Switch(up reactor.Subscription) {
	a.mu.Lock()
	old := a.live()
	a.current = nil
	a.mu.Unlock()
	if old != nil {
		old.Cancel()
	}
	a.Set(up)
}

// live returns the upstream that is to be cancelled, or nil. The caller holds mu.
func (a *Arbiter) live() reactor.Subscription {
	if a.ended && !a.ToTheEnded {
		return nil
	}
	return a.current
}

// Ended records that the current upstream has ended: a cancellation does not go there any
// more. Requests still go there and are ignored; the next upstream is asked for them again.
func (a *Arbiter) Ended() {
	chaos.Yield()
	a.mu.Lock()
	a.ended = true
	a.mu.Unlock()
}

// Next prepares a swap: it is [Arbiter.Ended] of an upstream that has delivered n elements,
// and reports whether the stage is still wanted. If not, no further upstream may be
// subscribed.
func (a *Arbiter) Next(n int64) (live bool) {
	chaos.Yield()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
	if a.open != reactor.Unbounded {
		a.open = max(a.open-n, 0)
	}
	return !a.cancelled
}

// Produced records that n elements were delivered. It must be called before the
// next Set: the next upstream would be asked for them again.
func (a *Arbiter) Produced(n int64) {
	if n == 0 || a.all.Load() {
		return
	}
	a.mu.Lock()
	if a.open != reactor.Unbounded {
		a.open = max(a.open-n, 0)
	}
	a.mu.Unlock()
}

// Take uses one element of the open demand for an element that comes from elsewhere,
// and reports whether there was any. It may be called only between two upstreams.
func (a *Arbiter) Take() bool {
	chaos.Yield()
	return a.all.Load() || a.takeOne()
}

func (a *Arbiter) takeOne() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == 0 {
		return false
	}
	if a.open != reactor.Unbounded {
		a.open--
	}
	return true
}

// Request adds n to the open demand and asks the current upstream for it; n > 0.
func (a *Arbiter) Request(n int64) {
	chaos.Yield()
	a.mu.Lock()
	if a.cancelled {
		a.mu.Unlock()
		return
	}
	a.open = demand.Sum(a.open, n)
	if a.open == reactor.Unbounded {
		a.all.Store(true)
	}
	up := a.current
	a.mu.Unlock()
	chaos.Yield()
	// If a swap comes in between, up has ended and ignores the request, and the
	// new one was asked for the sum that contains n.
	if up != nil {
		up.Request(n)
	}
}

// Cancel cancels the current upstream, unless that has ended, and every later one.
func (a *Arbiter) Cancel() {
	chaos.Yield()
	a.mu.Lock()
	up := a.live()
	a.current = nil
	a.cancelled = true
	a.mu.Unlock()
	if up != nil {
		up.Cancel()
	}
}

// Upstream returns the current upstream.
func (a *Arbiter) Upstream() reactor.Subscription {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.current
}

// IsCancelled reports whether Cancel was called.
func (a *Arbiter) IsCancelled() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cancelled
}

// IsUnbounded reports whether the demand is unbounded, so that there is no need
// to count what is delivered.
func (a *Arbiter) IsUnbounded() bool { return a.all.Load() }
