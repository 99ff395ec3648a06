package mono

import (
	"context"

	"github.com/goreactor/reactor/operators"
)

// Map transforms the element with fn.
//
// Demand passes through one for one. A panic of fn cancels m and ends the stream with a
// *reactor.PanicError; for functions that fail in the ordinary way there is [Mono.TryMap]. fn
// runs on the goroutine of m.
func (m Mono[T]) Map[R any](fn func(T) R) Mono[R] {
	return Mono[R]{operators.Map(m.Source(), fn)}
}

// TryMap transforms the element with fn; an error of fn ends the stream.
//
// Demand passes through. An error of fn cancels m, discards the element and becomes the end of the
// stream; so does a panic. fn runs on the goroutine of m.
func (m Mono[T]) TryMap[R any](fn func(T) (R, error)) Mono[R] {
	return Mono[R]{operators.TryMap(m.Source(), fn)}
}

// TryMapContext transforms the element with fn(ctx, v), which may wait, for example for a
// database or another service.
//
//	m:    --- 1 |
//	      TryMapContext(load)
//	out:  --- a |
//
// The context of fn has the values and the deadline of the subscription's context. It ends when
// the subscriber cancels while a call is under way; its cause is that of the subscription's
// context, or reactor.ErrCancelled. It does not end when a call returns, so that the result of
// fn, such as the body of a response, may go on using it. It is made once per subscription.
//
// Demand passes through one for one. An error of fn cancels m, discards v and becomes the end of
// the stream; so does a panic. The result of a cancelled call is discarded, and its error is
// reported as dropped, unless the error only says that the call was cancelled. fn runs on the
// goroutine of m and holds it up: see [Mono.PublishOn] and schedulers.BoundedElastic().
func (m Mono[T]) TryMapContext[R any](fn func(context.Context, T) (R, error)) Mono[R] {
	return Mono[R]{operators.TryMapContext(m.Source(), fn)}
}
