package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// ShareNext gives the first element of src, or its end without one, to all subscribers
// from one run, which begins with the first subscriber.
//
//	src:  ------ 1 --- 2 |
//	      ShareNext()
//	out:  ------ 1 |
//	out:    ---- 1 |            a second subscriber
//	out:             1 |        one that came after
//
// src gets unbounded demand and the values of the first subscriber's context, and is
// cancelled after its first element; each subscriber gets that element when it requests.
// Cancellation does not reach src. Signals come on the goroutine of src, or on that of the
// subscriber.
func ShareNext[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return &sharedMono[T]{
		src:   Next(protocol.Trust("shareNext", src)),
		admit: func(_ context.Context, sig reactor.Signal[T], is *admission[T]) { is.signal, is.keep = sig, true },
	}
}
