package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
)

// TakeWhile emits elements as long as more reports true; the first other one is
// discarded, src is cancelled, and the stream completes.
//
//	src:  1 --- 2 --- 3 --- 1 |
//	      TakeWhile(n => n < 3)
//	out:  1 --- 2 --- |
//
// Demand passes through. A panic of more cancels src and ends the stream. more
// runs on the goroutine of src.
func TakeWhile[T any](src reactor.Publisher[T], more func(T) bool) reactor.Publisher[T] {
	protocol.NotNil("takeWhile", "predicate", more)
	return &takeWhilePublisher[T]{src: protocol.Trust("takeWhile", src), more: more}
}

type takeWhilePublisher[T any] struct {
	protocol.Op
	src  reactor.Publisher[T]
	more func(T) bool
}

func (p *takeWhilePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	elementwise.SubscribeEnding(ctx, elementwise.Ends, p, p.src, s)
}

func (p *takeWhilePublisher[T]) Step(s *elementwise.Ending, next func(T)) func(T) {
	more := p.more
	return func(v T) {
		switch {
		case s.Dropped(v):
		case more(v):
			next(v)
		default:
			s.CompleteWithout(v)
		}
	}
}
