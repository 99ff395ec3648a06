package operators

import (
	"errors"

	"github.com/goreactor/reactor"
)

// DoOnError calls fn with the error of src, before downstream gets it; with error
// filters, only if one of them accepts the error.
//
//	src:  1 --- #
//	      DoOnError(fn)
//	out:  1 --- #          fn(err) at #
//
// A failure of a stage further down is not seen here. If fn panics, downstream gets the
// error of the panic, with the error of src attached. fn runs on the goroutine of src.
func DoOnError[T any](src reactor.Publisher[T], fn func(error), when ...ErrorFilter) reactor.Publisher[T] {
	return newPeek("doOnError", src, fn != nil, peekHooks{err: filtered("doOnError", fn, when)})
}

// DoOnErrorAs is [DoOnError] for the errors that are or wrap an E, as errors.As finds
// it.
//
//	src:  1 --- #
//	      DoOnErrorAs(func(e *fs.PathError) { … })
//	out:  1 --- #
func DoOnErrorAs[T any, E error](src reactor.Publisher[T], fn func(E)) reactor.Publisher[T] {
	return newPeek("doOnErrorAs", src, fn != nil, peekHooks{err: func(err error) {
		if e, ok := errors.AsType[E](err); ok {
			fn(e)
		}
	}})
}

// filtered is fn for the errors that a filter accepts.
func filtered(op string, fn func(error), when []ErrorFilter) func(error) {
	accept := anyFilter(op, when)
	if accept == nil {
		return func(err error) { fn(err) } // in this file, so that a failure has the name doOnError
	}
	return func(err error) {
		if accept(err) {
			fn(err)
		}
	}
}
