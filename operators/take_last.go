package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// TakeLast emits the last n elements once src has completed.
//
//	src:  1 --- 2 --- 3 --- 4 |
//	      TakeLast(2)
//	out:  ------------------- 3 - 4 |
//
// Demand on src is unbounded from subscription on. Elements that turn out not to
// be among the last, and those left at cancellation or failure, are discarded.
// TakeLast(0) waits for the end of src. A negative n panics.
func TakeLast[T any](src reactor.Publisher[T], n int) reactor.Publisher[T] {
	argument.NotNegative("takeLast", "count", n)
	return &takeLastPublisher[T]{src: protocol.Trust("takeLast", src), n: n}
}

type takeLastPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	n   int
}

func (p *takeLastPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &takeLastSubscriber[T]{n: p.n}
	sub.Init(ctx, s)
	p.src.Subscribe(ctx, sub)
}

type takeLastSubscriber[T any] struct {
	pending.Backlog[T]
	n int
}

func (s *takeLastSubscriber[T]) OnNext(v T) {
	if !s.Kept.Push(v) || s.Kept.Len() <= s.n {
		return
	}
	if oldest, ok := s.Kept.Pop(); ok && s.Kept.Discard != nil {
		s.Kept.Discard(oldest)
	}
}

// Push implements protocol.Pusher.
func (s *takeLastSubscriber[T]) Push() func(T) { return s.OnNext }
