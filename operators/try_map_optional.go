package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
)

// TryMapOptional emits the result of fn(v) for every v for which fn reports true.
//
//	src:  1 --- 2 --- x --- 4 |
//	      TryMapOptional(even: 10n, odd: nothing, else: error)
//	out:  ----- 20 -- #
//
// Demand passes through; for each element without a result one more is requested.
// Such an element counts as consumed by fn and is not discarded. The first error of fn
// cancels src, discards v and becomes the end of the stream; so does a panic. fn runs
// on the goroutine of src.
func TryMapOptional[T, R any](src reactor.Publisher[T], fn func(T) (R, bool, error)) reactor.Publisher[R] {
	argument.Given("tryMapOptional", "mapper", fn != nil)
	return &tryMapOptionalPublisher[T, R]{src: protocol.Trust("tryMapOptional", src), fn: fn}
}

type tryMapOptionalPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) (R, bool, error)
}

func (p *tryMapOptionalPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	elementwise.Choose(ctx, elementwise.Skips, p, p.src, s)
}

func (p *tryMapOptionalPublisher[T, R]) Apply(v T) (R, bool, error) { return p.fn(v) }

// Computable reports whether its source is: see [direct.Is].
func (p *tryMapOptionalPublisher[T, R]) Computable() direct.Way { return wayOf(p.src) }

// Direct implements direct.Source.
func (p *tryMapOptionalPublisher[T, R]) Direct(ctx context.Context) (R, bool, error) {
	return computeStage(ctx, elementwise.Skips, p.src, p)
}

// pulled: see isPulled.
func (p *tryMapOptionalPublisher[T, R]) pulled() bool { return isPulled(p.src) }

func (p *tryMapOptionalPublisher[T, R]) behind(src reactor.Publisher[T]) reactor.Publisher[R] {
	return &tryMapOptionalPublisher[T, R]{src: src, fn: p.fn}
}
