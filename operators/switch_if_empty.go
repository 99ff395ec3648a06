package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/resubscribe"
)

// SwitchIfEmpty emits what other sends if src completes without an element.
//
//	src:    ------- |
//	other:            3 --- 4 |
//	        SwitchIfEmpty(other)
//	out:    --------- 3 --- 4 |
//
// All demand is asked of src, and then of other. Errors of both pass. Cancellation
// reaches whichever is subscribed; after a cancellation other is not subscribed. other
// is subscribed on the goroutine on which src completed.
func SwitchIfEmpty[T any](src, other reactor.Publisher[T]) reactor.Publisher[T] {
	return &switchIfEmptyPublisher[T]{
		src:   protocol.Trust("switchIfEmpty", src),
		other: protocol.Trust("switchIfEmpty", other),
	}
}

type switchIfEmptyPublisher[T any] struct {
	protocol.Op
	src, other reactor.Publisher[T]
}

func (p *switchIfEmptyPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &switchIfEmptySubscriber[T]{ctx: ctx, down: protocol.Strict(ctx, s), other: p.other}
	defer p.src.Subscribe(ctx, sub) // also if downstream ends the goroutine
	sub.down.OnSubscribe(&sub.sources)
}

// Computable reports whether its source is: see [direct.Is].
func (p *switchIfEmptyPublisher[T]) Computable() direct.Way { return wayOf(p.src) }

// Direct implements direct.Source.
func (p *switchIfEmptyPublisher[T]) Direct(ctx context.Context) (v T, ok bool, err error) {
	if v, ok, err = computed(ctx, p.src); ok || err != nil {
		return v, ok, passed[T, T](err, p)
	}
	return second(ctx, p.other)
}

func (p *switchIfEmptyPublisher[T]) behind(src reactor.Publisher[T]) reactor.Publisher[T] {
	return &switchIfEmptyPublisher[T]{src: src, other: p.other}
}

// switchIfEmptySubscriber serves both publishers. It counts no elements: nothing
// was delivered when the swap comes, and after it there is none.
type switchIfEmptySubscriber[T any] struct {
	protocol.Inner
	sources resubscribe.Succession
	ctx     context.Context
	down    reactor.Subscriber[T]
	next    func(T) // hands elements to down; taken by the signals of upstream when they need it
	other   reactor.Publisher[T]
	settled bool // an element came, or other is subscribed; touched by the signals of upstream only
}

func (s *switchIfEmptySubscriber[T]) OnSubscribe(up reactor.Subscription) { s.sources.Set(up) }

func (s *switchIfEmptySubscriber[T]) OnNext(v T) {
	s.settled = true
	if s.next == nil {
		s.next = protocol.Push(s.down)
	}
	if !s.sources.Send(s.next, v) {
		reactor.Discard(s.ctx, v)
	}
}

// Push implements protocol.Pusher.
func (s *switchIfEmptySubscriber[T]) Push() func(T) {
	if !s.sources.Straight() {
		return s.OnNext
	}
	next := s.sources.Push(s.down)
	return func(v T) {
		s.settled = true
		next(v)
	}
}

func (s *switchIfEmptySubscriber[T]) OnError(err error) { s.down.OnError(err) }

func (s *switchIfEmptySubscriber[T]) OnComplete() {
	if s.settled {
		s.down.OnComplete()
		return
	}
	s.settled = true
	if s.sources.Next(0) {
		s.other.Subscribe(s.ctx, s)
	}
}
