package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
)

// TryFlatMap is [FlatMap] with a function that may fail. An error of fn counts as that of an
// inner publisher which fails before it sends anything. So the first error cancels src and the
// other inner publishers, discards the element and those that wait, and ends the stream. With
// [DelayErrors] the error comes at the end; with [OnErrorContinue] the element is left out.
//
//	src:  1 ------ 4 --- 5 |
//	      TryFlatMap(n => [n 10n], refuse 4)
//	out:  1 - 10 - #
func TryFlatMap[T, R any](
	src reactor.Publisher[T], fn func(T) (reactor.Publisher[R], error), opts ...FlatMapOption,
) reactor.Publisher[R] {
	argument.Given("tryFlatMap", "mapper", fn != nil)
	p := newFlatMap("tryFlatMap", src, func(v T) reactor.Publisher[R] {
		inner, err := fn(v)
		if err != nil {
			return Error[R](err)
		}
		return inner
	}, opts)
	p.always = true // the stage knows what to do with an error: hooks, OnErrorContinue
	return p
}
