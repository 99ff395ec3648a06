package operators

import "github.com/goreactor/reactor"

// DoAfterTerminate calls fn after downstream has been told that src completed or
// failed.
//
//	src:  1 --- 2 |
//	      DoAfterTerminate(fn)
//	out:  1 --- 2 |          fn() after | or #
//
// A panic of fn is reported as a dropped error. fn runs on the goroutine of src.
func DoAfterTerminate[T any](src reactor.Publisher[T], fn func()) reactor.Publisher[T] {
	return newPeek("doAfterTerminate", src, fn != nil, peekHooks{after: func() { fn() }})
}
