package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
)

// TryFlatMapSlice is [FlatMapSlice] with a function that may fail: the first error of
// fn cancels src, discards the element and those that wait, and becomes the end of the
// stream.
//
//	src:  1 ------- x ------- |
//	      TryFlatMapSlice(n => [n 10n], or an error)
//	out:  1 - 10 -- #
func TryFlatMapSlice[T, R any](src reactor.Publisher[T], fn func(T) ([]R, error), opts ...PrefetchOption) reactor.Publisher[R] {
	argument.Given("tryFlatMapSlice", "mapper", fn != nil)
	return newFlatten("tryFlatMapSlice", src, defaultHopPrefetch(), opts, func(v T) ([]R, flattenedSeq[R], error) {
		items, err := fn(v)
		return items, flattenedSeq[R]{}, err
	})
}
