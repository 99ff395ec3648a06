package protocol

import "github.com/goreactor/reactor"

// awaited is the Down of a [Half] behind which a goroutine waits for the end. A function that hangs on another goroutine must not keep
// the end of a context from it.
type awaited interface {
	Signals
	// Here reports whether the caller is the goroutine that waits.
	Here() bool
}

// awaitedEdge is a subscriber with a Half whose Down may be an awaited.
type awaitedEdge interface {
	// Edge returns that Half.
	Edge() *Half
}

// AttachNext is [Half.Attach] for a stage that h is attached to, with one of the sources of that
// stage. It returns true as always if no element of that source comes outside of runs that count;
// otherwise each element needs [Half.DeliverTo] or the like, by which Down gets it.
func (h *Half) AttachNext(up reactor.Subscription) (told, always bool) {
	if h.attaching&attachAwaited != 0 {
		return h.AttachAwaited(up, h.Down.(awaited).Here())
	}
	told = h.Attach(up)
	return told, told
}

// AttachAwaited is [Half.Attach] where a goroutine waits for the end; here says that it is the caller. A run that counts keeps an end from
// elsewhere back, also while a function hangs that is called within it. So runs count only on the goroutine that waits, or if
// no function is called on the way from the source (see [Half.GoStraight]). told is the result of Attach; always says that all elements
// come in runs that count.
func (h *Half) AttachAwaited(up reactor.Subscription, here bool) (told, always bool) {
	e, ok := up.(emitter)
	if !ok {
		return false, false
	}
	if here {
		h.attaching |= attachRequested
		told = e.Attach(h)
		h.attaching &^= attachRequested
		if told {
			return true, true
		}
	}
	h.attaching |= attachAwaited
	told = e.Attach(h)
	return told, told && h.attaching&attachStraight != 0
}

// GoStraight is called by an emitter that h is attached to, with the subscriber of the emitter. If h is the Half of that subscriber, and
// a goroutine waits behind it, all runs count from then on, and the result is true.
func (h *Half) GoStraight(down any) bool {
	if h.attaching&attachAwaited == 0 {
		return false
	}
	e, ok := down.(awaitedEdge)
	if !ok || e.Edge() != h {
		return false
	}
	h.attaching |= attachStraight
	return true
}

// PushWithin is [Push] for elements that come in runs that count. It is called in the signals of the source.
func (h *Half) PushWithin[T any](down reactor.Subscriber[T]) func(T) {
	h.attaching |= attachWithin
	next := Push(down)
	h.attaching &^= attachWithin
	return next
}

// IsWithin is for the Push of a subscriber in front of Down: it reports whether all elements for the function that Push returns come in
// runs that count.
func (h *Half) IsWithin() bool { return h.attaching&(attachWithin|attachStraight) != 0 }

// counts reports whether a run that begins here keeps the end back.
func (h *Half) counts() bool {
	return h.attaching&(attachAwaited|attachStraight) != attachAwaited || h.Down.(awaited).Here()
}
