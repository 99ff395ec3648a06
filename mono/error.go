package mono

import "github.com/goreactor/reactor/operators"

// OnErrorReturn replaces the failure by the element v and completes.
//
// Demand passes through; v waits for demand if m has used it up. Failures of stages downstream
// are not caught. v is sent on the goroutine on which m failed, or on the one that requests. All
// subscriptions share v, and it is never discarded.
func (m Mono[T]) OnErrorReturn[M Self[T]](v T, when ...ErrorFilter) M {
	return wrap[M](operators.OnErrorReturn(m.Source(), v, when...))
}

// OnErrorResume replaces the failure by what the Mono fn(err) sends.
//
// The demand that m has left open is asked of the fallback; an error of the fallback passes. A
// panic of fn or of a filter ends the stream with an error that wraps both the panic and the
// failure of m. Failures of stages downstream are not caught. Cancellation reaches whichever
// publisher is subscribed; after a cancellation fn is not called. fn runs on the goroutine on
// which m failed.
func (m Mono[T]) OnErrorResume[M Self[T]](fn func(error) Mono[T], when ...ErrorFilter) M {
	return wrap[M](operators.OnErrorResume(m.Source(), fn, when...))
}

// OnErrorMap replaces the error by fn(err).
//
// Demand and cancellation pass through. A nil result becomes reactor.ErrNilError with the failure
// of m as its cause; a panic of fn becomes an error that wraps both the panic and the failure of m.
// Failures of stages downstream are not mapped. fn runs on the goroutine on which m failed.
func (m Mono[T]) OnErrorMap[M Self[T]](fn func(error) error, when ...ErrorFilter) M {
	return wrap[M](operators.OnErrorMap(m.Source(), fn, when...))
}

// OnErrorComplete completes instead of failing; the error is reported to nobody.
//
// Demand and cancellation pass through. Failures of stages downstream are not caught.
func (m Mono[T]) OnErrorComplete[M Self[T]](when ...ErrorFilter) M {
	return wrap[M](operators.OnErrorComplete(m.Source(), when...))
}

// OnErrorContinue makes those stages above that support it go on when a user function fails for the
// element: handle gets the error and the element, and the element is left out.
// [operators.OnErrorContinue] says which stages it reaches, and what to use instead where possible.
func (m Mono[T]) OnErrorContinue[M Self[T]](handle func(err error, v any), when ...ErrorFilter) M {
	return wrap[M](operators.OnErrorContinue(m.Source(), handle, when...))
}

// OnErrorStop ends the reach of an OnErrorContinue that comes after it.
//
// Everything passes through.
func (m Mono[T]) OnErrorStop[M Self[T]]() M {
	return wrap[M](operators.OnErrorStop(m.Source()))
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
