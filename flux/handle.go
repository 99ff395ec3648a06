package flux

import "github.com/goreactor/reactor/operators"

// Handle emits what fn puts into the sink for each element: an element or none, and
// perhaps the end.
//
// See [operators.Handle] for demand, errors and the goroutine.
func (f Flux[T]) Handle[R any](fn func(v T, sink *SyncSink[R])) Flux[R] {
	return Flux[R]{operators.Handle(f.Source(), fn)}
}

// MapOptional transforms every element with fn and leaves out those for which it
// reports false.
//
// See [operators.MapOptional] for demand, errors and the goroutine.
func (f Flux[T]) MapOptional[R any](fn func(T) (R, bool)) Flux[R] {
	return Flux[R]{operators.MapOptional(f.Source(), fn)}
}

// TryMapOptional is MapOptional with a function that may fail; the first error ends the
// stream.
//
// See [operators.TryMapOptional] for demand, errors and the goroutine.
func (f Flux[T]) TryMapOptional[R any](fn func(T) (R, bool, error)) Flux[R] {
	return Flux[R]{operators.TryMapOptional(f.Source(), fn)}
}

// Cast asserts that every element is an R; one that is not ends the stream with
// reactor.ErrIllegalArgument.
//
// See [operators.Cast] for demand and cancellation.
func (f Flux[T]) Cast[R any]() Flux[R] { return Flux[R]{operators.Cast[R](f.Source())} }

// OfType keeps the elements that are an R.
//
// See [operators.OfType] for demand and discarding.
func (f Flux[T]) OfType[R any]() Flux[R] { return Flux[R]{operators.OfType[R](f.Source())} }
