package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
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
	sub := &takeWhileSubscriber[T]{more: p.more}
	sub.down = protocol.Strict(ctx, s)
	sub.Ctx, sub.Down = ctx, sub.down
	p.src.Subscribe(ctx, sub)
}

type takeWhileSubscriber[T any] struct {
	protocol.Link
	down reactor.Subscriber[T]
	more func(T) bool
}

func (s *takeWhileSubscriber[T]) OnNext(v T) {
	if s.Done {
		reactor.DropNext(s.Ctx, v)
		return
	}
	if s.more(v) {
		s.down.OnNext(v)
		return
	}
	reactor.Discard(s.Ctx, v)
	s.Finish()
}
