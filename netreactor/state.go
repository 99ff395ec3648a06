package netreactor

import "github.com/goreactor/reactor/internal/chaos"

// The bits of state.
const (
	workRead    uint32 = 1 << iota // bytes have come, or the end
	workWrite                      // there is room again for bytes to write
	workRequest                    // the subscriber has come, has asked for more, has cancelled
	workSend                       // something is in the inbox
	workHungUp                     // the peer has closed its side, or all of the connection
	workClose                      // abort or finish is set, or the server shuts down
	workMore                       // the pass was interrupted to let others have their turn
	queued                         // it waits for a full pass
	owned                          // somebody makes a pass

	works = queued - 1
	// lightWork is what a light pass can do.
	lightWork = workSend | workWrite
)

// enter notes work and has it done.
func (c *connection) enter(work uint32) {
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
func (c *connection) queue(work uint32) bool {
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

// claim is enter for a selector that makes the pass itself if the result is true.
func (c *connection) claim(work uint32) bool {
	for {
		old := c.state.Load()
		chaos.Yield()
		if old&(owned|queued) != 0 {
			if old&work == work || c.state.CompareAndSwap(old, old|work) {
				return false
			}
		} else if c.state.CompareAndSwap(old, old|work|owned) {
			return true
		}
	}
}

// own makes the caller, who may make full passes, the owner, and notes work. It reports false if
// somebody makes a light pass: then a full one is submitted after that.
func (c *connection) own(work uint32) bool {
	for {
		old := c.state.Load()
		chaos.Yield()
		if old&owned != 0 {
			if c.state.CompareAndSwap(old, old|work) {
				return false
			}
		} else if c.state.CompareAndSwap(old, old&^queued|work|owned) {
			return true
		}
	}
}

// take returns the work to do. Owner.
func (c *connection) take() uint32 { return c.state.Swap(owned) & works }

// release ends a pass, or reports false if there is work.
func (c *connection) release() bool {
	chaos.Yield()
	return c.state.CompareAndSwap(owned, 0)
}

// resubmit ends the pass and has a full one made, with all the work there is.
func (c *connection) resubmit(work uint32) {
	for {
		old := c.state.Load()
		chaos.Yield()
		if c.state.CompareAndSwap(old, old&^owned|work|queued) {
			c.tr.submit()
			return
		}
	}
}
