package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// OnErrorStop ends the reach of an [OnErrorContinue] further downstream: upstream of
// OnErrorStop failures end the stream as usual.
//
//	src:  1 --- 2 --- 3 |
//	      TryMap(2 => error)
//	      OnErrorStop()
//	      OnErrorContinue(report)
//	out:  1 --- #
//
// Everything passes through.
func OnErrorStop[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return &onErrorContinuePublisher[T]{src: protocol.Trust("onErrorStop", src)}
}
