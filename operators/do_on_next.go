package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
)

// DoOnNext calls fn with each element before downstream gets it.
//
//	src:  1 --- 2 --- 3 |
//	      DoOnNext(fn)
//	out:  1 --- 2 --- 3 |          fn(1), fn(2), fn(3)
//
// Demand passes through. A panic of fn cancels src and ends the stream. fn runs
// on the goroutine of src.
func DoOnNext[T any](src reactor.Publisher[T], fn func(T)) reactor.Publisher[T] {
	argument.Given("doOnNext", "callback", fn != nil)
	return &doOnNextPublisher[T]{src: protocol.Trust("doOnNext", src), fn: fn}
}

type doOnNextPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T)
}

func (p *doOnNextPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	elementwise.Map[T](ctx, p, p.src, s)
}

func (p *doOnNextPublisher[T]) Apply(v T) (T, bool, error) {
	p.fn(v)
	return v, true, nil
}

func (p *doOnNextPublisher[T]) Step(_ *elementwise.Stage, down reactor.Subscriber[T]) func(T) {
	next := protocol.Push(down)
	fn := p.fn
	return func(v T) {
		fn(v)
		next(v)
	}
}

// Computable reports whether its source is: see [direct.Is].
func (p *doOnNextPublisher[T]) Computable() direct.Way { return wayOf(p.src) }

// Direct implements direct.Source.
func (p *doOnNextPublisher[T]) Direct(ctx context.Context) (T, bool, error) {
	return computeStage(ctx, elementwise.Ends, p.src, p)
}

// pulled: see isPulled.
func (p *doOnNextPublisher[T]) pulled() bool { return isPulled(p.src) }

func (p *doOnNextPublisher[T]) behind(src reactor.Publisher[T]) reactor.Publisher[T] {
	return &doOnNextPublisher[T]{src: src, fn: p.fn}
}
