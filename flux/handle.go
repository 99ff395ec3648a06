package flux

import "github.com/goreactor/reactor/operators"

// Handle emits what fn puts into the sink for each element: an element or none, and perhaps the
// end.
//
//	f:    1 --- 2 --- 3 --- 4 |
//	      Handle(even: Next(10n), 4: Complete too)
//	out:  ----- 20 -------- 40 |
//
// It is map, filter and a failing map in one. Demand passes through; for each element for which
// fn puts none into the sink, one more is requested. Such an element counts as consumed by fn and
// is not discarded. Complete cancels f; Error cancels f and discards the element. A panic of fn
// is treated like an error that fn puts into the sink. The sink is valid only during the call of
// fn. fn runs on the goroutine of f.
func (f Flux[T]) Handle[R any](fn func(v T, sink *SyncSink[R])) Flux[R] {
	return Flux[R]{operators.Handle(f.Source(), fn)}
}

// MapOptional transforms every element with fn and leaves out those for which fn reports false.
//
//	f:    1 --- 2 --- 3 --- 4 |
//	      MapOptional(even: 10n, odd: nothing)
//	out:  ----- 20 -------- 40 |
//
// Demand passes through; for each element without a result one more is requested. Such an
// element counts as consumed by fn and is not discarded. A panic of fn cancels f and ends the
// stream; for functions that fail in the ordinary way there is [Flux.TryMapOptional]. fn runs
// on the goroutine of f.
func (f Flux[T]) MapOptional[R any](fn func(T) (R, bool)) Flux[R] {
	return Flux[R]{operators.MapOptional(f.Source(), fn)}
}

// MapWhile transforms elements with fn as long as fn reports true, then cancels and completes.
// Project Reactor has no such operator.
//
//	f:    1 --- 2 --- 3 --- 1 |
//	      MapWhile(below 3: 10n)
//	out:  10 -- 20 -- |
//
// Demand passes through one for one. The element for which fn reports false is discarded. A panic
// of fn cancels f and ends the stream. fn runs on the goroutine of f.
func (f Flux[T]) MapWhile[R any](fn func(T) (R, bool)) Flux[R] {
	return Flux[R]{operators.MapWhile(f.Source(), fn)}
}

// TryMapOptional is MapOptional with a function that may fail; the first error ends the stream.
//
//	f:    1 --- 2 --- x --- 4 |
//	      TryMapOptional(even: 10n, odd: nothing, else: error)
//	out:  ----- 20 -- #
//
// Demand passes through; for each element without a result one more is requested. Such an
// element counts as consumed by fn and is not discarded. The first error of fn cancels f,
// discards the element and becomes the end of the stream; so does a panic. fn runs on the
// goroutine of f.
func (f Flux[T]) TryMapOptional[R any](fn func(T) (R, bool, error)) Flux[R] {
	return Flux[R]{operators.TryMapOptional(f.Source(), fn)}
}

// Cast asserts that every element is an R; an element of another type ends the stream with
// reactor.ErrIllegalArgument.
//
//	f:    1 --- 2 --- "x" |
//	      Cast[int]()
//	out:  1 --- 2 --- #
//
// Demand passes through. An element of another type cancels f, is discarded and ends the stream
// with reactor.ErrIllegalArgument; [Flux.OfType] skips it instead.
func (f Flux[T]) Cast[R any]() Flux[R] { return Flux[R]{operators.Cast[R](f.Source())} }

// OfType keeps the elements that are an R.
//
//	f:    1 --- "x" --- 2 |
//	      OfType[int]()
//	out:  1 ----------- 2 |
//
// Demand passes through; for each discarded element one more is requested. Where an element of
// another type is an error, use [Flux.Cast].
func (f Flux[T]) OfType[R any]() Flux[R] { return Flux[R]{operators.OfType[R](f.Source())} }
