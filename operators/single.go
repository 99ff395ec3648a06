package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
)

// Single emits the element of src if there is exactly one. It fails with
// reactor.ErrNoElements if src is empty, and with reactor.ErrTooManyElements as soon as a
// second element comes.
//
//	src:  --- 1 ----- |
//	      Single()
//	out:  ----------- 1 |
//
// The first request asks src for everything. The element comes when src has completed, on the
// goroutine of src; a second element cancels src, and both elements are discarded. An error
// of src passes.
func Single[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return &singlePublisher[T]{src: protocol.Trust("single", src), empty: func(s *single.Slot[T]) {
		s.Fail(reactor.Failure("single", reactor.ErrNoElements, "the source completed empty"))
	}}
}

// SingleOrDefault is [Single], but emits v if src is empty; v waits for demand.
func SingleOrDefault[T any](src reactor.Publisher[T], v T) reactor.Publisher[T] {
	return &singlePublisher[T]{src: protocol.Trust("singleOrDefault", src), empty: func(s *single.Slot[T]) { s.Complete(v) }}
}

// SingleOrEmpty is [Single], but completes empty if src is empty.
func SingleOrEmpty[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return &singlePublisher[T]{src: protocol.Trust("singleOrEmpty", src), empty: func(s *single.Slot[T]) { s.Empty() }}
}

type singlePublisher[T any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	empty func(*single.Slot[T]) // how an empty source ends
}

func (p *singlePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &singleSubscriber[T]{empty: p.empty}
	sub.Ctx, sub.Down = ctx, protocol.Strict(ctx, s)
	p.src.Subscribe(ctx, sub)
}

type singleSubscriber[T any] struct {
	protocol.Inner
	single.Slot[T]
	up    reactor.Subscription // set by OnSubscribe
	empty func(*single.Slot[T])
	value T           // written before held, read by whoever takes held back
	held  atomic.Bool // the element waits for the end of src; whoever resets it owns value
	has   bool        // an element has come; touched by the signals of upstream only
	done  bool        // likewise
}

func (s *singleSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.Down.OnSubscribe(s)
}

func (s *singleSubscriber[T]) OnNext(v T) {
	switch {
	case s.done:
		reactor.DropNext(s.Ctx, v)
	case s.IsOver():
		reactor.Discard(s.Ctx, v)
	case s.has:
		s.done = true
		failure.InTurn(s.up.Cancel, func() { reactor.Discard(s.Ctx, v) }, s.release, func() {
			s.Fail(reactor.Failure("single", reactor.ErrTooManyElements, "the source sent a second element"))
		})
	default:
		s.value, s.has = v, true
		s.held.Store(true)
		if s.IsOver() {
			s.release()
		}
	}
}

func (s *singleSubscriber[T]) OnError(err error) {
	if s.done {
		reactor.DropError(s.Ctx, err)
		return
	}
	s.done = true
	s.release()
	s.Fail(err)
}

func (s *singleSubscriber[T]) OnComplete() {
	if s.done {
		return
	}
	s.done = true
	switch {
	case !s.has:
		s.empty(&s.Slot)
	case s.held.Swap(false):
		v := s.value
		s.value = *new(T)
		s.Complete(v)
	}
}

func (s *singleSubscriber[T]) Request(int64) {
	if s.Demand() {
		s.up.Request(reactor.Unbounded)
	}
}

func (s *singleSubscriber[T]) Cancel() {
	defer s.release() // also if a function that hears of it ends the goroutine
	defer s.up.Cancel()
	s.Slot.Cancel()
}

// release discards the element if it waits.
func (s *singleSubscriber[T]) release() {
	if s.held.Swap(false) {
		v := s.value
		s.value = *new(T)
		reactor.Discard(s.Ctx, v)
	}
}
