package protocol

import "sync/atomic"

// Lodging makes a [Host] of a stage that has a [Drain] and sends all elements while it holds the
// drain: a [Half] that lodges there gets its end from elsewhere between two elements, from the
// owner of the drain.
type Lodging struct{ late atomic.Pointer[Half] }

// Keep takes h, which has got its end. The caller then announces a pass.
func (l *Lodging) Keep(h *Half) { l.late.Store(h) }

// Settle delivers the end, if it has come. It is called by the owner of the drain when no element
// is on its way, or by anybody when none will come.
func (l *Lodging) Settle() {
	if h := l.late.Load(); h != nil {
		l.late.Store(nil)
		h.Settle()
	}
}
