package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Never sends nothing at all, neither elements nor an end. Only cancellation, or
// the end of the context, ends it.
//
//	      Never()
//	out:  -----------
func Never[T any]() reactor.Publisher[T] { return neverPublisher[T]{} }

type neverPublisher[T any] struct{ protocol.Op }

func (neverPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	protocol.Strict(ctx, s).OnSubscribe(protocol.Empty)
}
