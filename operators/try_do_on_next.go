package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// TryDoOnNext calls fn with each element before downstream gets it; the first
// error of fn ends the stream.
//
//	src:  1 --- 2 --- 3 |
//	      TryDoOnNext(validate)
//	out:  1 --- 2 --- #
//
// Demand passes through. An error or a panic of fn cancels src and discards the
// element. fn runs on the goroutine of src.
func TryDoOnNext[T any](src reactor.Publisher[T], fn func(T) error) reactor.Publisher[T] {
	protocol.NotNil("tryDoOnNext", "callback", fn)
	return &tryDoOnNextPublisher[T]{src: protocol.Trust("tryDoOnNext", src), fn: fn}
}

type tryDoOnNextPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) error
}

func (p *tryDoOnNextPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	if cont := protocol.Continuing(ctx); cont != nil {
		step := func(v T) (T, bool, error) { return v, true, p.fn(v) }
		subscribeContinuing(ctx, cont, p.src, s, step, nil)
		return
	}
	sub := &tryDoOnNextSubscriber[T]{fn: p.fn}
	sub.down = protocol.Strict(ctx, s)
	sub.Ctx, sub.Down = ctx, sub.down
	p.src.Subscribe(ctx, sub)
}

type tryDoOnNextSubscriber[T any] struct {
	protocol.Link
	down reactor.Subscriber[T]
	fn   func(T) error
}

func (s *tryDoOnNextSubscriber[T]) OnNext(v T) {
	if s.Done {
		reactor.DropNext(s.Ctx, v)
		return
	}
	if err := s.fn(v); err != nil {
		s.Fail(err, v)
		return
	}
	s.down.OnNext(v)
}
