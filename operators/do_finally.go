package operators

import "github.com/goreactor/reactor"

// DoFinally calls fn once, after downstream has been told of completion
// (reactor.KindComplete) or failure (reactor.KindError), or after src has been
// told of cancellation (reactor.KindCancel), whichever comes first. A failure of a
// stage further down is a cancellation here.
//
//	src:  1 --- 2 |
//	      DoFinally(fn)
//	out:  1 --- 2 |          fn(KindComplete) after |
//
// A panic of fn is reported as a dropped error. fn runs on the goroutine of src or
// on the one that cancels.
func DoFinally[T any](src reactor.Publisher[T], fn func(how reactor.SignalKind)) reactor.Publisher[T] {
	return newPeek("doFinally", src, fn != nil, peekHooks{finally: func(how reactor.SignalKind) { fn(how) }})
}
