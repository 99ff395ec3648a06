package netreactor

import (
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/goid"
)

// The bits of state. Those above ownerShift are the token of the goroutine that makes a full pass.
const (
	workRead    uint64 = 1 << iota // bytes have come, or the end
	workWrite                      // there is room again for bytes to write
	workRequest                    // the subscriber has come, has asked for more, has cancelled
	workSend                       // something is in the inbox
	workHungUp                     // the peer has closed its side, or all of the connection
	workClose                      // abort or finish is set, or the server shuts down
	workMore                       // the pass was interrupted to let others have their turn
	queued                         // it waits for a full pass
	owned                          // somebody makes a pass

	works = queued - 1
	// ownerShift is how far a token is shifted: an address has 48 bits at most.
	ownerShift = 16
	bits       = 1<<ownerShift - 1
	// lightWork is what a light pass can do.
	lightWork = workSend | workWrite
)

// token is what stands for the calling goroutine in state.
func token() uint64 { return uint64(goid.Current()) << ownerShift }

// maker returns the token of who makes a full pass, or a handshake, 0 if nobody does.
func (c *connection) maker() uint64 { return c.state.Load() &^ bits }

// mine reports whether the caller is within a full pass. It is inlined.
func (c *connection) mine() bool { return c.state.Load()>>ownerShift == uint64(goid.Current()) }

// enter notes work and has it done.
func (c *connection) enter(work uint64) {
	for {
		old := c.state.Load()
		chaos.Yield()
		switch {
		case old&(owned|queued) != 0:
			if old&work == work || c.state.CompareAndSwap(old, old|work) {
				return
			}
		case work&^lightWork == 0: // there is no other: that is somebody's, or waits for a pass
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

// queue is enter for a selector, which submits itself if the result is true.
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

// claim is enter for a selector that makes the pass itself, with all the work there is, if ok.
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

// own makes the caller, who may make full passes, the owner, with work and all that there is. It is not ok if
// somebody makes a light pass: then a full one is submitted after that.
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

// take returns the work to do. Owner, who is me, or 0 in a light pass.
func (c *connection) take(me uint64) uint64 { return c.state.Swap(owned|me) & works }

// release ends a pass of me, or 0, or reports false if there is work.
func (c *connection) release(me uint64) bool {
	chaos.Yield()
	return c.state.CompareAndSwap(owned|me, 0)
}

// resubmit ends the pass and has a full one made, with all the work there is.
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
