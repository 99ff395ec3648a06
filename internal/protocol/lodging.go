package protocol

import "sync/atomic"

// Lodging makes a [Host] of a stage that has a [Drain] and sends all elements while it holds that: who lodges there gets his
// end from elsewhere between two elements, from the owner of the drain.
type Lodging struct{ late atomic.Pointer[Half] }

// Keep takes h, which has got its end. The caller has a pass made behind it.
func (l *Lodging) Keep(h *Half) { l.late.Store(h) }

// Settle delivers the end, if it has come. Owner of the drain, when no element is on its way, or anybody when none will come.
func (l *Lodging) Settle() {
	if h := l.late.Load(); h != nil {
		l.late.Store(nil)
		h.Settle()
	}
}
