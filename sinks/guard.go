package sinks

import (
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/goid"
)

// guard lets one goroutine emit at a time, and that one again from within. A nil guard
// lets everybody.
type guard struct {
	line  *line          // woken when another one may emit
	depth atomic.Int32   // emissions under way, one within the other
	owner atomic.Uintptr // the goroutine that emits; stored by that one while depth is its own
}

// enter reports whether the caller may emit; it then calls leave.
func (g *guard) enter() bool {
	if g == nil {
		return true
	}
	me := goid.Current()
	if g.depth.CompareAndSwap(0, 1) {
		chaos.Yield()
		g.owner.Store(me)
		return true
	}
	chaos.Yield()
	// Another goroutine's token is never equal, whatever it was read at.
	if g.owner.Load() != me {
		return false
	}
	g.depth.Add(1)
	return true
}

func (g *guard) leave() {
	if g != nil && g.release() {
		g.line.wake()
	}
}

// release is leave for the one who would be woken by it. It reports whether another one may emit
// now.
func (g *guard) release() bool {
	if g == nil {
		return false
	}
	if g.depth.Load() == 1 {
		g.owner.Store(0)
		chaos.Yield()
	}
	return g.depth.Add(-1) == 0
}
