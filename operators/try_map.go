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
	src, computable := trusted("tryMap", src)
	if computable {
		return &tryMapDirect[T, R]{tryMapPublisher: tryMapPublisher[T, R]{src: src, fn: fn}}
	}
	return &tryMapPublisher[T, R]{src: src, fn: fn}
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

// tryMapDirect is tryMap behind a source that can be computed.
type tryMapDirect[T, R any] struct {
	direct.Mark
	tryMapPublisher[T, R]
}

// callOn implements calledOnRequest.
func (p *tryMapDirect[T, R]) callOn(scheduler schedulers.Scheduler, ctx context.Context, down reactor.Subscriber[R]) {
	elementwise.Choose(ctx, elementwise.Ends, &p.tryMapPublisher, SubscribeOn(p.src, scheduler), down)
}

// Waits reports whether its source does: see direct.Mark.
func (p *tryMapDirect[T, R]) Waits() bool { return mayWait(p.src) }

// Direct implements direct.Source.
func (p *tryMapDirect[T, R]) Direct(ctx context.Context) (r R, ok bool, err error) {
	v, ok, err := computed(ctx, p.src)
	if !ok || err != nil {
		return r, false, err
	}
	done := false
	defer func() {
		if !done {
			abandon(ctx, v)
		}
	}()
	if r, ok, err = p.Apply(v); err != nil {
		return *new(R), false, err
	}
	done = true
	return r, ok, nil
}
