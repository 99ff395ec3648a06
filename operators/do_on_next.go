package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// DoOnNext calls fn with each element before downstream gets it.
//
//	src:  1 --- 2 --- 3 |
//	      DoOnNext(fn)
//	out:  1 --- 2 --- 3 |          fn(1), fn(2), fn(3)
//
// Demand passes through. A panic of fn cancels src and ends the stream. fn runs
// on the goroutine of src.
func DoOnNext[T any](src reactor.Publisher[T], fn func(T)) reactor.Publisher[T] {
	protocol.NotNil("doOnNext", "callback", fn)
	return &doOnNextPublisher[T]{src: protocol.Trust("doOnNext", src), fn: fn}
}

type doOnNextPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T)
}

func (p *doOnNextPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	if cont := protocol.Continuing(ctx); cont != nil {
		step := func(v T) (T, bool, error) { p.fn(v); return v, true, nil }
		subscribeContinuing(ctx, cont, p.src, s, step, nil)
		return
	}
	p.src.Subscribe(ctx, &doOnNextSubscriber[T]{down: protocol.Strict(ctx, s), fn: p.fn})
}

type doOnNextSubscriber[T any] struct {
	protocol.Inner
	down reactor.Subscriber[T]
	fn   func(T)
}

func (s *doOnNextSubscriber[T]) OnSubscribe(up reactor.Subscription) { s.down.OnSubscribe(up) }

func (s *doOnNextSubscriber[T]) OnNext(v T) {
	s.fn(v)
	s.down.OnNext(v)
}

// Push implements protocol.Pusher.
func (s *doOnNextSubscriber[T]) Push() func(T) {
	fn, next := s.fn, protocol.Push(s.down)
	return func(v T) {
		fn(v)
		next(v)
	}
}

func (s *doOnNextSubscriber[T]) OnError(err error) { s.down.OnError(err) }

func (s *doOnNextSubscriber[T]) OnComplete() { s.down.OnComplete() }
