package protocol

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
)

const (
	deferredWaiting = iota
	deferredSet
	deferredCancelled
)

// Deferred is a Subscription that can be used before the real one is there: it
// collects demand and hands over the whole sum. Safe for concurrent use. The zero
// value waits.
type Deferred struct {
	state     atomic.Int32
	requested atomic.Int64         // collected demand, taken as a whole by whoever sees the subscription
	up        reactor.Subscription // written by Keep, before state becomes deferredSet; read after that, by the callers of Keep and Open, and by Kept
}

// Set provides the real subscription. A second one, or one that comes after
// Cancel, is cancelled at once; Set reports whether it was taken.
func (d *Deferred) Set(up reactor.Subscription) bool { return d.Keep(up) && d.Open() }

// Keep is the first half of Set: it takes the real subscription, but passes nothing on to it before Open.
func (d *Deferred) Keep(up reactor.Subscription) bool {
	if d.state.Load() != deferredWaiting || d.up != nil {
		up.Cancel()
		return false
	}
	d.up = up
	return true
}

// Open is the second half of Set: the subscription of Keep gets the demand that was collected, or is cancelled if Cancel was
// called.
func (d *Deferred) Open() bool {
	chaos.Yield()
	if !d.state.CompareAndSwap(deferredWaiting, deferredSet) {
		d.up.Cancel()
		return false
	}
	d.flush()
	return true
}

// Kept returns the subscription of Keep. The caller knows that Keep was called, and has seen
// something that was done after that call.
func (d *Deferred) Kept() reactor.Subscription { return d.up }

// flush passes on everything that was collected; of several callers one gets
// the sum.
func (d *Deferred) flush() {
	chaos.Yield()
	if n := d.requested.Swap(0); n > 0 {
		d.up.Request(n)
	}
}

// Request passes n on or keeps it; n > 0.
func (d *Deferred) Request(n int64) {
	switch d.state.Load() {
	case deferredSet:
		d.up.Request(n)
	case deferredWaiting:
		demand.Add(&d.requested, n)
		chaos.Yield()
		if d.state.Load() == deferredSet {
			d.flush()
		}
	}
}

// Cancel cancels the real subscription, now or when it comes.
func (d *Deferred) Cancel() { d.CancelOnce() }

// CancelOnce is Cancel and reports whether this call was the first one.
func (d *Deferred) CancelOnce() bool {
	old := d.state.Swap(deferredCancelled)
	if old == deferredSet {
		d.up.Cancel()
	}
	return old != deferredCancelled
}

// CancelAnd is CancelOnce, and calls then afterwards if this call was the first one, also if a
// function that hears of the cancellation ends the goroutine.
func (d *Deferred) CancelAnd(then func()) {
	old := d.state.Swap(deferredCancelled)
	if old == deferredCancelled {
		return
	}
	defer then()
	if old == deferredSet {
		d.up.Cancel()
	}
}

// Close marks the stream as ended without cancelling anything: the real
// subscription has ended by itself. It reports whether it was live.
func (d *Deferred) Close() bool { return d.state.Swap(deferredCancelled) != deferredCancelled }

// IsCancelled reports whether Cancel or Close was called.
func (d *Deferred) IsCancelled() bool { return d.state.Load() == deferredCancelled }
