package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// SkipWhile discards elements as long as skip reports true and emits everything
// from the first other one on.
//
//	src:  1 --- 2 --- 3 --- 1 |
//	      SkipWhile(n => n < 3)
//	out:  ----------- 3 --- 1 |
//
// Demand passes through; for each discarded element one more is requested. A
// panic of skip cancels src and ends the stream. skip runs on the goroutine of
// src.
func SkipWhile[T any](src reactor.Publisher[T], skip func(T) bool) reactor.Publisher[T] {
	protocol.NotNil("skipWhile", "predicate", skip)
	return &skipWhilePublisher[T]{src: protocol.Trust("skipWhile", src), skip: skip}
}

// SkipUntil discards elements until begin reports true, and emits that one and
// everything after it.
//
//	src:  1 --- 2 --- 3 --- 1 |
//	      SkipUntil(n => n == 2)
//	out:  ----- 2 --- 3 --- 1 |
//
// Demand, errors and goroutine as for [SkipWhile].
func SkipUntil[T any](src reactor.Publisher[T], begin func(T) bool) reactor.Publisher[T] {
	protocol.NotNil("skipUntil", "predicate", begin)
	return &skipWhilePublisher[T]{src: protocol.Trust("skipUntil", src), skip: func(v T) bool { return !begin(v) }}
}

type skipWhilePublisher[T any] struct {
	protocol.Op
	src  reactor.Publisher[T]
	skip func(T) bool
}

func (p *skipWhilePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &skipWhileSubscriber[T]{skip: p.skip}
	sub.down = initSieve(ctx, &sub.sieve, s)
	p.src.Subscribe(ctx, sub)
}

type skipWhileSubscriber[T any] struct {
	sieve
	down reactor.Subscriber[T]
	skip func(T) bool // nil once it has reported false; signals of upstream
}

func (s *skipWhileSubscriber[T]) OnNext(v T) {
	if s.skip != nil {
		if s.skip(v) {
			reject(&s.sieve, v)
			return
		}
		s.skip = nil
	}
	s.down.OnNext(v)
}
