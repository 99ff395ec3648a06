package operators

import "github.com/goreactor/reactor/internal/protocol"

// The owner of the drain sends all elements, so that it is known when no element is on its way: so
// the watch for an end from elsewhere, such as that of a context, costs nothing per element, see
// protocol.Host.

// Host returns the stage itself.
func (m *flatMapMain[R]) Host() protocol.Host { return m }

// Lodged implements protocol.Host, before anything is requested.
func (m *flatMapMain[R]) Lodged() { m.lodged = true }

// Tell implements protocol.Host.
func (m *flatMapMain[R]) Tell(h *protocol.Half) {
	m.lodging.Keep(h)
	m.drain.Run(m) // at once, as Cancel
}
