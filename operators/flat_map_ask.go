package operators

import (
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/goid"
)

// Upstream is asked for publishers with the drain left: the next publisher may work where it is asked, as long as it likes, and
// who cancels, fails or delivers meanwhile must find somebody who drains. What a pass has made room for is asked for by who leaves
// the drain after it, before anybody makes the next pass. What comes where upstream is asked waits for that pass, as if the drain
// were taken: so demand and order do not depend on whether somebody else is there.

// asking is what passes have made room for and upstream is not asked for yet, and the goroutine that asks, or 0. If several do, it
// is one of them.
type asking struct {
	askBehind
	by atomic.Uintptr
}

// asker is a stage that asks upstream for publishers.
type asker interface {
	askFor(n int64) // calls Request, unless nothing more is wanted
	again()         // makes a pass
}

// here reports whether the caller is within such a request, behind which there is a pass.
func (a *asking) here() bool {
	by := a.by.Load()
	return by != 0 && by == goid.Current()
}

// due reports whether there is something to ask for.
func (a *asking) due() bool { return a.n.Load() != 0 }

// ask has s ask for all there is room for, and make the next pass, for as long as that makes room. Whoever may have drained calls
// it when the drain is left.
func (a *asking) ask(s asker) {
	if a.due() {
		a.askAll(s)
	}
}

func (a *asking) askAll(s asker) {
	me, clean := goid.Current(), false
	defer func() {
		if !clean { // a function that hears of the request has ended the goroutine
			defer a.ask(s)
			a.asked(s, me)
		}
	}()
	for a.due() {
		chaos.Yield()
		if n := a.n.Swap(0); n != 0 {
			a.by.Store(me)
			s.askFor(n)
			a.asked(s, me)
		}
	}
	clean = true
}

func (a *asking) asked(s asker, me uintptr) {
	a.by.CompareAndSwap(me, 0)
	s.again()
}

// enter takes the drain if nobody has it.
func (m *flatMapMain[R]) enter() bool { return !m.asking.here() && m.drain.TryEnter() }

// run announces work, and does it unless somebody else drains, or is about to.
func (m *flatMapMain[R]) run() {
	if !m.asking.here() && m.drain.Announce() {
		m.loop()
	}
}

// loop drains, and leaves the drain. The caller has it.
func (m *flatMapMain[R]) loop() {
	m.drain.Loop(m)
	m.asking.ask(m)
}

// leave gives the drain up, and asks for n more publishers.
func (m *flatMapMain[R]) leave(n int64) {
	m.drain.Leave(m)
	if m.asking.due() {
		m.ask(n)
	} else {
		m.request(n)
	}
}

// ask asks for what passes have made room for, and for n more publishers.
func (m *flatMapMain[R]) ask(n int64) {
	defer m.request(n) // also if a function that hears of a request ends the goroutine
	m.asking.ask(m)
}

func (m *flatMapMain[R]) request(n int64) {
	if n > 0 && !m.stop.Load() {
		m.up.Request(n)
	}
}

// askFor implements asker, as does the next.
func (m *flatMapMain[R]) askFor(n int64) {
	if !m.done.Load() {
		m.request(n)
	}
}

func (m *flatMapMain[R]) again() { m.drain.Run(m) }
