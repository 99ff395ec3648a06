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
	argument.NotNil("fromSupplier", "function", fn)
	return &callablePublisher[T]{supplier: fn}
}

// supplied is here because a failure bears the name of the file of the function that called.
func supplied[T any](fn func() T) (T, bool, error) { return fn(), true, nil }
