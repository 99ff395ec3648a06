package operators

import "github.com/goreactor/reactor"

// DoOnCancel calls fn when downstream cancels, or fails, before src learns of it.
// fn is called once at most. A stage that cancels all of several sources may cancel
// one that has ended already; to tell these cases apart there is [DoFinally].
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
