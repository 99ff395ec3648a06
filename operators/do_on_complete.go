package operators

import "github.com/goreactor/reactor"

// DoOnComplete calls fn when src has completed, before downstream learns of it.
//
//	src:  1 --- 2 |
//	      DoOnComplete(fn)
//	out:  1 --- 2 |          fn() at |
//
// A panic of fn becomes the error of the stream. fn runs on the goroutine of src.
func DoOnComplete[T any](src reactor.Publisher[T], fn func()) reactor.Publisher[T] {
	return newPeek("doOnComplete", src, fn != nil, peekHooks{complete: func() { fn() }})
}
