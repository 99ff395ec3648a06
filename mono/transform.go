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

// TryMapContext transforms the element with fn(ctx, v), which may wait, for a database or
// another service.
//
//	m:    --- 1 |
//	      TryMapContext(load)
//	out:  --- a |
//
// The context of fn carries the values and the deadline of the subscription's and ends when the
// subscriber cancels while a call is under way, with the subscription's cause or
// reactor.ErrCancelled; not when a call has returned: what fn returns may go on using it, such
// as the body of a response. It is made once per subscription.
//
// Demand passes through one for one. An error of fn cancels m, discards v
// and becomes the end of the stream; so does a panic. What a call that was cancelled returns is
// discarded, and its error is dropped unless it says no more than that it was cancelled. fn
// runs on the goroutine of m, which it holds up: see [Mono.PublishOn] and
// schedulers.BoundedElastic().
func (m Mono[T]) TryMapContext[R any](fn func(context.Context, T) (R, error)) Mono[R] {
	return Mono[R]{operators.TryMapContext(m.Source(), fn)}
}
