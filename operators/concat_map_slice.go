package operators

import (
	"iter"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
)

// ConcatMapSlice is [FlatMapSlice], but asks src for 32 elements ahead.
//
//	src:  1 ------- 2 ------- |
//	      ConcatMapSlice(n => [n 10n])
//	out:  1 - 10 -- 2 - 20 -- |
func ConcatMapSlice[T, R any](src reactor.Publisher[T], fn func(T) []R, opts ...PrefetchOption) reactor.Publisher[R] {
	argument.Given("concatMapSlice", "mapper", fn != nil)
	return newFlatten("concatMapSlice", src, int(defaultPrefetch()), opts, func(v T) ([]R, flattenedSeq[R], error) {
		return fn(v), flattenedSeq[R]{}, nil
	})
}

// ConcatMapSeq is [FlatMapSeq], but asks src for 32 elements ahead.
//
//	src:  1 ------- 2 ------- |
//	      ConcatMapSeq(n => n, 10n)
//	out:  1 - 10 -- 2 - 20 -- |
func ConcatMapSeq[T, R any](src reactor.Publisher[T], fn func(T) iter.Seq[R], opts ...PrefetchOption) reactor.Publisher[R] {
	argument.Given("concatMapSeq", "mapper", fn != nil)
	return newFlatten("concatMapSeq", src, int(defaultPrefetch()), opts, func(v T) ([]R, flattenedSeq[R], error) {
		return nil, flattenedSeq[R]{all: someSeq(fn(v))}, nil
	}).ofSeqs()
}
