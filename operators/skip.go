package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// Skip discards the first n elements and emits the rest.
//
//	src:  1 --- 2 --- 3 --- 4 |
//	      Skip(2)
//	out:  ----------- 3 --- 4 |
//
// The n elements are requested at subscription; from then on demand passes
// through. A negative n panics.
func Skip[T any](src reactor.Publisher[T], n int) reactor.Publisher[T] {
	argument.NotNegative("skip", "count", n)
	src = protocol.Trust("skip", src)
	if n == 0 {
		return src
	}
	return &skipPublisher[T]{src: src, n: count(n)}
}

type skipPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	n   int64
}

func (p *skipPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &skipSubscriber[T]{down: protocol.Strict(ctx, s), left: p.n, discard: reactor.DiscardHookFor[T](ctx)}
	p.src.Subscribe(ctx, sub)
}

type skipSubscriber[T any] struct {
	protocol.Inner
	down    reactor.Subscriber[T]
	left    int64     // to skip; signals of upstream
	discard func(any) // nil if nobody wants discarded elements
}

func (s *skipSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	n := s.left         // the request below may use it up at once
	defer up.Request(n) // also if downstream ends the goroutine
	s.down.OnSubscribe(up)
}

func (s *skipSubscriber[T]) OnNext(v T) {
	if s.left == 0 {
		s.down.OnNext(v)
		return
	}
	s.skip(v)
}

// Push implements protocol.Pusher.
func (s *skipSubscriber[T]) Push() func(T) {
	next := protocol.Push(s.down)
	return func(v T) {
		if s.left == 0 {
			next(v)
			return
		}
		s.skip(v)
	}
}

// skip discards v, one of the first.
func (s *skipSubscriber[T]) skip(v T) {
	s.left--
	if s.discard != nil {
		s.discard(v)
	}
}

func (s *skipSubscriber[T]) OnError(err error) { s.down.OnError(err) }

func (s *skipSubscriber[T]) OnComplete() { s.down.OnComplete() }
