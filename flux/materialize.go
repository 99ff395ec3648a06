package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// SignalOf is satisfied by reactor.Signal[T] alone; see [Self] for why it exists.
type SignalOf[T any] interface{ reactor.Signal[T] }

// Materialize emits every signal as an element, also the end, and completes then.
//
// See [operators.Materialize] for demand and the goroutine.
func (f Flux[T]) Materialize[S SignalOf[T]]() Flux[S] {
	return Flux[S]{operators.Materialize[T, S](f.Source())}
}

// Dematerialize does what the signals say that src emits.
//
// See [operators.Dematerialize] for demand and errors.
func Dematerialize[T any](src reactor.Publisher[reactor.Signal[T]]) Flux[T] {
	return Flux[T]{operators.Dematerialize(src)}
}

// Dematerialize makes a signal of every element with fn and does what that says.
//
// See [operators.Dematerialize] for demand and errors.
func (f Flux[T]) Dematerialize[R any](fn func(T) reactor.Signal[R]) Flux[R] {
	return Flux[R]{operators.Dematerialize(operators.Map(f.Source(), fn))}
}
