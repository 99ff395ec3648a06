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

// asking is the goroutine that asks upstream for what a pass has made room for, or 0. If several do, it is one of them.
type asking struct{ by atomic.Uintptr }

func (a *asking) begin() { a.by.Store(goid.Current()) }

// end is called by who has begun.
func (a *asking) end() { a.by.CompareAndSwap(goid.Current(), 0) }

// here reports whether the caller is within such a request, behind which there is a pass.
func (a *asking) here() bool {
	by := a.by.Load()
	return by != 0 && by == goid.Current()
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
	m.ask(0)
}

// leave gives the drain up, and asks for n more publishers.
func (m *flatMapMain[R]) leave(n int64) {
	m.drain.Leave(m)
	m.ask(n)
}

// ask asks for what passes have made room for, and for n more publishers.
func (m *flatMapMain[R]) ask(n int64) {
	if m.behind.Load() != 0 {
		defer m.request(n) // also if a function that hears of a request ends the goroutine, as below
		m.askBehind()
	} else {
		m.request(n)
	}
}

func (m *flatMapMain[R]) request(n int64) {
	if n > 0 && !m.stop.Load() {
		m.up.Request(n)
	}
}

func (m *flatMapMain[R]) askBehind() {
	clean := false
	defer func() {
		if !clean {
			m.askBehind()
		}
	}()
	for m.behind.Load() != 0 {
		chaos.Yield()
		if room := m.behind.Swap(0); room != 0 {
			m.askFor(room)
		}
	}
	clean = true
}

// askFor asks for as many publishers as there is room for, and makes the next pass.
func (m *flatMapMain[R]) askFor(room int64) {
	defer m.drain.Run(m)
	if m.done.Load() {
		return
	}
	defer m.asking.end()
	m.asking.begin()
	m.request(room)
}
