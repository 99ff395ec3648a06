package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
)

// FromSupplier emits the result of fn. See [FromCallable].
//
//	      FromSupplier(time.Now)
//	out:  12:00 |
func FromSupplier[T any](fn func() T) reactor.Publisher[T] {
	argument.Given("fromSupplier", "function", fn != nil)
	return callablePublisher[T, supplier[T]]{fn: fn}
}

type supplier[T any] func() T

// call is here because a failure bears the name of the file of the function that called.
func (fn supplier[T]) call() (T, bool, error) { return fn(), true, nil }
