package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
)

// FromOptional emits the result of fn if fn reports true, and completes empty if fn
// reports false. See [FromCallable].
//
//	      FromOptional(func() (int, bool, error) { return cache.Get("a") })
//	out:  |
func FromOptional[T any](fn func() (T, bool, error)) reactor.Publisher[T] {
	argument.Given("fromOptional", "function", fn != nil)
	return callablePublisher[T, optional[T]]{fn: fn}
}

type optional[T any] func() (T, bool, error)

// call is here because a failure bears the name of the file of the function that called.
func (fn optional[T]) call() (T, bool, error) { return fn() }
