package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// DoFirst calls fn before src is subscribed to. Of several DoFirst in a chain the last
// one runs first, because a subscription goes up.
//
//	src:  1 --- 2 |
//	      DoFirst(fn)
//	out:  1 --- 2 |          fn() before everything
//
// If fn panics, src is not subscribed to and the stream fails. fn runs on the
// goroutine that subscribes.
func DoFirst[T any](src reactor.Publisher[T], fn func()) reactor.Publisher[T] {
	argument.Given("doFirst", "callback", fn != nil)
	return &doFirstPublisher[T]{src: protocol.Trust("doFirst", src), fn: fn}
}

type doFirstPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func()
}

func (p *doFirstPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	if failure.Guard(p.fn, func(err error) { protocol.Fail(down, reactor.OperatorError(ctx, err, nil)) }) {
		p.src.Subscribe(ctx, down)
	}
}
