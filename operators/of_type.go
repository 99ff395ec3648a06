package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
)

// OfType emits the elements that are of type R, as v.(R) reports, and discards the
// others. It is for elements of interface types.
//
//	src:  1 --- "x" --- 2 |
//	      OfType[int]()
//	out:  1 ----------- 2 |
//
// Demand passes through; for each discarded element one more is requested. Where an
// element of another type is an error, use [Cast].
func OfType[R, T any](src reactor.Publisher[T]) reactor.Publisher[R] {
	return &ofTypePublisher[T, R]{src: protocol.Trust("ofType", src)}
}

type ofTypePublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
}

func (p *ofTypePublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	elementwise.Choose(ctx, elementwise.Rejects, p, p.src, s)
}

func (p *ofTypePublisher[T, R]) Apply(v T) (R, bool, error) {
	r, ok := any(v).(R)
	return r, ok, nil
}

// Computable reports whether its source is: see [direct.Is].
func (p *ofTypePublisher[T, R]) Computable() direct.Way { return wayOf(p.src) }

// Direct implements direct.Source.
func (p *ofTypePublisher[T, R]) Direct(ctx context.Context) (R, bool, error) {
	return computeStage(ctx, elementwise.Rejects, p.src, p)
}

func (p *ofTypePublisher[T, R]) behind(src reactor.Publisher[T]) reactor.Publisher[R] {
	return &ofTypePublisher[T, R]{src: src}
}
