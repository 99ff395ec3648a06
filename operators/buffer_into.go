package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// BufferInto emits containers of size elements each; the last one may have fewer.
// newContainer makes each of them and add fills it when its elements have come.
//
//	src:  1 --- 2 --- 2 --- 2 --- 5 |
//	      BufferInto(2, newSet, set.Add)
//	out:  ----- {1 2} ----- {2} --- {5} |
//
// A panic of newContainer or add cancels src, discards the elements and ends the
// stream. Both run on the goroutine of src. Options and the rest as for [Buffer].
func BufferInto[T, C any](src reactor.Publisher[T], size int, newContainer func() C, add func(C, T), opts ...BufferOption) reactor.Publisher[C] {
	protocol.NotNil("bufferInto", "container function", newContainer)
	protocol.NotNil("bufferInto", "function", add)
	return Map(Buffer(src, size, opts...), func(items []T) C {
		c := newContainer()
		for _, v := range items {
			add(c, v)
		}
		return c
	})
}
