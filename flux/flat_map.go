package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// FlatMapOption configures [Flux.FlatMap]: [Concurrency] (default 256), [Prefetch] (default 32),
// [DelayErrors].
type FlatMapOption = operators.FlatMapOption

// FlatMap subscribes to the publisher that fn returns for each element, and emits what these
// publishers send, in the order in which it comes. Up to 256 of them are subscribed at a time,
// or as many as [Concurrency] says.
//
//	f:    1 --- 2 ---------- |
//	      FlatMap(n => n, 10n 7 later)
//	out:  1 --- 2 10 --- 20 -|
//
// At most [Concurrency] inner publishers are subscribed at a time: that many elements are
// requested from f, and one more for each that ends. Each inner publisher is asked for
// [Prefetch] elements ahead of demand; they wait in a queue of its own. Publishers that have at
// most one element and know it at once ([Just], [Empty], …) are not subscribed to.
//
// FlatMap starts no goroutines. Inner publishers run at the same time only if each works on a
// goroutine of its own: one that works on the goroutine that requests, such as mono.FromFunc,
// keeps the next one waiting unless it has a [Flux.SubscribeOn].
//
// The first error, of f, of fn, or of an inner publisher, cancels f and all inner publishers,
// discards the elements that wait and ends the stream. With [DelayErrors] inner publishers and
// f run on, and their errors, joined if there are several, come at the end. A nil publisher is
// an error of fn.
//
// Cancellation cancels f and all inner publishers: at once or, if an element is on its way down,
// when downstream has taken that element. fn runs on the goroutine of f. Elements are emitted on
// whatever goroutine delivers first: that of an inner publisher or of a request.
func (f Flux[T]) FlatMap[R any, P reactor.Publisher[R]](fn func(T) P, opts ...FlatMapOption) Flux[R] {
	return Flux[R]{operators.FlatMap(f.Source(), publishers[R]("flatMap", fn), opts...)}
}

// TryFlatMap is FlatMap with a function that may fail. An error of fn counts as that of an inner
// publisher which fails before it sends anything.
//
//	f:    1 ------ 4 --- 5 |
//	      TryFlatMap(n => [n 10n], refuse 4)
//	out:  1 - 10 - #
//
// So the first error cancels f and the other inner publishers, discards the element and those that
// wait, and ends the stream. With [DelayErrors] the error comes at the end; with
// [Flux.OnErrorContinue] the element is left out. Demand, cancellation and goroutines are those of
// [Flux.FlatMap].
func (f Flux[T]) TryFlatMap[R any, P reactor.Publisher[R]](fn func(T) (P, error), opts ...FlatMapOption) Flux[R] {
	argument.Given("tryFlatMap", "mapper", fn != nil)
	return Flux[R]{operators.TryFlatMap(f.Source(), func(v T) (reactor.Publisher[R], error) {
		inner, err := fn(v)
		if err != nil {
			return nil, err
		}
		return source[R](inner), nil
	}, opts...)}
}

// publishers returns fn with its results unwrapped.
func publishers[R, T any, P reactor.Publisher[R]](op string, fn func(T) P) func(T) reactor.Publisher[R] {
	argument.Given(op, "mapper", fn != nil)
	return func(v T) reactor.Publisher[R] { return source[R](fn(v)) }
}
