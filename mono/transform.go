package mono

import (
	"context"

	"github.com/goreactor/reactor/operators"
)

// Map transforms the element with fn.
//
// See [operators.Map] for demand, errors and the goroutine.
func (m Mono[T]) Map[R any](fn func(T) R) Mono[R] {
	return Mono[R]{operators.Map(m.Source(), fn)}
}

// TryMap transforms the element with fn; an error of fn ends the stream.
//
// See [operators.TryMap] for demand, errors and the goroutine.
func (m Mono[T]) TryMap[R any](fn func(T) (R, error)) Mono[R] {
	return Mono[R]{operators.TryMap(m.Source(), fn)}
}

// TryMapContext transforms the element with fn(ctx, v), which may wait, for a database or
// another service.
//
//		src:  1 --- 2 --- 3 |
//		      TryMapContext(load)
//		out:  ---- a --- b --- #
//
//	  - Context: it carries the values and the deadline of the subscription's, and ends if
//	    the subscriber cancels during the call.
//	  - Demand passes through one for one.
//	  - Errors: the first one, or panic, cancels the source, discards the element and ends the
//	    stream.
//	  - Cancelling: what the call returns after that is discarded.
//	  - Goroutine: that of the source, which a call holds up; calls follow one another.
//	    [Mono.PublishOn] with schedulers.BoundedElastic() moves them to where waiting is
//	    allowed.
//
// See [operators.TryMapContext].
func (m Mono[T]) TryMapContext[R any](fn func(context.Context, T) (R, error)) Mono[R] {
	return Mono[R]{operators.TryMapContext(m.Source(), fn)}
}
