package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// ThenMany discards the elements of src and, when src has completed, emits those of
// other.
//
//	src:    1 --- 2 |
//	other:            8 --- 9 |
//	        ThenMany(other)
//	out:    --------- 8 --- 9 |
//
// All of src is requested at once; demand goes to other. An error of src passes, and
// other is not subscribed; nor is other subscribed after a cancellation. other is
// subscribed on the goroutine on which src completed.
func ThenMany[T, R any](src reactor.Publisher[T], other reactor.Publisher[R]) reactor.Publisher[R] {
	return Concat(ignored[T, R]("thenMany", src), protocol.Trust("thenMany", other))
}
