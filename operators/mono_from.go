package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
)

// MonoFrom emits the first element of any publisher, and cancels the publisher after
// that element. A publisher that is known to have at most one element is returned as
// [From] returns it.
//
//	src:  --- 1 --- 2 ---
//	      MonoFrom()
//	out:  --- 1 |
func MonoFrom[T any](p reactor.Publisher[T]) reactor.Publisher[T] {
	src := protocol.Trust("from", p)
	if _, ok := direct.AsCallable[T](src); ok {
		return src
	}
	return Next(src)
}
