package operators

import "github.com/goreactor/reactor"

// DoOnSubscribe calls fn with the subscription when src hands it over, before
// downstream gets it.
//
//	src:  --- 1 |
//	      DoOnSubscribe(fn)
//	out:  --- 1 |          fn(subscription) before everything
//
// A panic of fn cancels src and ends the stream. Requests that fn makes add to
// those of downstream. fn runs on the goroutine of src.
func DoOnSubscribe[T any](src reactor.Publisher[T], fn func(reactor.Subscription)) reactor.Publisher[T] {
	return newPeek("doOnSubscribe", src, fn != nil, peekHooks{subscribe: func(up reactor.Subscription) { fn(up) }})
}
