package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// MonoShare runs src, which sends at most one element, once for all subscribers that come
// before src has ended; later subscribers get the same outcome.
//
//	src:  ------ 1 |
//	      MonoShare()
//	out:  ------ 1 |
//	out:    ---- 1 |            a second subscriber
//	out:             1 |        one that came after
//
// It differs from [MonoCache] in this: if the last subscriber leaves before src has ended,
// src is cancelled, and the next subscriber starts src again. src gets unbounded demand and
// the values of the first subscriber's context; each subscriber gets the element when it
// requests. Signals come on the goroutine of src, or on that of the subscriber. While there
// are other subscribers, the first one may be held up as with [MonoCache].
func MonoShare[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return &sharedMono[T]{
		src:      protocol.Trust("share", src),
		refCount: true,
		admit:    func(_ context.Context, sig reactor.Signal[T], is *admission[T]) { is.signal, is.keep = sig, true },
	}
}
