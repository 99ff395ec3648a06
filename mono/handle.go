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

// Handle emits what fn puts into the sink for the element: an element or none, and
// perhaps the end.
//
// See [operators.Handle] for demand, errors and the goroutine.
func (m Mono[T]) Handle[R any](fn func(v T, sink *SyncSink[R])) Mono[R] {
	return Mono[R]{operators.Handle(m.Source(), fn)}
}

// MapOptional transforms the element with fn; the Mono is empty if that reports false.
//
// See [operators.MapOptional] for demand, errors and the goroutine.
func (m Mono[T]) MapOptional[R any](fn func(T) (R, bool)) Mono[R] {
	return Mono[R]{operators.MapOptional(m.Source(), fn)}
}

// TryMapOptional is MapOptional with a function that may fail; an error ends the
// stream.
//
// See [operators.TryMapOptional] for demand, errors and the goroutine.
func (m Mono[T]) TryMapOptional[R any](fn func(T) (R, bool, error)) Mono[R] {
	return Mono[R]{operators.TryMapOptional(m.Source(), fn)}
}

// Cast asserts that the element is an R; one that is not ends the stream with
// reactor.ErrIllegalArgument.
//
// See [operators.Cast] for demand and cancellation.
func (m Mono[T]) Cast[R any]() Mono[R] { return Mono[R]{operators.Cast[R](m.Source())} }

// OfType keeps the element if it is an R.
//
// See [operators.OfType] for demand and discarding.
func (m Mono[T]) OfType[R any]() Mono[R] { return Mono[R]{operators.OfType[R](m.Source())} }
