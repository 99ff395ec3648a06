package mono

import "github.com/goreactor/reactor/operators"

// SyncSink takes what one call of the function given to [Mono.Handle] produces.
//
// It has, see [operators.SyncSink]:
//
//	Next(v T)
//	Error(err error)
//	Complete()
//	Context() context.Context
type SyncSink[T any] = operators.SyncSink[T]

// Handle emits what fn puts into the sink for the element: an element or none, and perhaps the
// end.
//
// It is map, filter and a failing map in one. Demand passes through. If fn puts nothing into the
// sink, the result is empty, and the element counts as consumed by fn: it is not discarded.
// Complete cancels m; Error cancels m and discards the element. A panic of fn is treated like an
// error that fn puts into the sink. The sink is valid only during the call of fn. fn runs on the
// goroutine of m.
func (m Mono[T]) Handle[R any](fn func(v T, sink *SyncSink[R])) Mono[R] {
	return Mono[R]{operators.Handle(m.Source(), fn)}
}

// MapOptional transforms the element with fn; the result is empty if fn reports false.
//
// Demand passes through. An element without a result counts as consumed by fn and is not discarded.
// A panic of fn cancels m and ends the stream; for functions that fail in the ordinary way there is
// [Mono.TryMapOptional]. fn runs on the goroutine of m.
func (m Mono[T]) MapOptional[R any](fn func(T) (R, bool)) Mono[R] {
	return Mono[R]{operators.MapOptional(m.Source(), fn)}
}

// TryMapOptional is MapOptional with a function that may fail; an error ends the stream.
//
// Demand passes through. An element without a result counts as consumed by fn and is not discarded.
// An error of fn cancels m, discards the element and becomes the end of the stream; so does a panic.
// fn runs on the goroutine of m.
func (m Mono[T]) TryMapOptional[R any](fn func(T) (R, bool, error)) Mono[R] {
	return Mono[R]{operators.TryMapOptional(m.Source(), fn)}
}

// Cast asserts that the element is an R; an element of another type ends the stream with
// reactor.ErrIllegalArgument.
//
// Demand passes through. An element of another type cancels m, is discarded and ends the stream
// with reactor.ErrIllegalArgument; [Mono.OfType] skips it instead.
func (m Mono[T]) Cast[R any]() Mono[R] { return Mono[R]{operators.Cast[R](m.Source())} }

// OfType keeps the element if it is an R.
//
// Otherwise the element is discarded, and the result is empty. Demand passes through. Where an
// element of another type is an error, use [Mono.Cast].
func (m Mono[T]) OfType[R any]() Mono[R] { return Mono[R]{operators.OfType[R](m.Source())} }
