package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/resubscribe"
)

// DefaultIfEmpty emits v if src completes without an element.
//
//	src:  ------- |
//	      DefaultIfEmpty(9)
//	out:  ------- 9 |
//
// Demand passes through; v waits for demand if there was none. Errors and cancellation
// pass. v is emitted on the goroutine on which src completed, or on the one that requests.
// Each subscription that does not need v discards it: because an element comes, or because
// the subscription is cancelled.
func DefaultIfEmpty[T any](src reactor.Publisher[T], v T) reactor.Publisher[T] {
	return &defaultIfEmptyPublisher[T]{src: protocol.Trust("defaultIfEmpty", src), value: v}
}

type defaultIfEmptyPublisher[T any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	value T
}

func (p *defaultIfEmptyPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, &defaultIfEmptySubscriber[T]{ctx: ctx, down: protocol.Strict(ctx, s), value: p.value})
}

// Computable reports whether its source is: see [direct.Is].
func (p *defaultIfEmptyPublisher[T]) Computable() direct.Way { return whole(isComputable(p.src)) }

// Direct implements direct.Source.
func (p *defaultIfEmptyPublisher[T]) Direct(ctx context.Context) (v T, ok bool, err error) {
	switch v, ok, err = computed(ctx, p.src); {
	case err != nil:
		return v, false, passed[T, T](err, p)
	case ok:
		reactor.Discard(ctx, p.value)
		return v, true, nil
	}
	return p.value, true, nil
}

func (p *defaultIfEmptyPublisher[T]) behind(src reactor.Publisher[T]) reactor.Publisher[T] {
	return &defaultIfEmptyPublisher[T]{src: src, value: p.value}
}

type defaultIfEmptySubscriber[T any] struct {
	protocol.Inner
	sources resubscribe.Succession // src and the value behind it
	ctx     context.Context
	down    reactor.Subscriber[T]
	up      reactor.Subscription // set by OnSubscribe
	value   T
	next    func(T)     // hands elements to down; taken by the signals of upstream when they need it
	settled bool        // an element has come; touched by the signals of upstream only
	spent   atomic.Bool // the value was emitted or discarded
}

func (s *defaultIfEmptySubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.sources.Set(up)
	s.down.OnSubscribe(s)
}

func (s *defaultIfEmptySubscriber[T]) OnNext(v T) {
	if !s.settled {
		s.settled = true
		s.discard()
	}
	if s.next == nil {
		s.next = protocol.Push(s.down)
	}
	if !s.sources.Send(s.next, v) {
		reactor.Discard(s.ctx, v)
	}
}

// Push implements protocol.Pusher.
func (s *defaultIfEmptySubscriber[T]) Push() func(T) {
	if !s.sources.Straight() {
		return s.OnNext
	}
	next := s.sources.Push(s.down)
	return func(v T) {
		if !s.settled {
			s.settled = true
			s.discard()
		}
		next(v)
	}
}

func (s *defaultIfEmptySubscriber[T]) OnError(err error) { s.down.OnError(err) }

func (s *defaultIfEmptySubscriber[T]) OnComplete() {
	if s.settled {
		s.down.OnComplete()
		return
	}
	if s.sources.Next(0) {
		s.sources.Set(&fallbackValue[T]{ctx: s.ctx, down: s, value: s.value, ended: s.up, spent: &s.spent})
	}
}

// Attach passes h on to what tells of runs.
func (s *defaultIfEmptySubscriber[T]) Attach(h *protocol.Half) bool { return s.sources.Attach(h) }

func (s *defaultIfEmptySubscriber[T]) Request(n int64) { s.sources.Request(n) }

func (s *defaultIfEmptySubscriber[T]) Cancel() {
	s.discard()
	s.sources.Cancel()
}

// discard gives the value up.
func (s *defaultIfEmptySubscriber[T]) discard() {
	if !s.spent.Swap(true) {
		reactor.Discard(s.ctx, s.value)
	}
}
