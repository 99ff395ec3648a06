package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// emptied subscribes to src with hooks that empty the groups and windows they are given: a stage that was
// cancelled while one was on its way to it discards it without having subscribed, and one that has failed
// drops it.
func emptied[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return &emptiedPublisher[T]{src: src}
}

type emptiedPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
}

func (p *emptiedPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	empty := func(v any) {
		if g, ok := v.(reactor.Publisher[T]); ok {
			g.Subscribe(ctx, &probe.Probe[T]{Subscribed: reactor.Subscription.Cancel})
		}
	}
	p.src.Subscribe(reactor.WithHooks(reactor.AddDiscard(ctx, empty), reactor.Hooks{NextDropped: func(_ context.Context, v any) {
		empty(v)
		reactor.DropNext(ctx, v)
	}}), s)
}
