package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// SubscribeWith subscribes s to src and returns s, which is handy for a subscriber that
// is made in the call.
//
//	src:  1 --- 2 |
//	      s := SubscribeWith(ctx, src, NewSubscriber(ctx, hooks))
func SubscribeWith[T any, S reactor.Subscriber[T]](ctx context.Context, src reactor.Publisher[T], s S) S {
	failure.Outside(func() { protocol.Trust("subscribe", src).Subscribe(ctx, s) })
	return s
}
