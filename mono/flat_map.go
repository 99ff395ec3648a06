package mono

import (
	"github.com/goreactor/reactor/operators"
)

// FlatMap goes on with the Mono that fn returns for the element.
//
//	m:    --- 1 |
//	      FlatMap(n => Delay(4 steps))
//	out:  ------- 0 |
//
// Demand passes through to m; everything is requested of the publisher of fn. A publisher that
// is callable, such as [Just], is not subscribed to. A panic of fn, or a nil publisher, cancels
// m and ends the stream. Cancellation goes to whichever is running. fn runs on the goroutine of
// m, the element comes on that of the publisher.
func (m Mono[T]) FlatMap[R any](fn func(T) Mono[R]) Mono[R] {
	return Mono[R]{operators.MonoFlatMapTo(m.Source(), fn)}
}
