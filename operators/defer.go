package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// Defer calls supplier at every subscription, with the context of the subscription, and
// subscribes to the publisher that supplier returns.
//
//	      Defer(ctx => FromSlice(orders(ctx)))
//	out:  a - b |
//
// The context of supplier does not end when the stream ends or is cancelled: it is for its
// values, and for what supplier itself waits for. Put what is to last as long as the stream
// into the publisher that supplier returns, for example [Using] or [Create].
//
// Everything else is up to the supplied publisher. A panic of supplier, or a nil
// publisher, ends the stream. supplier runs on the goroutine that subscribes and
// should not block.
func Defer[T any](supplier func(context.Context) reactor.Publisher[T]) reactor.Publisher[T] {
	argument.Given("defer", "supplier", supplier != nil)
	return deferPublisher[T]{supplier: supplier}
}

type deferPublisher[T any] struct {
	protocol.Op
	direct.Mark
	supplier func(context.Context) reactor.Publisher[T]
}

func (p deferPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	var src reactor.Publisher[T]
	if failure.Guard(
		func() { src = protocol.Trust("defer", p.supplier(ctx)) },
		func(err error) { protocol.Fail(down, reactor.OperatorError(ctx, err, nil)) },
	) {
		src.Subscribe(ctx, down)
	}
}

// Direct implements direct.Source.
func (p deferPublisher[T]) Direct(ctx context.Context) (T, bool, error) {
	return second(ctx, protocol.Trust("defer", p.supplier(ctx)))
}
