package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// OfType emits the elements that are of type R, as v.(R) tells, and discards the
// others. It is for elements of interface types.
//
//	src:  1 --- "x" --- 2 |
//	      OfType[int]()
//	out:  1 ----------- 2 |
//
// Demand passes through; for each discarded element one more is requested. See [Cast]
// for a stream that is to have no others.
func OfType[R, T any](src reactor.Publisher[T]) reactor.Publisher[R] {
	return &mapOptionalPublisher[T, R]{
		src:      protocol.Trust("ofType", src),
		fn:       func(v T) (R, bool) { r, ok := any(v).(R); return r, ok },
		discards: true,
	}
}
