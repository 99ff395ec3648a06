package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// emptied subscribes to src with a discard hook that empties the groups and windows it
// is given: a stage that was cancelled while one was on its way to it discards it
// without having subscribed.
func emptied[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return &emptiedPublisher[T]{src: src}
}

type emptiedPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
}

func (p *emptiedPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(reactor.AddDiscard(ctx, func(v any) {
		if g, ok := v.(reactor.Publisher[T]); ok {
			g.Subscribe(ctx, &probe[T]{onSubscribe: reactor.Subscription.Cancel})
		}
	}), s)
}
