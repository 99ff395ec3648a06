package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/resubscribe"
)

// OnErrorReturn replaces the failure of src by the element v and completes. With
// filters, errors that none of them accepts pass.
//
//	src:  1 --- 2 --- #
//	      OnErrorReturn(9)
//	out:  1 --- 2 --- 9 |
//
// Demand passes through; v waits for demand if src has used it up. Failures of stages
// downstream are not caught. v is sent on the goroutine on which src failed, or on the
// one that requests. All subscriptions share v, and it is discarded only where it fails
// on its way down.
func OnErrorReturn[T any](src reactor.Publisher[T], v T, when ...ErrorFilter) reactor.Publisher[T] {
	return &onErrorReturnPublisher[T]{
		src:   protocol.Trust("onErrorReturn", src),
		value: v,
		when:  anyFilter("onErrorReturn", when),
	}
}

type onErrorReturnPublisher[T any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	value T
	when  ErrorFilter
}

func (p *onErrorReturnPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	stage := &onErrorReturnStage[T]{p: p}
	stage.sub = resubscribe.New(ctx, s, stage)
	stage.Self = stage
	p.src.Subscribe(ctx, stage.sub)
}

// Computable reports whether its source is: see [direct.Is].
func (p *onErrorReturnPublisher[T]) Computable() direct.Way { return wayOf(p.src) }

// Direct implements direct.Source.
func (p *onErrorReturnPublisher[T]) Direct(ctx context.Context) (T, bool, error) {
	v, ok, failed, err := attempted(ctx, p.src)
	if failed == nil {
		return v, ok, passed[T, T](err, p)
	}
	if err = p.when.refusal(ctx, failed); err != nil {
		return v, false, err
	}
	if isGivenUp(ctx) { // by the filter
		return v, false, failed
	}
	return p.value, true, nil
}

func (p *onErrorReturnPublisher[T]) behind(src reactor.Publisher[T]) reactor.Publisher[T] {
	return &onErrorReturnPublisher[T]{src: src, value: p.value, when: p.when}
}

type onErrorReturnStage[T any] struct {
	resubscribe.Stage
	sub   *resubscribe.Subscriber[T]
	p     *onErrorReturnPublisher[T]
	up    reactor.Subscription // set by OnSubscribe
	spent atomic.Bool          // the value was emitted, or given up by a cancellation
}

func (s *onErrorReturnStage[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.Stage.OnSubscribe(up)
}

func (s *onErrorReturnStage[T]) OnError(err error) {
	if s.Call.Active() {
		s.Down.OnError(err)
		return
	}
	switch {
	case s.IsCancelled():
		belated.Drop(s.Ctx, err)
	case !s.p.when.accepts(s.Ctx, err, s.Down.OnError):
	case s.Next(s.Produced):
		s.Set(&fallbackValue[T]{ctx: s.Ctx, down: s.sub, value: s.p.value, ended: s.up, spent: &s.spent})
	default:
		belated.Drop(s.Ctx, err)
	}
}

func (s *onErrorReturnStage[T]) OnComplete() {
	if !s.IsCancelled() {
		s.Down.OnComplete()
	}
}
