package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
	"github.com/goreactor/reactor/schedulers"
)

// TryMap emits the result of fn(v) for every v.
//
//	src:  1 --- 2 --- x --- 4 |
//	      TryMap(strconv.Atoi)
//	out:  1 --- 2 --- #
//
// Demand passes through one for one. The first error of fn cancels src,
// discards v and becomes the end of the stream; so does a panic. fn runs on the
// goroutine of src.
func TryMap[T, R any](src reactor.Publisher[T], fn func(T) (R, error)) reactor.Publisher[R] {
	argument.Given("tryMap", "mapper", fn != nil)
	return &tryMapPublisher[T, R]{src: protocol.Trust("tryMap", src), fn: fn}
}

type tryMapPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) (R, error)
}

func (p *tryMapPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	elementwise.Choose(ctx, elementwise.Ends, p, p.src, s)
}

func (p *tryMapPublisher[T, R]) Apply(v T) (R, bool, error) {
	r, err := p.fn(v)
	return r, true, err
}

// callOn implements calledOnRequest.
func (p *tryMapPublisher[T, R]) callOn(scheduler schedulers.Scheduler, ctx context.Context, down reactor.Subscriber[R]) {
	elementwise.Choose(ctx, elementwise.Ends, p, &calledOn[T]{src: p.src, scheduler: scheduler}, down)
}

// callsOn implements calling.
func (p *tryMapPublisher[T, R]) callsOn() bool { return callsOnRequest(p.src) }

// Computable reports whether its source is: see [direct.Is].
func (p *tryMapPublisher[T, R]) Computable() direct.Way { return wayOf(p.src) }

// Direct implements direct.Source.
func (p *tryMapPublisher[T, R]) Direct(ctx context.Context) (R, bool, error) {
	return computeStage(ctx, elementwise.Ends, p.src, p)
}

// pulled: see isPulled.
func (p *tryMapPublisher[T, R]) pulled() bool { return isPulled(p.src) }

func (p *tryMapPublisher[T, R]) behind(src reactor.Publisher[T]) reactor.Publisher[R] {
	return &tryMapPublisher[T, R]{src: src, fn: p.fn}
}
