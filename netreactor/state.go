package netreactor

import (
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/goid"
)

// The bits of state. Those from ownerShift on are the token of the goroutine that makes a full pass, 0 if none does.
const (
	workRead    uint64 = 1 << iota // bytes have come, or the end
	workWrite                      // there is room again for bytes to write
	workRequest                    // the subscriber has come, has asked for more, has cancelled
	workSend                       // something is in the inbox
	workHungUp                     // the peer has closed its side, or all of the connection
	workClose                      // a full pass is to look at everything: it may be time to end, to ask for more, or to tell the peer something
	workMore                       // the pass before stopped with work left, to let others have their turn, or it has failed
	queued                         // the connection waits for a full pass
	owned                          // somebody makes a pass, full or light

	works = queued - 1
	// ownerShift is how far a token is shifted: an address has 48 bits at most.
	ownerShift = 16
	bits       = 1<<ownerShift - 1
	// lightWork is what a light pass can do.
	lightWork = workSend | workWrite
)

// token is what the calling goroutine puts into state while it makes a full pass.
func token() uint64 { return uint64(goid.Current()) << ownerShift }

// maker returns the token of the goroutine that makes a full pass, or shakes hands, 0 if none does. Any goroutine may call it.
func (c *connection) maker() uint64 { return c.state.Load() &^ bits }

// mine reports whether the caller is within a full pass of c, or within its handshake. It is inlined.
func (c *connection) mine() bool { return c.state.Load()>>ownerShift == uint64(goid.Current()) }

// enter notes work and has it done: by who makes a pass, by the pass that is due, by the caller in a light pass, or in a full one
// that it submits. Any goroutine.
func (c *connection) enter(work uint64) {
	for {
		old := c.state.Load()
		chaos.Yield()
		switch {
		case old&(owned|queued) != 0:
			if old&work == work || c.state.CompareAndSwap(old, old|work) {
				return
			}
		case work&^lightWork == 0: // old has no other work: as long as there is some, the connection is owned or queued
			if c.state.CompareAndSwap(old, old|work|owned) {
				c.light()
				return
			}
		default:
			if c.state.CompareAndSwap(old, old|work|queued) {
				c.tr.submit()
				return
			}
		}
	}
}

// queue is enter for a selector that has workers: if the result is true, the connection is marked as queued and the caller hands it to them.
func (c *connection) queue(work uint64) bool {
	for {
		old := c.state.Load()
		chaos.Yield()
		if old&(owned|queued) != 0 {
			if old&work == work || c.state.CompareAndSwap(old, old|work) {
				return false
			}
		} else if c.state.CompareAndSwap(old, old|work|queued) {
			return true
		}
	}
}

// claim is enter for a selector without workers: if ok, the caller is the owner, and makes a full pass for all.
func (c *connection) claim(work uint64) (all uint64, ok bool) {
	for {
		old := c.state.Load()
		chaos.Yield()
		if old&(owned|queued) != 0 {
			if old&work == work || c.state.CompareAndSwap(old, old|work) {
				return 0, false
			}
		} else if c.state.CompareAndSwap(old, owned|token()) {
			return old&works | work, true
		}
	}
}

// own makes the caller, who may make full passes, the owner, and returns work with all that was noted. It is not ok if somebody
// else makes a pass: that one notes work; if it is a light pass, it submits a full one at its end.
func (c *connection) own(work uint64) (all uint64, ok bool) {
	for {
		old := c.state.Load()
		chaos.Yield()
		if old&owned != 0 {
			if c.state.CompareAndSwap(old, old|work) {
				return 0, false
			}
		} else if c.state.CompareAndSwap(old, owned|token()) {
			return old&works | work, true
		}
	}
}

// take takes the work that was noted. The caller is the owner; me is its token in a full pass, 0 in a light one.
func (c *connection) take(me uint64) uint64 { return c.state.Swap(owned|me) & works }

// release ends the pass, or reports false if there is work: then the caller is still the owner. As for me, see take.
func (c *connection) release(me uint64) bool {
	chaos.Yield()
	return c.state.CompareAndSwap(owned|me, 0)
}

// resubmit ends the pass of the caller, who is the owner, and submits a full one, for work and all that was noted.
func (c *connection) resubmit(work uint64) {
	for {
		old := c.state.Load()
		chaos.Yield()
		if c.state.CompareAndSwap(old, old&works|work|queued) {
			c.tr.submit()
			return
		}
	}
}
