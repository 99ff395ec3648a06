package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
)

// Index emits fn(i, v) for every v, where i counts the elements from 0.
//
//	src:  a --- b --- c |
//	      Index(i + v)
//	out:  0a -- 1b -- 2c |
//
// Demand passes through one for one. A panic of fn cancels src and ends the stream. fn
// runs on the goroutine of src.
func Index[T, R any](src reactor.Publisher[T], fn func(i int64, v T) R) reactor.Publisher[R] {
	protocol.NotNil("index", "mapper", fn)
	return &indexPublisher[T, R]{src: protocol.Trust("index", src), fn: fn}
}

type indexPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(i int64, v T) R
}

func (p *indexPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	elementwise.Subscribe(ctx, p, int64(0), p.src, s)
}

func (p *indexPublisher[T, R]) Step(index *int64, next func(R)) func(T) {
	fn := p.fn
	return func(v T) {
		r := fn(*index, v)
		*index++
		next(r)
	}
}
