package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// SignalOf is satisfied by reactor.Signal[T] alone; see [Self] for why it exists.
type SignalOf[T any] interface{ reactor.Signal[T] }

// Materialize emits every signal as an element, also the end, and completes then.
//
//	f:    1 ------- 2 ------- #
//	      Materialize()
//	out:  next(1) - next(2) - error(#) |
//
// Demand passes through; the signal of the end needs demand as well and waits for it. The
// result never fails, except with what goes wrong further down. Signals are emitted on the
// goroutine of f, the last one perhaps on that of a request. [Flux.Dematerialize] is the way
// back.
func (f Flux[T]) Materialize[S SignalOf[T]]() Flux[S] {
	return Flux[S]{operators.Materialize[T, S](f.Source())}
}

// Dematerialize does what the signals say that src emits.
//
//	src:  next(1) --- next(2) --- error(#) |
//	      Dematerialize()
//	out:  1 --------- 2 --------- #
//
// Demand passes through. The first signal that is an end cancels src and ends the stream; so
// does a zero Signal, with reactor.ErrIllegalArgument. An end of src itself passes.
func Dematerialize[T any](src reactor.Publisher[reactor.Signal[T]]) Flux[T] {
	return Flux[T]{operators.Dematerialize(src)}
}

// Dematerialize makes a signal of every element with fn and does what that says.
//
//	f:    next(1) --- next(2) --- error(#) |
//	      Dematerialize()
//	out:  1 --------- 2 --------- #
//
// Demand passes through. The first signal that is an end cancels f and ends the stream; so does
// a zero Signal, with reactor.ErrIllegalArgument. An end of f itself passes.
func (f Flux[T]) Dematerialize[R any](fn func(T) reactor.Signal[R]) Flux[R] {
	argument.Given("dematerialize", "function", fn != nil)
	// A literal, whose frame says whose function has failed.
	return Flux[R]{operators.Dematerialize(operators.Map(f.Source(), func(v T) reactor.Signal[R] { return fn(v) }))}
}
