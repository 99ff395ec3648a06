package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Hide passes src on unchanged and hides what kind of publisher it is: operators
// that treat a constant, an empty or a callable publisher specially, or merge
// neighbouring stages, see an ordinary one.
//
//	src:  1 --- 2 |
//	      Hide()
//	out:  1 --- 2 |
func Hide[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return &hidePublisher[T]{src: protocol.Trust("hide", src)}
}

type hidePublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
}

func (p *hidePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, s)
}
