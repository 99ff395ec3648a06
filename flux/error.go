package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// OnErrorReturn replaces the failure by the element v and completes.
//
//	f:    1 --- 2 --- #
//	      OnErrorReturn(9)
//	out:  1 --- 2 --- 9 |
//
// Demand passes through; v waits for demand if f has used it up. Failures of stages downstream
// are not caught. v is sent on the goroutine on which f failed, or on the one that requests. All
// subscriptions share v, and it is never discarded.
func (f Flux[T]) OnErrorReturn[F Self[T]](v T, when ...ErrorFilter) F {
	return wrap[F](operators.OnErrorReturn(f.Source(), v, when...))
}

// OnErrorResume replaces the failure by what the publisher fn(err) sends.
//
//	f:    1 --- 2 --- #
//	      OnErrorResume(err => Just(9))
//	out:  1 --- 2 --- 9 |
//
// The demand that f has left open is asked of the fallback; an error of the fallback passes. A
// panic of fn or of a filter ends the stream with an error that wraps both the panic and the
// failure of f. Failures of stages downstream are not caught. Cancellation reaches whichever
// publisher is subscribed; after a cancellation fn is not called. fn runs on the goroutine on
// which f failed.
func (f Flux[T]) OnErrorResume[P reactor.Publisher[T], F Self[T]](fn func(error) P, when ...ErrorFilter) F {
	return wrap[F](operators.OnErrorResume(f.Source(), fn, when...))
}

// OnErrorMap replaces the error by fn(err).
//
//	f:    1 --- 2 --- #a
//	      OnErrorMap(a => b)
//	out:  1 --- 2 --- #b
//
// Demand and cancellation pass through. A nil result becomes reactor.ErrNilError with the failure
// of f as its cause; a panic of fn becomes an error that wraps both the panic and the failure of f.
// Failures of stages downstream are not mapped. fn runs on the goroutine on which f failed.
func (f Flux[T]) OnErrorMap[F Self[T]](fn func(error) error, when ...ErrorFilter) F {
	return wrap[F](operators.OnErrorMap(f.Source(), fn, when...))
}

// OnErrorComplete completes instead of failing; the error is reported to nobody.
//
//	f:    1 --- 2 --- #
//	      OnErrorComplete()
//	out:  1 --- 2 --- |
//
// Demand and cancellation pass through. Failures of stages downstream are not caught.
func (f Flux[T]) OnErrorComplete[F Self[T]](when ...ErrorFilter) F {
	return wrap[F](operators.OnErrorComplete(f.Source(), when...))
}

// OnErrorContinue makes those stages above that support it go on when a user function fails for an
// element: handle gets the error and the element, and the element is left out.
// [operators.OnErrorContinue] says which stages it reaches, and what to use instead where possible.
func (f Flux[T]) OnErrorContinue[F Self[T]](handle func(err error, v any), when ...ErrorFilter) F {
	return wrap[F](operators.OnErrorContinue(f.Source(), handle, when...))
}

// OnErrorStop ends the reach of an OnErrorContinue that comes after it.
//
//	f:    1 --- 2 --- 3 |
//	      TryMap(2 => error)
//	      OnErrorStop()
//	      OnErrorContinue(report)
//	out:  1 --- #
//
// Everything passes through.
func (f Flux[T]) OnErrorStop[F Self[T]]() F {
	return wrap[F](operators.OnErrorStop(f.Source()))
}

// ErrorFilter chooses among errors; see [operators.ErrorFilter].
type ErrorFilter = operators.ErrorFilter

// WhenError makes an operator act on the errors for which match reports true.
func WhenError(match func(error) bool) ErrorFilter { return operators.WhenError(match) }

// WhenIs makes an operator act on the errors that match a target with errors.Is.
func WhenIs(targets ...error) ErrorFilter { return operators.WhenIs(targets...) }

// WhenAs makes an operator act on the errors that are or wrap an E, as errors.As
// finds it.
func WhenAs[E error]() ErrorFilter { return operators.WhenAs[E]() }
