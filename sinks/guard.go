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
	owner atomic.Uintptr // the goroutine that emits; 0: nobody
	depth int            // emissions within the one that has taken the guard; touched by the owner only
}

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

func (g *guard) leave() {
	if g != nil && g.release() {
		g.line.Wake()
	}
}

// release is leave for the one who would be woken by it. It reports whether another one may emit
// now.
func (g *guard) release() bool {
	switch {
	case g == nil:
		return false
	case g.depth > 0:
		g.depth--
		return false
	}
	chaos.Yield()
	g.owner.Store(0)
	return true
}
