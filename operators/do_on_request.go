package operators

import "github.com/goreactor/reactor"

// DoOnRequest calls fn with each demand from downstream, before src gets it;
// unlimited demand is reactor.Unbounded.
//
//	src:  --- 1 - 2 ---
//	      DoOnRequest(fn)
//	out:  --- 1 - 2 ---          fn(2) at Request(2)
//
// A panic of fn is reported as a dropped error; the request goes on all the same.
// fn runs on the goroutine that requests; calls may overlap.
func DoOnRequest[T any](src reactor.Publisher[T], fn func(n int64)) reactor.Publisher[T] {
	return newPeek("doOnRequest", src, fn != nil, peekHooks{request: func(n int64) { fn(n) }})
}
