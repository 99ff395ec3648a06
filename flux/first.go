package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// FirstWithSignal becomes whichever source is the first to send an element or to end.
//
// See [operators.FirstWithSignal] for demand, errors and the goroutine.
func FirstWithSignal[T any](sources ...reactor.Publisher[T]) Flux[T] {
	return Flux[T]{operators.FirstWithSignal(sources...)}
}

// FirstWithSignalSlice is FirstWithSignal for a slice of publishers of one type, such as []Flux[T].
//
// See [operators.FirstWithSignal] for demand, errors and the goroutine.
func FirstWithSignalSlice[T any, P reactor.Publisher[T]](sources []P) Flux[T] {
	return Flux[T]{operators.FirstWithSignal(sourcesOf[T](sources)...)}
}

// FirstWithValue becomes whichever source is the first to send an element.
//
// See [operators.FirstWithValue] for demand, errors and the goroutine.
func FirstWithValue[T any](sources ...reactor.Publisher[T]) Flux[T] {
	return Flux[T]{operators.FirstWithValue(sources...)}
}

// FirstWithValueSlice is FirstWithValue for a slice of publishers of one type, such as []Flux[T].
//
// See [operators.FirstWithValue] for demand, errors and the goroutine.
func FirstWithValueSlice[T any, P reactor.Publisher[T]](sources []P) Flux[T] {
	return Flux[T]{operators.FirstWithValue(sourcesOf[T](sources)...)}
}

// Or becomes f or other, whichever is the first to send an element or to end.
//
// See [operators.FirstWithSignal] for demand, errors and the goroutine.
func (f Flux[T]) Or[F Self[T]](other reactor.Publisher[T]) F {
	return wrap[F](operators.Or(f.Source(), other))
}
