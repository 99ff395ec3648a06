package operators

import "github.com/goreactor/reactor"

// DoOnTerminate calls fn when src has completed or failed, before downstream
// learns of it.
//
//	src:  1 --- 2 |
//	      DoOnTerminate(fn)
//	out:  1 --- 2 |          fn() at | or #
//
// A panic of fn becomes the error of the stream, with the error of src attached if
// there is one. fn runs on the goroutine of src.
func DoOnTerminate[T any](src reactor.Publisher[T], fn func()) reactor.Publisher[T] {
	return newPeek("doOnTerminate", src, fn != nil, peekHooks{complete: func() { fn() }, err: func(error) { fn() }})
}
