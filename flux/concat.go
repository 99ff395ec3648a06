package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Concat emits the elements of each source in turn.
//
// See [operators.Concat] for demand, errors and the goroutine.
func Concat[T any](sources ...reactor.Publisher[T]) Flux[T] {
	return Flux[T]{operators.Concat(sources...)}
}

// ConcatDelayError is Concat that goes on with the next source when one fails; the
// errors come at the end.
//
// See [operators.ConcatDelayError] for demand, errors and the goroutine.
func ConcatDelayError[T any](sources ...reactor.Publisher[T]) Flux[T] {
	return Flux[T]{operators.ConcatDelayError(sources...)}
}

// ConcatSlice is Concat for a slice of publishers of one type, such as []Flux[T].
//
//	a:    1 --- 2 |
//	b:    3 --- 4 |
//	      ConcatSlice([a b])
//	out:  1 --- 2 3 --- 4 |
//
// See [operators.Concat] for demand, errors and the goroutine.
func ConcatSlice[T any, P reactor.Publisher[T]](sources []P) Flux[T] {
	return Flux[T]{operators.Concat(sourcesOf[T](sources)...)}
}

// ConcatWith emits the elements of f and then those of the others.
//
// See [operators.Concat] for demand, errors and the goroutine.
func (f Flux[T]) ConcatWith[F Self[T]](others ...reactor.Publisher[T]) F {
	return wrap[F](operators.ConcatWith(f.Source(), others...))
}

// ConcatWithValues emits the elements of f and then the given ones.
//
// See [operators.Concat] for demand, errors and the goroutine.
func (f Flux[T]) ConcatWithValues[F Self[T]](items ...T) F {
	return wrap[F](operators.ConcatWith(f.Source(), operators.FromSlice(items)))
}

// StartWith emits the elements of the others and then those of f.
//
// See [operators.Concat] for demand, errors and the goroutine.
func (f Flux[T]) StartWith[F Self[T]](others ...reactor.Publisher[T]) F {
	return wrap[F](operators.StartWith(f.Source(), others...))
}

// StartWithValues emits the given elements and then those of f.
//
// See [operators.Concat] for demand, errors and the goroutine.
func (f Flux[T]) StartWithValues[F Self[T]](items ...T) F {
	return wrap[F](operators.StartWith(f.Source(), operators.FromSlice(items)))
}

// SwitchIfEmpty emits what other sends if f completes without an element.
//
// See [operators.SwitchIfEmpty] for demand, errors and the goroutine.
func (f Flux[T]) SwitchIfEmpty[F Self[T]](other reactor.Publisher[T]) F {
	return wrap[F](operators.SwitchIfEmpty(f.Source(), other))
}

// DefaultIfEmpty emits v if f completes without an element.
//
// See [operators.DefaultIfEmpty] for demand, errors and the goroutine.
func (f Flux[T]) DefaultIfEmpty[F Self[T]](v T) F {
	return wrap[F](operators.DefaultIfEmpty(f.Source(), v))
}
