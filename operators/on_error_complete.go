package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
)

// OnErrorComplete completes instead of failing when src fails. With filters, errors
// that none of them accepts pass.
//
//	src:  1 --- 2 --- #
//	      OnErrorComplete()
//	out:  1 --- 2 --- |
//
// The error is reported to nobody. Demand and cancellation pass through. Failures of
// stages downstream are not caught.
func OnErrorComplete[T any](src reactor.Publisher[T], when ...ErrorFilter) reactor.Publisher[T] {
	return &onErrorCompletePublisher[T]{
		src:  protocol.Trust("onErrorComplete", src),
		when: anyFilter("onErrorComplete", when),
	}
}

type onErrorCompletePublisher[T any] struct {
	protocol.Op
	src  reactor.Publisher[T]
	when ErrorFilter
}

func (p *onErrorCompletePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, &onErrorCompleteSubscriber[T]{ctx: ctx, down: protocol.Strict(ctx, s), when: p.when})
}

// Computable reports whether its source is: see [direct.Is].
func (p *onErrorCompletePublisher[T]) Computable() direct.Way { return wayOf(p.src) }

// Direct implements direct.Source.
func (p *onErrorCompletePublisher[T]) Direct(ctx context.Context) (T, bool, error) {
	v, ok, failed, err := attempted(ctx, p.src)
	if failed == nil {
		return v, ok, passed[T, T](err, p)
	}
	return v, false, p.when.refusal(ctx, failed)
}

func (p *onErrorCompletePublisher[T]) behind(src reactor.Publisher[T]) reactor.Publisher[T] {
	return &onErrorCompletePublisher[T]{src: src, when: p.when}
}

type onErrorCompleteSubscriber[T any] struct {
	protocol.Inner
	ctx  context.Context
	down reactor.Subscriber[T]
	when ErrorFilter
	call protocol.Calling // inside down.OnNext; touched by the signals of upstream only
}

func (s *onErrorCompleteSubscriber[T]) OnSubscribe(up reactor.Subscription) { s.down.OnSubscribe(up) }

func (s *onErrorCompleteSubscriber[T]) OnNext(v T) {
	s.call.Deliver(s.down, v)
}

// Push implements protocol.Pusher.
func (s *onErrorCompleteSubscriber[T]) Push() func(T) {
	return s.call.Around(protocol.Push(s.down))
}

func (s *onErrorCompleteSubscriber[T]) OnError(err error) {
	if s.call.Active() {
		s.down.OnError(err)
		return
	}
	if s.when.accepts(s.ctx, err, s.down.OnError) {
		s.down.OnComplete()
	}
}

func (s *onErrorCompleteSubscriber[T]) OnComplete() { s.down.OnComplete() }
