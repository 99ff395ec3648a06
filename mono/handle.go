package mono

import "github.com/goreactor/reactor/operators"

// SyncSink takes what one call of the function of [Mono.Handle] produces.
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
// sink the result is empty, and the element counts as consumed by fn: it is not discarded. Complete
// cancels m; so does Error, which discards the element. A panic of fn is treated as an error of it.
// The sink belongs to the call. fn runs on the goroutine of m.
func (m Mono[T]) Handle[R any](fn func(v T, sink *SyncSink[R])) Mono[R] {
	return Mono[R]{operators.Handle(m.Source(), fn)}
}

// MapOptional transforms the element with fn; the Mono is empty if that reports false.
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

// Cast asserts that the element is an R; one that is not ends the stream with
// reactor.ErrIllegalArgument.
//
// Demand passes through. An element of another type cancels m, is discarded and ends the stream
// with reactor.ErrIllegalArgument; [Mono.OfType] skips it instead.
func (m Mono[T]) Cast[R any]() Mono[R] { return Mono[R]{operators.Cast[R](m.Source())} }

// OfType keeps the element if it is an R.
//
// Otherwise it is discarded, and the result is empty. Demand passes through. [Mono.Cast] makes an
// error of an element that is no R.
func (m Mono[T]) OfType[R any]() Mono[R] { return Mono[R]{operators.OfType[R](m.Source())} }
