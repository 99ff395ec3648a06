package mono

import "github.com/goreactor/reactor/operators"

// OnErrorReturn replaces the failure by the element v and completes.
//
// See [operators.OnErrorReturn] for demand, errors and the goroutine.
func (m Mono[T]) OnErrorReturn[M Self[T]](v T, when ...ErrorFilter) M {
	return wrap[M](operators.OnErrorReturn(m.Source(), v, when...))
}

// OnErrorResume replaces the failure by what the Mono fn(err) sends.
//
// See [operators.OnErrorResume] for demand, errors and the goroutine.
func (m Mono[T]) OnErrorResume[M Self[T]](fn func(error) Mono[T], when ...ErrorFilter) M {
	return wrap[M](operators.OnErrorResume(m.Source(), fn, when...))
}

// OnErrorMap replaces the error by fn(err).
//
// See [operators.OnErrorMap] for demand, errors and the goroutine.
func (m Mono[T]) OnErrorMap[M Self[T]](fn func(error) error, when ...ErrorFilter) M {
	return wrap[M](operators.OnErrorMap(m.Source(), fn, when...))
}

// OnErrorComplete completes instead of failing; nobody is told of the error.
//
// See [operators.OnErrorComplete] for demand, errors and the goroutine.
func (m Mono[T]) OnErrorComplete[M Self[T]](when ...ErrorFilter) M {
	return wrap[M](operators.OnErrorComplete(m.Source(), when...))
}

// OnErrorContinue lets the stages before it that support it drop the element whose
// function failed, after handle was told, and go on. Read of its reach, and of what
// is better, at [operators.OnErrorContinue].
func (m Mono[T]) OnErrorContinue[M Self[T]](handle func(err error, v any), when ...ErrorFilter) M {
	return wrap[M](operators.OnErrorContinue(m.Source(), handle, when...))
}

// OnErrorStop ends the reach of an OnErrorContinue that comes after it.
//
// See [operators.OnErrorStop].
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
