package protocol

import "github.com/goreactor/reactor"

// awaited is the Down of a [Half] for whose end a goroutine waits. A function that hangs elsewhere must not keep the end
// of a context from that.
type awaited interface {
	Signals
	// Here reports whether the caller is the goroutine that waits.
	Here() bool
}

// awaitedEdge is the subscriber that the Half belongs to.
type awaitedEdge interface {
	// Edge returns the Half.
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

// AttachAwaited is [Half.Attach] for a goroutine that waits for the end, the caller if here. Only such runs count as keep
// nobody waiting for anything but what is down there: those on the goroutine that waits, and those of a source that calls
// no function on the way. Elements may come outside of them, unless it reports always.
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

// GoStraight is called by an emitter that h is attached to, with its subscriber: it makes all runs count, and reports true,
// if somebody waits behind that.
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

// IsWithin reports, to Push of Down, whether all elements for the function that it returns come in runs that count.
func (h *Half) IsWithin() bool { return h.attaching&(attachWithin|attachStraight) != 0 }

// counts reports whether a run that begins here keeps the end back.
func (h *Half) counts() bool {
	return h.attaching&(attachAwaited|attachStraight) != attachAwaited || h.Down.(awaited).Here()
}
