package sinks

import (
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/protocol"
)

// guard lets one goroutine emit at a time, and that one again from within. A nil guard
// lets everybody.
type guard struct {
	line  *line          // woken when another one may emit
	turn  *protocol.Turn // of those who hear of an end when nobody emits any more; nil: nobody waits for that
	owner atomic.Uintptr // the goroutine that emits; 0: nobody
	depth int            // emissions within the one that has taken the guard; touched by the owner only
}

// Active reports whether somebody emits.
func (g *guard) Active() bool { return g.owner.Load() != 0 }

// enter reports whether the caller may emit; it then calls leave.
func (g *guard) enter() bool {
	if g == nil {
		return true
	}
	me := goid.Current()
	if g.owner.CompareAndSwap(0, me) {
		return true
	}
	chaos.Yield()
	// Another goroutine's token is never equal, whatever it was read at.
	if g.owner.Load() != me {
		return false
	}
	g.depth++
	return true
}

// leave ends what enter has begun, and wakes who waits to emit.
func (g *guard) leave() {
	switch {
	case g == nil:
	case g.depth > 0:
		g.depth--
	default:
		chaos.Yield()
		g.owner.Store(0)
		if g.turn != nil && g.turn.Unsettled() {
			defer g.line.Wake() // also if who hears of an end ends the goroutine
			g.turn.Settle()
			return
		}
		g.line.Wake()
	}
}

// release is leave for an emission that is first in line: it is not within another one, and the one to be woken would be
// itself.
func (g *guard) release() {
	if g == nil {
		return
	}
	chaos.Yield()
	g.owner.Store(0)
	if g.turn != nil {
		g.turn.Settle()
	}
}
