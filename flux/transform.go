package flux

import (
	"context"

	"github.com/goreactor/reactor/operators"
)

// Map transforms every element with fn.
//
//	f:    1 --- 2 --- 3 |
//	      Map(n => 10n)
//	out:  10 -- 20 -- 30 |
//
// Demand passes through one for one. A panic of fn cancels f and ends the stream with a
// *reactor.PanicError; for functions that fail in the ordinary way there is [Flux.TryMap]. fn
// runs on the goroutine of f.
func (f Flux[T]) Map[R any](fn func(T) R) Flux[R] {
	return Flux[R]{operators.Map(f.Source(), fn)}
}

// TryMap transforms every element with fn; the first error ends the stream.
//
//	f:    1 --- 2 --- x --- 4 |
//	      TryMap(strconv.Atoi)
//	out:  1 --- 2 --- #
//
// Demand passes through one for one. The first error of fn cancels f, discards the element and
// becomes the end of the stream; so does a panic. fn runs on the goroutine of f.
func (f Flux[T]) TryMap[R any](fn func(T) (R, error)) Flux[R] {
	return Flux[R]{operators.TryMap(f.Source(), fn)}
}

// TryMapContext transforms every element with fn(ctx, v), which may wait, for example for a
// database or another service.
//
//	f:    1 --- 2 --- 3 |
//	      TryMapContext(load)
//	out:  a --- b --- #
//
// The context of fn has the values and the deadline of the subscription's context. It ends when
// the subscriber cancels while a call is under way; its cause is that of the subscription's
// context, or reactor.ErrCancelled. It does not end when a call returns, so that the result of
// fn, such as the body of a response, may go on using it. It is made once per subscription.
//
// Demand passes through one for one, and one call follows the other: for several calls at a time
// see ParallelFlux, or [Flux.FlatMap] with mono.FromFunc. The first error of fn cancels f, discards
// v and becomes the end of the stream; so does a panic. The result of a cancelled call is
// discarded, and its error is reported as dropped, unless the error only says that the call was
// cancelled. fn runs on the goroutine of f and holds it up: see [Flux.PublishOn] and
// schedulers.BoundedElastic().
func (f Flux[T]) TryMapContext[R any](fn func(context.Context, T) (R, error)) Flux[R] {
	return Flux[R]{operators.TryMapContext(f.Source(), fn)}
}
