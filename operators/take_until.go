package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
)

// TakeUntil emits elements up to and including the first one for which last
// reports true; then src is cancelled and the stream completes.
//
//	src:  1 --- 2 --- 3 --- 4 |
//	      TakeUntil(n => n == 3)
//	out:  1 --- 2 --- 3 |
//
// Demand passes through. A panic of last cancels src and ends the stream. last
// runs on the goroutine of src, after the element was delivered.
func TakeUntil[T any](src reactor.Publisher[T], last func(T) bool) reactor.Publisher[T] {
	protocol.NotNil("takeUntil", "predicate", last)
	return &takeUntilMatchPublisher[T]{src: protocol.Trust("takeUntil", src), last: last}
}

type takeUntilMatchPublisher[T any] struct {
	protocol.Op
	src  reactor.Publisher[T]
	last func(T) bool
}

func (p *takeUntilMatchPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	elementwise.SubscribeEnding(ctx, elementwise.Ends, p, p.src, s)
}

func (p *takeUntilMatchPublisher[T]) Step(s *elementwise.Ending, next func(T)) func(T) {
	last := p.last
	return func(v T) {
		if s.Dropped(v) {
			return
		}
		next(v)
		if last(v) {
			s.Complete()
		}
	}
}
