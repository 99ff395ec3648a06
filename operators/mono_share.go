package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// MonoShare runs src, which sends at most one element, for all subscribers that there are
// until it has ended; those who come after get the same outcome.
//
//	src:  ------ 1 |
//	      MonoShare()
//	out:  ------ 1 |
//	out:    ---- 1 |            a second subscriber
//	out:             1 |        one that came after
//
// It differs from [MonoCache] in that src is cancelled when its last subscriber has left
// before it ended; the next subscriber starts it again. src gets unbounded demand and the
// values of the first subscriber's context; each gets the element when it requests.
// Signals come on the goroutine of src, or on that of the subscriber. While there are others,
// the first one may be held up as with [MonoCache].
func MonoShare[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return &sharedMono[T]{
		src:      protocol.Trust("share", src),
		refCount: true,
		admit:    func(_ context.Context, sig reactor.Signal[T], is *admission[T]) { is.signal, is.keep = sig, true },
	}
}
