package operators

import "github.com/goreactor/reactor"

// DoOnCancel calls fn when downstream cancels or fails, before src is cancelled. fn is
// called at most once. A stage with several sources that cancels all of them may cancel
// a source that has ended already; [DoFinally] tells such a cancellation from that of a
// source that runs.
//
//	src:  1 --- 2 --- 3 ---
//	      DoOnCancel(fn)
//	out:  1 --- 2 X          fn() at X
//
// A panic of fn is reported as a dropped error; src is cancelled all the same. fn
// runs on the goroutine that cancels.
func DoOnCancel[T any](src reactor.Publisher[T], fn func()) reactor.Publisher[T] {
	return newPeek("doOnCancel", src, fn != nil, peekHooks{cancel: func() { fn() }})
}
