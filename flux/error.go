package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// OnErrorReturn replaces the failure by the element v and completes.
//
// See [operators.OnErrorReturn] for demand, errors and the goroutine.
func (f Flux[T]) OnErrorReturn[F Self[T]](v T, when ...ErrorFilter) F {
	return wrap[F](operators.OnErrorReturn(f.Source(), v, when...))
}

// OnErrorResume replaces the failure by what the publisher fn(err) sends.
//
// See [operators.OnErrorResume] for demand, errors and the goroutine.
func (f Flux[T]) OnErrorResume[F Self[T], P reactor.Publisher[T]](fn func(error) P, when ...ErrorFilter) F {
	return wrap[F](operators.OnErrorResume(f.Source(), fn, when...))
}

// OnErrorMap replaces the error by fn(err).
//
// See [operators.OnErrorMap] for demand, errors and the goroutine.
func (f Flux[T]) OnErrorMap[F Self[T]](fn func(error) error, when ...ErrorFilter) F {
	return wrap[F](operators.OnErrorMap(f.Source(), fn, when...))
}

// OnErrorComplete completes instead of failing; nobody is told of the error.
//
// See [operators.OnErrorComplete] for demand, errors and the goroutine.
func (f Flux[T]) OnErrorComplete[F Self[T]](when ...ErrorFilter) F {
	return wrap[F](operators.OnErrorComplete(f.Source(), when...))
}

// OnErrorContinue lets the stages before it that support it drop an element whose
// function failed, after handle was told, and go on. Read of its reach, and of what
// is better, at [operators.OnErrorContinue].
func (f Flux[T]) OnErrorContinue[F Self[T]](handle func(err error, v any), when ...ErrorFilter) F {
	return wrap[F](operators.OnErrorContinue(f.Source(), handle, when...))
}

// OnErrorStop ends the reach of an OnErrorContinue that comes after it.
//
// See [operators.OnErrorStop].
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
