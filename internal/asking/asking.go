package asking

import (
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/goid"
)

// Behind is what the passes of a drain have made room for and upstream is not asked for yet, for a stage that asks with the drain
// left: upstream may work where it is asked, as long as it likes, and who cancels, fails or delivers meanwhile must find somebody
// who drains. Who leaves the drain asks, before anybody makes the next pass.
//
// What comes where upstream is asked waits for a pass behind the request, as if the drain were taken: so demand and order do not
// depend on whether somebody else is there.
type Behind struct {
	n  atomic.Int64   // twice the room; and 1 if a pass is due behind the request
	by atomic.Uintptr // the goroutine that asks, or 0; of several, one of them
}

// Stage is who asks.
type Stage interface {
	AskFor(n int64) // calls Request, unless nothing more is wanted
	PassAgain()
}

// Add notes room for n more. Owner of the drain, as is the next.
func (b *Behind) Add(n int64) { b.n.Add(2 * n) }

// First reports that upstream has to be asked before a pass is made: who asks makes it.
func (b *Behind) First() bool { return b.n.Load() > 1 && b.later() }

func (b *Behind) later() bool {
	for {
		n := b.n.Load()
		if n <= 1 { // it is being asked already
			return false
		}
		chaos.Yield()
		if b.n.CompareAndSwap(n, n|1) {
			return true
		}
	}
}

// Here reports whether the caller is within such a request: then it calls Pass in the place of one.
func (b *Behind) Here() bool { return b.by.Load() != 0 && b.here() }

//go:noinline
func (b *Behind) here() bool { return b.by.Load() == goid.Current() }

// Idle reports whether nobody is within such a request.
func (b *Behind) Idle() bool { return b.by.Load() == 0 }

// Pass says, within such a request, that a pass is due behind it.
func (b *Behind) Pass() { b.n.Or(1) }

// Due reports whether there is something to ask for, or a pass to make.
func (b *Behind) Due() bool { return b.n.Load() != 0 }

// Ask has s ask for all there is room for, and make the pass that has become due meanwhile, for as long as that makes room. Whoever
// may have drained calls it when the drain is left.
func (b *Behind) Ask(s Stage) {
	if b.Due() {
		b.ask(s)
	}
}

//go:noinline
func (b *Behind) ask(s Stage) {
	me, clean := goid.Current(), false
	defer func() {
		if !clean { // a function that hears of the request, or what a pass calls, has ended the goroutine
			b.by.CompareAndSwap(me, 0)
			b.Ask(s)
		}
	}()
	for b.Due() {
		chaos.Yield()
		n := b.n.Swap(0)
		if n > 1 {
			b.by.Store(me)
			s.AskFor(n / 2)
			b.by.CompareAndSwap(me, 0)
		}
		if n&1 != 0 {
			s.PassAgain()
		}
	}
	clean = true
}
