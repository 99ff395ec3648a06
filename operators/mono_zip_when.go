package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// MonoZipWhen emits combine(v, w) for the element v of src, which sends at most one, and the
// element w of the publisher fn(v).
//
//	src:    --- 1 |
//	fn(1):        --- 9 |
//	        MonoZipWhen(fn, pair)
//	out:    --------- (1, 9) |
//
// If either is empty, so is the result. Demand passes to src; everything is requested of the
// publisher of fn. Errors of both pass; a panic of a function ends the stream. Cancellation
// goes to whichever is running. combine runs on the goroutine of the publisher.
func MonoZipWhen[T, U, R any, P reactor.Publisher[U]](src reactor.Publisher[T], fn func(T) P, combine func(T, U) R) reactor.Publisher[R] {
	protocol.NotNil("zipWhen", "mapper", fn)
	protocol.NotNil("zipWhen", "combiner", combine)
	return MonoFlatMap(src, func(v T) reactor.Publisher[R] {
		return Map(protocol.Trust[U]("zipWhen", fn(v)), func(w U) R { return combine(v, w) })
	})
}
