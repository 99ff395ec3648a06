package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// SignalOf is satisfied by reactor.Signal[T] alone; see [Self] for why it exists.
type SignalOf[T any] interface{ reactor.Signal[T] }

// Materialize emits every signal, the end included, as an element, and then completes.
//
//	f:    1 ------- 2 ------- #
//	      Materialize()
//	out:  next(1) - next(2) - error(#) |
//
// Demand passes through; the signal of the end needs demand as well and waits for it. The
// result never fails, except when something goes wrong further down. Signals are emitted on the
// goroutine of f; the last one may be emitted on the goroutine of a request.
// [Flux.Dematerialize] is the way back.
func (f Flux[T]) Materialize[S SignalOf[T]]() Flux[S] {
	return Flux[S]{operators.Materialize[T, S](f.Source())}
}

// Dematerialize turns the signals that src emits back into the stream that they describe.
//
//	src:  next(1) --- next(2) --- error(#) |
//	      Dematerialize()
//	out:  1 --------- 2 --------- #
//
// Demand passes through. The first terminal signal cancels src and ends the stream; so does a
// zero Signal, with reactor.ErrIllegalArgument. If src itself ends, the stream ends too.
func Dematerialize[T any](src reactor.Publisher[reactor.Signal[T]]) Flux[T] {
	return Flux[T]{operators.Dematerialize(src)}
}

// Dematerialize makes a signal of every element with fn, and emits the stream that these signals
// describe.
//
//	f:    next(1) --- next(2) --- error(#) |
//	      Dematerialize()
//	out:  1 --------- 2 --------- #
//
// Demand passes through. The first terminal signal cancels f and ends the stream; so does a zero
// Signal, with reactor.ErrIllegalArgument. If f itself ends, the stream ends too.
func (f Flux[T]) Dematerialize[R any](fn func(T) reactor.Signal[R]) Flux[R] {
	argument.Given("dematerialize", "function", fn != nil)
	// A literal, whose frame says whose function has failed.
	return Flux[R]{operators.Dematerialize(operators.Map(f.Source(), func(v T) reactor.Signal[R] { return fn(v) }))}
}
