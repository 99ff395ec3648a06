package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
)

// Empty completes at once, without waiting for demand (§1.5).
//
//	      Empty()
//	out:  |
func Empty[T any]() reactor.Publisher[T] { return &emptyPublisher[T]{} }

type emptyPublisher[T any] struct {
	protocol.Op
	direct.Mark
	direct.CallMark
}

func (*emptyPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	protocol.Complete(protocol.Strict(ctx, s))
}

// Call implements direct.Callable.
func (*emptyPublisher[T]) Call(context.Context) (v T, ok bool, err error) { return v, false, nil }

// Direct implements direct.Source.
func (*emptyPublisher[T]) Direct(_ context.Context) (v T, ok bool, err error) { return v, false, nil }
