package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// DelayUntil holds each element back until the publisher that fn returns for it completes.
// The publisher of the next element is subscribed after that.
//
//	src:   1 - 2 - 3 |
//	       DelayUntil(v => done after 4 steps)
//	out:   ---- 1 ---- 2 ---- 3 |
//
// It asks src for one element at a time: the first when something is requested, the next
// when the element before was delivered. An error of src or of one of the publishers, or a
// panic of fn, ends the stream at once and discards what waits, but an element that came
// before it and need not wait is still delivered. Elements of the publishers are
// discarded. Cancelling cancels everything. An element goes down on the goroutine on which
// its publisher completes, or on the one that requests. fn runs on the goroutine of src;
// if src answers a request while the element before goes down, fn runs on the goroutine of
// that delivery.
func DelayUntil[T, U any](src reactor.Publisher[T], fn func(T) reactor.Publisher[U]) reactor.Publisher[T] {
	argument.Given("delayUntil", "function", fn != nil)
	return &delayUntilPublisher[T]{
		src:  protocol.Trust("delayUntil", src),
		each: func(v T) trigger { return onCompletion(protocol.Trust("delayUntil", fn(v))) },
	}
}

// DelayElements holds each element back for d, counted from the moment when the element
// before was delivered.
//
//	src:   1 - 2 - 3 |
//	       DelayElements(4 steps)
//	out:   ---- 1 ---- 2 ---- 3 |
//
// Demand and errors are as for [DelayUntil]; completion is not delayed. Elements
// come on schedulers.Parallel() unless [On] names another scheduler, or on the
// goroutine that requests. If the scheduler refuses a timer, the stream fails with
// reactor.ErrRejected.
func DelayElements[T any](src reactor.Publisher[T], d time.Duration, opts ...SchedulerOption) reactor.Publisher[T] {
	t := afterDelay("delayElements", d, timerOf("delayElements", opts))
	return &delayUntilPublisher[T]{
		src:  protocol.Trust("delayElements", src),
		each: func(T) trigger { return t },
		tick: true,
	}
}

type delayUntilPublisher[T any] struct {
	protocol.Op
	src  reactor.Publisher[T]
	each triggerFor[T]
	tick bool // the triggers are timers, of which each discards a 0, as [Delay] does
}

func (p *delayUntilPublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s := &delayUntilSubscriber[T]{each: p.each, tick: p.tick}
	s.Attach(&s.out, ctx, sub, s)
	s.out.DelayErrors = true
	p.src.Subscribe(ctx, s)
}

// delayUntilSubscriber is the subscriber of src. InFlight is the element whose turn it is.
type delayUntilSubscriber[T any] struct {
	protocol.Inner
	protocol.Sender[T]
	out  protocol.Outlet
	up   reactor.Subscription // set by OnSubscribe
	each triggerFor[T]
	tick bool

	next    T           // written by upstream's signals while arrived is false, taken by the owner of out while it is true
	arrived atomic.Bool // next holds an element
	asked   atomic.Bool // upstream was asked for the first element
	upEnded atomic.Bool // upstream has ended
	failing atomic.Bool // upstream, or a trigger, has failed
	wait    protocol.Handle
	ready   atomic.Int64 // number of the latest trigger that has gone off
	turn    int64        // number of the element whose turn it is, or was last; owner of out
}

func (s *delayUntilSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.out.BeginWith(s)
}

func (s *delayUntilSubscriber[T]) OnNext(v T) {
	if s.upEnded.Load() || s.arrived.Load() {
		reactor.DropNext(s.out.Context(), v) // more than it was asked for
		return
	}
	if s.out.Stopped() {
		s.Discard(v)
		return
	}
	s.next = v
	s.arrived.Store(true)
	s.out.Run()
}

func (s *delayUntilSubscriber[T]) OnError(err error) {
	s.upEnded.Store(true)
	s.failed(0, err)
}

func (s *delayUntilSubscriber[T]) OnComplete() {
	s.upEnded.Store(true)
	s.out.End(nil)
}

// Request adds to the demand of downstream.
func (s *delayUntilSubscriber[T]) Request(n int64) {
	s.out.AddDemand(n)
	if !s.asked.Load() && !s.asked.Swap(true) {
		s.up.Request(1)
	}
	s.out.Run()
}

// Cancel stops upstream and the current trigger, and discards what waits.
func (s *delayUntilSubscriber[T]) Cancel() { s.out.Cancel() }

func (s *delayUntilSubscriber[T]) fired(id int64) {
	if s.tick {
		s.Discard(int64(0))
	}
	s.ready.Store(id)
	s.out.Run()
}

// failed ends the stream as soon as an element that is on its way has been taken, and
// delivered if it need not wait.
func (s *delayUntilSubscriber[T]) failed(_ int64, err error) {
	if s.out.Refuse(err) {
		s.failing.Store(true)
		s.out.End(nil)
		s.out.Run() // also if upstream has completed before
	}
}

// Flow implements protocol.Flow, as do the three at the end: it moves on from element to
// element, as far as that goes without waiting.
func (s *delayUntilSubscriber[T]) Flow() {
	for s.out.Open() {
		switch {
		case !s.InFlight.Full() && s.take():
			s.turn++
			start := s.each(s.InFlight.Element())
			failure.Beside(s.out.Context(), s.InFlight.Element(), func() { start(s.out.Context(), s, s.turn, &s.wait) })
		case s.due():
			s.InFlight.SendHeld(s.PushDown)
			s.out.Produced(1)
			if !s.out.Closed() {
				s.up.Request(1)
			}
		default:
			return
		}
	}
}

// due reports whether the element whose turn it is can be sent.
func (s *delayUntilSubscriber[T]) due() bool {
	return s.InFlight.Full() && s.ready.Load() == s.turn && s.out.Demand() != 0
}

// take makes the element that has arrived, if any, the one in flight.
func (s *delayUntilSubscriber[T]) take() bool {
	if !s.arrived.Load() {
		return false
	}
	s.InFlight.Hold(s.next)
	s.next = *new(T)
	s.arrived.Store(false)
	return true
}

func (s *delayUntilSubscriber[T]) Dry() bool {
	if s.InFlight.Full() {
		return s.failing.Load() && !s.due()
	}
	return !s.arrived.Load()
}

func (s *delayUntilSubscriber[T]) Stop() {
	defer s.up.Cancel() // also if a function that hears of the first ends the goroutine
	s.wait.Dispose()
}

func (s *delayUntilSubscriber[T]) Drop() {
	defer s.out.DropFailures()
	if s.failing.Load() {
		// Deferred: a function that hears of a cancellation may end the goroutine.
		defer s.empty()
		defer s.wait.Dispose()
		if !s.upEnded.Load() { // §2.3
			s.up.Cancel()
		}
		return
	}
	s.empty()
}

// empty discards what waits.
func (s *delayUntilSubscriber[T]) empty() {
	for ok := s.InFlight.Full() || s.take(); ok; ok = s.take() {
		v := s.InFlight.Element()
		s.InFlight.Clear()
		s.Discard(v)
	}
}
