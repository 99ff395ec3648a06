package flux

import (
	"context"

	"github.com/goreactor/reactor/operators"
)

// Map transforms every element with fn.
//
// See [operators.Map] for demand, errors and the goroutine.
func (f Flux[T]) Map[R any](fn func(T) R) Flux[R] {
	return Flux[R]{operators.Map(f.Source(), fn)}
}

// TryMap transforms every element with fn; the first error ends the stream.
//
// See [operators.TryMap] for demand, errors and the goroutine.
func (f Flux[T]) TryMap[R any](fn func(T) (R, error)) Flux[R] {
	return Flux[R]{operators.TryMap(f.Source(), fn)}
}

// TryMapContext transforms every element with fn(ctx, v), which may wait, for a database or
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
//	    [Flux.PublishOn] with schedulers.BoundedElastic() moves them to where waiting is
//	    allowed, [Flux.Parallel] runs several at a time.
//
// See [operators.TryMapContext].
func (f Flux[T]) TryMapContext[R any](fn func(context.Context, T) (R, error)) Flux[R] {
	return Flux[R]{operators.TryMapContext(f.Source(), fn)}
}
