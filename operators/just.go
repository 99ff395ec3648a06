package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
)

// Just emits v and completes.
//
//	      Just(7)
//	out:  7 |
//
// v is emitted at the first request, on the goroutine that requests. Operators
// such as [FlatMap] take v without subscribing.
func Just[T any](v T) reactor.Publisher[T] { return &justPublisher[T]{value: v} }

type justPublisher[T any] struct {
	protocol.Op
	value T
}

func (p *justPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	down.OnSubscribe(single.NewScalar(ctx, down, p.value))
}

// Call implements direct.Callable.
func (p *justPublisher[T]) Call(context.Context) (T, bool, error) { return p.value, true, nil }
