package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// FromChan emits what is received from ch and completes when ch is closed.
//
//	      FromChan(ch)
//	out:  a - b - c |
//
// An element is received only when there is demand for it, so ch keeps its own
// back-pressure; the close of ch is noticed when one more element is requested. Where
// several subscribers receive from the same channel, each element goes to one of them.
// Elements are emitted on one goroutine per subscription, which starts with the first
// request and ends with the stream or its cancellation.
func FromChan[T any](ch <-chan T) reactor.Publisher[T] {
	argument.NotNil("fromChan", "channel", ch)
	return &chanPublisher[T]{ch: ch}
}

// MonoFromChan emits the first element received from ch, or completes empty if ch is
// closed before an element comes. See [FromChan] for the rest.
//
//	      MonoFromChan(ch)
//	out:  a |
func MonoFromChan[T any](ch <-chan T) reactor.Publisher[T] {
	argument.NotNil("fromChan", "channel", ch)
	return &chanPublisher[T]{ch: ch, single: true}
}

type chanPublisher[T any] struct {
	protocol.Op
	ch     <-chan T
	single bool
}

func (p *chanPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &chanSubscription[T]{
		ctx: ctx, down: protocol.Strict(ctx, s), ch: p.ch, single: p.single,
		wake: make(chan struct{}, 1),
		stop: make(chan struct{}),
	}
	sub.PushDown = protocol.Push(sub.down)
	sub.down.OnSubscribe(sub)
}

type chanSubscription[T any] struct {
	protocol.LoopSender[T] // emitting goroutine
	ctx                    context.Context
	down                   reactor.Subscriber[T]
	ch                     <-chan T
	single                 bool          // complete after the first element
	wake                   chan struct{} // holds a token when demand came up while there was none
	stop                   chan struct{} // closed by the first Cancel
	demand                 atomic.Int64
	started                atomic.Bool // the goroutine exists or has existed
	cancelled              atomic.Bool
	gone                   atomic.Bool      // the goroutine has sent all that it sends
	lodging                protocol.Lodging // of who is below
}

func (s *chanSubscription[T]) Request(n int64) {
	if demand.Add(&s.demand, n) != 0 || s.cancelled.Load() {
		return
	}
	chaos.Yield()
	if !s.started.Swap(true) {
		go s.run()
		return
	}
	select {
	case s.wake <- struct{}{}:
	default: // a token that has not been taken serves as well
	}
}

func (s *chanSubscription[T]) Cancel() {
	if !s.cancelled.Swap(true) {
		close(s.stop)
	}
}

// Host returns the subscription: one goroutine sends all elements.
func (s *chanSubscription[T]) Host() protocol.Host { return s }

// Lodged implements protocol.Host.
func (s *chanSubscription[T]) Lodged() {}

// Tell implements protocol.Host: the goroutine delivers the end, if there is one.
func (s *chanSubscription[T]) Tell(h *protocol.Half) {
	s.lodging.Keep(h)
	chaos.Yield()
	if !s.started.Swap(true) || s.gone.Load() {
		s.lodging.Settle()
	}
}

// leave is the last that the goroutine does.
func (s *chanSubscription[T]) leave() {
	s.gone.Store(true)
	chaos.Yield()
	s.lodging.Settle()
}

// run is the goroutine.
func (s *chanSubscription[T]) run() {
	defer s.leave()
	clean := false
	defer func() {
		if clean {
			return
		}
		err := failure.Recovered(recover())
		s.cancelled.Store(true)
		// An empty hand: OnComplete crashed. Who has dealt with a Goexit of that has its end.
		s.InFlight.Crash(s.ctx, s.down, !s.InFlight.Full() && failure.IsReported(err), err)
	}()
	for !s.over(s.demand.Load()) {
		select {
		case <-s.wake:
		case <-s.stop:
		}
	}
	clean = true
}

// over emits n elements, and as many as are requested meanwhile; it reports
// whether the stream has ended.
func (s *chanSubscription[T]) over(n int64) bool {
	for n > 0 && !s.cancelled.Load() { // and between elements, so that none is taken which nobody wants
		for range n {
			v, ok := s.receive()
			if s.cancelled.Load() {
				if ok {
					reactor.Discard(s.ctx, v)
				}
				return true
			}
			if ok {
				s.InFlight.Send(s.PushDown, v)
				if s.cancelled.Load() {
					return true
				}
			}
			if !ok || s.single {
				s.down.OnComplete()
				return true
			}
		}
		chaos.Yield()
		n = demand.Produced(&s.demand, n)
		if s.demand.Load() == reactor.Unbounded {
			n = reactor.Unbounded
		}
	}
	return s.cancelled.Load()
}

// receive waits for an element; false means that the channel is closed or that
// the stream was cancelled.
func (s *chanSubscription[T]) receive() (v T, ok bool) {
	select {
	case v, ok = <-s.ch: // a select with one case is cheaper than the one below
		return v, ok
	default:
	}
	select {
	case v, ok = <-s.ch:
	case <-s.stop:
	}
	return v, ok
}
