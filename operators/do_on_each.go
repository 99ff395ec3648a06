package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// DoOnEach calls fn with every element and with the end, as signals, before downstream
// gets them, and with the context of the subscription.
//
//	src:  1 --- 2 |
//	      DoOnEach(fn)
//	out:  1 --- 2 |          fn(next 1), fn(next 2), fn(complete)
//
// Demand passes through. A panic of fn on an element cancels src and ends the stream; a
// panic on completion becomes the error of the stream; a panic on an error replaces
// that error, which stays attached. fn runs on the goroutine of src.
func DoOnEach[T any](src reactor.Publisher[T], fn func(context.Context, reactor.Signal[T])) reactor.Publisher[T] {
	argument.Given("doOnEach", "callback", fn != nil)
	return &doOnEachPublisher[T]{src: protocol.Trust("doOnEach", src), fn: fn}
}

// MonoDoOnEach is [DoOnEach] for a source of at most one element: the signal of
// completion comes together with that of the element.
//
//	src:  --- 1 |
//	      MonoDoOnEach(fn)
//	out:  --- 1 |          fn(next 1), fn(complete) at 1
func MonoDoOnEach[T any](src reactor.Publisher[T], fn func(context.Context, reactor.Signal[T])) reactor.Publisher[T] {
	argument.Given("doOnEach", "callback", fn != nil)
	return &doOnEachPublisher[T]{src: protocol.Trust("doOnEach", src), fn: fn, single: true}
}

type doOnEachPublisher[T any] struct {
	protocol.Op
	src    reactor.Publisher[T]
	fn     func(context.Context, reactor.Signal[T])
	single bool
}

func (p *doOnEachPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, &doOnEachSubscriber[T]{ctx: ctx, down: protocol.Strict(ctx, s), fn: p.fn, single: p.single})
}

type doOnEachSubscriber[T any] struct {
	protocol.Inner
	ctx    context.Context
	down   reactor.Subscriber[T]
	fn     func(context.Context, reactor.Signal[T])
	single bool
	ended  bool             // the end was announced already; signals of upstream only
	call   protocol.Calling // inside down.OnNext; signals of upstream only
}

func (s *doOnEachSubscriber[T]) OnSubscribe(up reactor.Subscription) { s.down.OnSubscribe(up) }

func (s *doOnEachSubscriber[T]) OnNext(v T) {
	s.tell(v)
	s.call.Deliver(s.down, v)
}

// Push implements protocol.Pusher.
func (s *doOnEachSubscriber[T]) Push() func(T) {
	next := protocol.Push(s.down)
	return func(v T) {
		s.tell(v)
		s.call.Next(next, v)
	}
}

// tell calls the callback with an element.
func (s *doOnEachSubscriber[T]) tell(v T) {
	s.fn(s.ctx, reactor.NextSignal(v))
	if s.single {
		s.fn(s.ctx, reactor.CompleteSignal[T]())
		s.ended = true
	}
}

func (s *doOnEachSubscriber[T]) OnError(err error) {
	if !s.call.Active() {
		s.fail(err)
		return
	}
	s.down.OnError(err)
}

func (s *doOnEachSubscriber[T]) OnComplete() {
	if !s.ended && !failure.Guard(
		func() { s.fn(s.ctx, reactor.CompleteSignal[T]()) },
		func(err error) { s.fail(reactor.OperatorError(s.ctx, err, nil)) },
	) {
		return
	}
	s.down.OnComplete()
}

func (s *doOnEachSubscriber[T]) fail(err error) {
	if !s.ended && !failure.Guard(
		func() { s.fn(s.ctx, reactor.ErrorSignal[T](err)) },
		func(second error) {
			s.down.OnError(failure.Both(reactor.OperatorError(s.ctx, second, nil), err))
		},
	) {
		return
	}
	s.down.OnError(err)
}
