package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// OnErrorMap replaces the error of src by fn(err). With filters, errors that none of
// them accepts pass unchanged.
//
//	src:  1 --- 2 --- #a
//	      OnErrorMap(a => b)
//	out:  1 --- 2 --- #b
//
// Demand and cancellation pass through. A nil result becomes reactor.ErrNilError; a
// panic of fn becomes an error that wraps both the panic and the failure of src.
// Failures of what is downstream are not mapped. fn runs on the goroutine on which src
// failed.
func OnErrorMap[T any](src reactor.Publisher[T], fn func(error) error, when ...ErrorFilter) reactor.Publisher[T] {
	protocol.NotNil("onErrorMap", "mapper", fn)
	if accept := anyFilter("onErrorMap", when); accept != nil {
		when = []ErrorFilter{func(err error) bool { return accept(err) }} // called from here, it brings the name along
	}
	return newOnErrorResume("onErrorMap", src, func(err error) reactor.Publisher[T] { return Error[T](fn(err)) }, when)
}
