package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
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
	elementwise.Choose(ctx, elementwise.Rejects, p, p.src, s)
}

func (p *filterPublisher[T]) Apply(v T) (T, bool, error) { return v, p.keep(v), nil }

func (p *filterPublisher[T]) Step(s *elementwise.Stage, next func(T)) func(T) {
	keep := p.keep
	return func(v T) {
		if keep(v) {
			next(v)
			return
		}
		s.Reject(v)
	}
}
