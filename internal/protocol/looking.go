package protocol

import "github.com/goreactor/reactor"

// looker is the Down of a [Half] that asks a source for everything, where it is, and cancels when a context ends. Most streams have
// few elements: a look at the context between them costs less than to have it watched.
type looker interface {
	Signals
	// Look cancels if the context has ended.
	Look()
	// Watch sees to it that the end of the context cancels, until the result is called.
	Watch() (stop func())
}

// lookedAt is how many elements come before the context is watched.
const lookedAt = 32

// AttachLooking is [Half.AttachRequested] for a looker. up comes from a source that computes one element like many when it is
// asked, and no stage in between hears of a cancellation: else the end of the context might have to be told during an element.
func (h *Half) AttachLooking(up reactor.Subscription) bool {
	h.looks = true
	return h.AttachRequested(up)
}
