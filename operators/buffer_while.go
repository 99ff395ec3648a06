package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/stage/boundary"
)

// BufferWhile emits slices of neighbouring elements for which keep reports true. The
// elements in between only mark boundaries.
//
//	src:  1 --- 3 --- 4 --- 6 --- 5 |
//	      BufferWhile(odd)
//	out:  ----------- [1 3] --------- [5] |
//
// Two boundaries next to each other have no buffer between them. The elements that mark
// boundaries are used up: they are neither delivered nor given to the discard hook.
//
// See [BufferUntil] for demand, errors, cancellation and the goroutine.
func BufferWhile[T any](src reactor.Publisher[T], keep func(T) bool) reactor.Publisher[[]T] {
	argument.Given("bufferWhile", "predicate", keep != nil)
	return newBufferCut("bufferWhile", src, func() boundary.Cutter[T] {
		return func(v T) boundary.Cut {
			if keep(v) {
				return boundary.None
			}
			return boundary.Out
		}
	})
}
