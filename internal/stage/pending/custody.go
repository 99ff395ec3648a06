package pending

import (
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// Custody says who has a value that one goroutine works with, again and again, while another one may give it up: it is
// discarded once, by who finds it. The zero one is of a value that rests.
type Custody struct{ state atomic.Uint32 }

const (
	rests  uint32 = iota
	worked        // the worker has it
	given         // the worker has it, and is to discard it
	gone
)

// Take begins with work; false if the value is gone. Worker.
func (c *Custody) Take() bool {
	if c.state.Swap(worked) < given {
		return true
	}
	c.state.Store(gone)
	return false
}

// Return is the end of work; false if the value was given up meanwhile, and is the caller's to discard. Worker.
func (c *Custody) Return() bool {
	chaos.Yield()
	if c.state.CompareAndSwap(worked, rests) {
		return true
	}
	c.state.Store(gone)
	return false
}

// End takes the value for good, also out of work that has failed; false if it is gone. Worker.
func (c *Custody) End() bool { return c.state.Swap(gone) != gone }

// GiveUp reports whether the value is the caller's to discard. Any goroutine.
func (c *Custody) GiveUp() bool {
	for {
		if c.state.CompareAndSwap(rests, gone) {
			return true
		}
		chaos.Yield()
		if c.state.CompareAndSwap(worked, given) || c.state.Load() >= given {
			return false
		}
	}
}
