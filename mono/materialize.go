package mono

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// SignalOf is satisfied by reactor.Signal[T] alone; see [Self] for why it exists.
type SignalOf[T any] interface{ reactor.Signal[T] }

// Materialize emits the first signal, the element or the end, as an element.
//
//	m:    --- 1 |
//	      Materialize()
//	out:  --- next(1) |
//
// The first demand passes to m. A signal of the end waits for demand. The signal is emitted on
// the goroutine of m; a signal of the end may be emitted on the goroutine of a request.
func (m Mono[T]) Materialize[S SignalOf[T]]() Mono[S] {
	return Mono[S]{operators.MonoMaterialize[T, S](m.Source())}
}

// Dematerialize turns the signal that src emits back into the Mono that it describes.
//
//	src:  --- next(1) |
//	      Dematerialize()
//	out:  --- 1 |
func Dematerialize[T any](src Mono[reactor.Signal[T]]) Mono[T] {
	return Mono[T]{operators.MonoDematerialize(src.Source())}
}

// Dematerialize makes a signal of the element with fn, and emits the Mono that the signal
// describes.
//
//	m:    --- next(1) |
//	      Dematerialize()
//	out:  --- 1 |
func (m Mono[T]) Dematerialize[R any](fn func(T) reactor.Signal[R]) Mono[R] {
	argument.Given("dematerialize", "function", fn != nil)
	// A literal, whose frame says whose function has failed.
	return Mono[R]{operators.MonoDematerialize(operators.Map(m.Source(), func(v T) reactor.Signal[R] { return fn(v) }))}
}
