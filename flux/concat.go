package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Concat emits the elements of each source in turn.
//
//	a:    1 --- 2 |
//	b:              3 --- 4 |
//	      Concat(a, b)
//	out:  1 --- 2 - 3 --- 4 |
//
// Demand that a source leaves open is asked of the next one. An error of a source ends the
// stream, and the sources after it are not subscribed; see [ConcatDelayError]. After
// cancellation no further source is subscribed. Each source emits on its own goroutine; the
// next source is subscribed on the goroutine on which the one before completed. The stack depth
// is constant, however many sources complete at once.
func Concat[T any](sources ...reactor.Publisher[T]) Flux[T] {
	return Flux[T]{operators.Concat(sources...)}
}

// ConcatDelayError is Concat, but goes on with the next source when one fails; the errors come
// at the end.
//
//	a:    1 --- #
//	b:          3 --- 4 |
//	      ConcatDelayError(a, b)
//	out:  1 --- 3 --- 4 #
//
// Demand and goroutines are as with Concat. A single error comes as it is; several errors are
// joined in the order of the sources. At cancellation, errors held back so far are reported as
// dropped. A failure of a stage downstream ends the stream at once.
func ConcatDelayError[T any](sources ...reactor.Publisher[T]) Flux[T] {
	return Flux[T]{operators.ConcatDelayError(sources...)}
}

// ConcatSlice is Concat for a slice of publishers of one type, such as []Flux[T].
//
//	a:    1 --- 2 |
//	b:              3 --- 4 |
//	      ConcatSlice([a, b])
//	out:  1 --- 2 - 3 --- 4 |
//
// Demand that a source leaves open is asked of the next one. An error of a source ends the
// stream, and the sources after it are not subscribed; see [ConcatDelayError]. After
// cancellation no further source is subscribed. Each source emits on its own goroutine; the
// next source is subscribed on the goroutine on which the one before completed. The stack depth
// is constant, however many sources complete at once.
func ConcatSlice[T any, P reactor.Publisher[T]](sources []P) Flux[T] {
	return Flux[T]{operators.Concat(sourcesOf[T](sources)...)}
}

// ConcatWith emits the elements of f and then those of the others.
//
//	f:      1 --- 2 |
//	other:            3 --- 4 |
//	        ConcatWith(other)
//	out:    1 --- 2 - 3 --- 4 |
//
// Demand that a source leaves open is asked of the next one. An error of a source ends the
// stream, and the sources after it are not subscribed; see [ConcatDelayError]. After
// cancellation no further source is subscribed. Each source emits on its own goroutine; the
// next source is subscribed on the goroutine on which the one before completed. The stack depth
// is constant, however many sources complete at once.
func (f Flux[T]) ConcatWith[F Self[T]](others ...reactor.Publisher[T]) F {
	return wrap[F](operators.ConcatWith(f.Source(), others...))
}

// ConcatWithValues emits the elements of f and then the given ones.
//
//	f:    1 --- 2 |
//	      ConcatWithValues(3, 4)
//	out:  1 --- 2 3 4 |
//
// Demand that a source leaves open is asked of the next one. An error of a source ends the
// stream, and the sources after it are not subscribed; see [ConcatDelayError]. After
// cancellation no further source is subscribed. Each source emits on its own goroutine; the
// next source is subscribed on the goroutine on which the one before completed. The stack depth
// is constant, however many sources complete at once.
func (f Flux[T]) ConcatWithValues[F Self[T]](items ...T) F {
	return wrap[F](operators.ConcatWith(f.Source(), operators.FromSlice(items)))
}

// StartWith emits the elements of the others and then those of f.
//
//	other:  3 --- 4 |
//	f:                1 --- 2 |
//	        StartWith(other)
//	out:    3 --- 4 - 1 --- 2 |
//
// Demand that a source leaves open is asked of the next one. An error of a source ends the
// stream, and the sources after it are not subscribed; see [ConcatDelayError]. After
// cancellation no further source is subscribed. Each source emits on its own goroutine; the
// next source is subscribed on the goroutine on which the one before completed. The stack depth
// is constant, however many sources complete at once.
func (f Flux[T]) StartWith[F Self[T]](others ...reactor.Publisher[T]) F {
	return wrap[F](operators.StartWith(f.Source(), others...))
}

// StartWithValues emits the given elements and then those of f.
//
//	f:    1 --- 2 |
//	      StartWithValues(8, 9)
//	out:  8 9 1 - 2 |
//
// Demand that a source leaves open is asked of the next one. An error of a source ends the
// stream, and the sources after it are not subscribed; see [ConcatDelayError]. After
// cancellation no further source is subscribed. Each source emits on its own goroutine; the
// next source is subscribed on the goroutine on which the one before completed. The stack depth
// is constant, however many sources complete at once.
func (f Flux[T]) StartWithValues[F Self[T]](items ...T) F {
	return wrap[F](operators.StartWith(f.Source(), operators.FromSlice(items)))
}

// SwitchIfEmpty emits what other sends if f completes without an element.
//
//	f:      ------- |
//	other:            3 --- 4 |
//	        SwitchIfEmpty(other)
//	out:    --------- 3 --- 4 |
//
// All demand is asked of f, and then of other. Errors of both pass. Cancellation reaches
// whichever is subscribed; after a cancellation other is not subscribed. other is subscribed on
// the goroutine on which f completed.
func (f Flux[T]) SwitchIfEmpty[F Self[T]](other reactor.Publisher[T]) F {
	return wrap[F](operators.SwitchIfEmpty(f.Source(), other))
}

// DefaultIfEmpty emits v if f completes without an element.
//
//	f:    ------- |
//	      DefaultIfEmpty(9)
//	out:  ------- 9 |
//
// Demand passes through; v waits for demand if there was none. Errors and cancellation pass. v
// is emitted on the goroutine on which f completed, or on the one that requests. Each
// subscription that does not need v discards it: because an element comes, or because the
// subscription is cancelled.
func (f Flux[T]) DefaultIfEmpty[F Self[T]](v T) F {
	return wrap[F](operators.DefaultIfEmpty(f.Source(), v))
}
