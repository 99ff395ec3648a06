package mono

import (
	"github.com/goreactor/reactor/operators"
)

// FlatMap emits the outcome of the Mono that fn returns for the element.
//
//	m:    --- 1 |
//	      FlatMap(n => Delay(4 steps))
//	out:  ------- 0 |
//
// Demand passes through to m; everything is requested of the Mono that fn returns. A Mono that
// is callable, such as [Just], is not subscribed to. A panic of fn, or a nil publisher, cancels
// m and ends the stream. Cancellation goes to whichever of the two is running. fn runs on the
// goroutine of m; the element comes on the goroutine of the Mono that fn returned.
func (m Mono[T]) FlatMap[R any](fn func(T) Mono[R]) Mono[R] {
	return Mono[R]{operators.MonoFlatMapTo(m.Source(), fn)}
}
