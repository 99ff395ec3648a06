package elementwise

import "github.com/goreactor/reactor/internal/protocol"

// Passing is the [protocol.Link] of a stage that hands itself down, to count demand or to hear of a cancellation, and
// sends nothing but in a signal of upstream, on its goroutine.
type Passing struct{ protocol.Link }

// Attach lets h know of the runs of upstream.
func (p *Passing) Attach(h *protocol.Half) bool { return h.Attach(p.Up) }

// Host returns the [protocol.Host] behind it.
func (p *Passing) Host() protocol.Host { return protocol.HostOf(p.Up) }
