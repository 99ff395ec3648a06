package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
)

// TryDoOnNext calls fn with each element before downstream gets it; the first
// error of fn ends the stream.
//
//	src:  1 --- 2 --- 3 |
//	      TryDoOnNext(validate)
//	out:  1 --- 2 --- #
//
// Demand passes through. An error or a panic of fn cancels src and discards the
// element. fn runs on the goroutine of src.
func TryDoOnNext[T any](src reactor.Publisher[T], fn func(T) error) reactor.Publisher[T] {
	argument.Given("tryDoOnNext", "callback", fn != nil)
	return &tryDoOnNextPublisher[T]{src: protocol.Trust("tryDoOnNext", src), fn: fn}
}

type tryDoOnNextPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) error
}

func (p *tryDoOnNextPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	elementwise.Choose(ctx, elementwise.Ends, p, p.src, s)
}

func (p *tryDoOnNextPublisher[T]) Apply(v T) (T, bool, error) { return v, true, p.fn(v) }

// Computable reports whether its source is: see [direct.Is].
func (p *tryDoOnNextPublisher[T]) Computable() direct.Way { return wayOf(p.src) }

// Direct implements direct.Source.
func (p *tryDoOnNextPublisher[T]) Direct(ctx context.Context) (T, bool, error) {
	return computeStage(ctx, elementwise.Ends, p.src, p)
}

// pulled: see isPulled.
func (p *tryDoOnNextPublisher[T]) pulled() bool { return isPulled(p.src) }

func (p *tryDoOnNextPublisher[T]) behind(src reactor.Publisher[T]) reactor.Publisher[T] {
	return &tryDoOnNextPublisher[T]{src: src, fn: p.fn}
}
