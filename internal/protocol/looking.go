package protocol

import "github.com/goreactor/reactor"

// looker is the Down of a [Half] that asks a source for everything, on its own goroutine, and
// cancels when a context ends. Most streams have few elements: to check the context between them
// costs less than a watch over the context.
type looker interface {
	Signals
	// Look cancels if the context has ended.
	Look()
	// Watch makes the end of the context cancel, until the function that it returns is
	// called.
	Watch() (stop func())
}

// lookedAt is how many elements come before the context is watched.
const lookedAt = 32

// AttachLooking is [Half.AttachRequested] for a looker. up comes from a source that computes
// elements on request, one element as well as many, and no stage in between hears of a
// cancellation: otherwise the end of the context might have to be told during an element.
func (h *Half) AttachLooking(up reactor.Subscription) bool {
	h.looks = true
	return h.AttachRequested(up)
}
