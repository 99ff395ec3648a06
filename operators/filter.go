package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Filter emits the elements for which keep reports true and discards the others.
//
//	src:  1 --- 2 --- 3 --- 4 |
//	      Filter(even)
//	out:  ----- 2 --------- 4 |
//
// Demand passes through; for each discarded element one more is requested. A
// panic of keep cancels src and ends the stream. keep runs on the goroutine of
// src.
func Filter[T any](src reactor.Publisher[T], keep func(T) bool) reactor.Publisher[T] {
	protocol.NotNil("filter", "predicate", keep)
	return &filterPublisher[T]{src: protocol.Trust("filter", src), keep: keep}
}

type filterPublisher[T any] struct {
	protocol.Op
	src  reactor.Publisher[T]
	keep func(T) bool
}

func (p *filterPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	if cont := protocol.Continuing(ctx); cont != nil {
		step := func(v T) (T, bool, error) { return v, p.keep(v), nil }
		subscribeContinuing(ctx, cont, p.src, s, step, reactor.DiscardHookFor[T](ctx))
		return
	}
	sub := &filterSubscriber[T]{keep: p.keep}
	sub.down = initSieve(ctx, &sub.sieve, s)
	p.src.Subscribe(ctx, sub)
}

type filterSubscriber[T any] struct {
	sieve
	down reactor.Subscriber[T]
	keep func(T) bool
}

func (s *filterSubscriber[T]) OnNext(v T) {
	if s.keep(v) {
		s.down.OnNext(v)
		return
	}
	reject(&s.sieve, v)
}

// Push implements protocol.Pusher.
func (s *filterSubscriber[T]) Push() func(T) {
	keep, next := s.keep, protocol.Push(s.down)
	return func(v T) {
		if keep(v) {
			next(v)
			return
		}
		reject(&s.sieve, v)
	}
}
