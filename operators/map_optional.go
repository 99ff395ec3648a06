package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
)

// MapOptional emits the result of fn(v) for every v for which fn reports true.
//
//	src:  1 --- 2 --- 3 --- 4 |
//	      MapOptional(even: 10n, odd: nothing)
//	out:  ----- 20 -------- 40 |
//
// Demand passes through; for each element without a result one more is requested.
// Such an element counts as consumed by fn and is not discarded. A panic of fn cancels
// src and ends the stream; for functions that fail in the ordinary way there is
// [TryMapOptional]. fn runs on the goroutine of src.
func MapOptional[T, R any](src reactor.Publisher[T], fn func(T) (R, bool)) reactor.Publisher[R] {
	argument.Given("mapOptional", "mapper", fn != nil)
	return &mapOptionalPublisher[T, R]{src: protocol.Trust("mapOptional", src), fn: fn}
}

type mapOptionalPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) (R, bool)
}

func (p *mapOptionalPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	elementwise.Choose(ctx, elementwise.Skips, p, p.src, s)
}

func (p *mapOptionalPublisher[T, R]) Apply(v T) (R, bool, error) {
	r, ok := p.fn(v)
	return r, ok, nil
}

// Computable reports whether its source is: see [direct.Is].
func (p *mapOptionalPublisher[T, R]) Computable() direct.Way { return wayOf(p.src) }

// Direct implements direct.Source.
func (p *mapOptionalPublisher[T, R]) Direct(ctx context.Context) (R, bool, error) {
	return computeStage(ctx, elementwise.Skips, p.src, p)
}

// pulled: see isPulled.
func (p *mapOptionalPublisher[T, R]) pulled() bool { return isPulled(p.src) }

func (p *mapOptionalPublisher[T, R]) behind(src reactor.Publisher[T]) reactor.Publisher[R] {
	return &mapOptionalPublisher[T, R]{src: src, fn: p.fn}
}
