package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
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
	elementwise.SubscribeEnding(ctx, elementwise.Rejects, p, p.src, s)
}

type skipWhileState struct {
	elementwise.Ending
	begun bool // skip has reported false
}

func (p *skipWhilePublisher[T]) Step(s *skipWhileState, next func(T)) func(T) {
	skip := p.skip
	return func(v T) {
		if !s.begun {
			if skip(v) {
				s.Reject(v)
				return
			}
			s.begun = true
		}
		next(v)
	}
}
