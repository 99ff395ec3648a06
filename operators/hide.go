package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Hide passes the signals of src on unchanged and hides what kind of publisher src is:
// operators that treat a constant, an empty or a callable publisher specially, or that
// merge neighbouring stages, see an ordinary publisher.
//
//	src:  1 --- 2 |
//	      Hide()
//	out:  1 --- 2 |
func Hide[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	src = protocol.Trust("hide", src)
	switch j := src.(type) {
	case *justPublisher[T]:
		return (*hiddenJust[T])(j)
	case justReference[T]:
		return hiddenReference[T]{value: j.value}
	}
	return &hidePublisher[T]{src: src}
}

// hiddenJust is a hidden justPublisher: the same thing under another type.
type hiddenJust[T any] justPublisher[T]

func (p *hiddenJust[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	(*justPublisher[T])(p).Subscribe(ctx, s)
}

// hiddenReference is hiddenJust for a justReference, without its mark.
type hiddenReference[T any] struct {
	protocol.Op
	value T
}

func (p hiddenReference[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	subscribeJust(ctx, p.value, s)
}

type hidePublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
}

func (p *hidePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, s)
}
