package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// Timeout fails with reactor.ErrTimeout when the first element, or the next element after
// one, has not come within d.
//
//	src:  1 -- 2 ----------- 3 |
//	      Timeout(5 steps)
//	out:  1 -- 2 ---- #
//
// The time starts when downstream has its subscription, before anything is requested of
// src, and starts again when downstream has taken an element. So the limit also holds for
// a src that works on the goroutine that requests, as [FromFunc] does: the context of its
// function ends. Demand passes through; a subscriber that requests too late causes a
// timeout as well. A timeout cancels src. A duration ≤ 0 panics. Timers are those of
// schedulers.Parallel() unless [On] names another scheduler; if they are refused, the
// stream fails with reactor.ErrRejected. The failure comes on the goroutine of the timer,
// elements on that of src.
func Timeout[T any](src reactor.Publisher[T], d time.Duration, opts ...SchedulerOption) reactor.Publisher[T] {
	return TimeoutFallback(src, d, nil, opts...)
}

// TimeoutFallback is [Timeout], but goes on with fallback instead of failing. The
// demand that src left open is asked of fallback. With a nil fallback the stream fails
// with reactor.ErrTimeout.
func TimeoutFallback[T any](src reactor.Publisher[T], d time.Duration, fallback reactor.Publisher[T], opts ...SchedulerOption) reactor.Publisher[T] {
	argument.Positive("timeout", "duration", d)
	t := afterDelay("timeout", d, timerOf("timeout", opts))
	p := newTimeout(src, t, fallback)
	p.each = func(T) trigger { return t }
	p.after = d
	p.timer = timerOf("timeout", opts)
	return p
}

// TimeoutFirst fails with reactor.ErrTimeout when first emits or completes before
// the first element of src has come. There is no limit for later elements.
//
// first is subscribed after src has been asked for elements: so a src that works on the
// goroutine that requests, such as [FromFunc], needs a [SubscribeOn]. An error of first
// ends the stream. See [Timeout] for the rest.
func TimeoutFirst[T, U any](src reactor.Publisher[T], first reactor.Publisher[U]) reactor.Publisher[T] {
	return TimeoutFirstFallback(src, first, nil)
}

// TimeoutFirstFallback is [TimeoutFirst], but goes on with fallback instead of failing.
// With a nil fallback the stream fails with reactor.ErrTimeout.
func TimeoutFirstFallback[T, U any](src reactor.Publisher[T], first reactor.Publisher[U], fallback reactor.Publisher[T]) reactor.Publisher[T] {
	return newTimeout(src, onSignal(protocol.Trust("timeout", first)), fallback)
}

// TimeoutWhen fails with reactor.ErrTimeout when first emits or completes before the
// first element of src has come, or when the publisher that each returns for an element
// does so before the next element has come.
//
// An error of one of these publishers, or a panic of each, ends the stream. See
// [Timeout] for the rest.
func TimeoutWhen[T, U, V any](src reactor.Publisher[T], first reactor.Publisher[U], each func(T) reactor.Publisher[V]) reactor.Publisher[T] {
	return TimeoutWhenFallback(src, first, each, nil)
}

// TimeoutWhenFallback is [TimeoutWhen], but goes on with fallback instead of failing.
// With a nil fallback the stream fails with reactor.ErrTimeout.
func TimeoutWhenFallback[T, U, V any](src reactor.Publisher[T], first reactor.Publisher[U], each func(T) reactor.Publisher[V], fallback reactor.Publisher[T]) reactor.Publisher[T] {
	argument.Given("timeout", "function", each != nil)
	p := newTimeout(src, onSignal(protocol.Trust("timeout", first)), fallback)
	p.each = func(v T) trigger { return onSignal(protocol.Trust("timeout", each(v))) }
	return p
}

// MonoTimeout is [Timeout] for a source of at most one element. When d is over, the
// stream goes on with fallback or, with a nil fallback, fails with reactor.ErrTimeout.
func MonoTimeout[T any](src reactor.Publisher[T], d time.Duration, fallback reactor.Publisher[T], opts ...SchedulerOption) reactor.Publisher[T] {
	argument.Positive("timeout", "duration", d)
	p := newTimeout(src, afterDelay("timeout", d, timerOf("timeout", opts)), fallback)
	p.after = d
	return p
}

func newTimeout[T any](src reactor.Publisher[T], first trigger, fallback reactor.Publisher[T]) *timeoutPublisher[T] {
	p := &timeoutPublisher[T]{src: protocol.Trust("timeout", src), timeoutLimits: timeoutLimits{first: first}}
	if fallback != nil {
		p.fallback = protocol.Trust("timeout", fallback)
	}
	return p
}

type timeoutPublisher[T any] struct {
	protocol.Op
	timeoutLimits
	src      reactor.Publisher[T]
	each     triggerFor[T]        // nil if only the first element has a limit
	fallback reactor.Publisher[T] // nil if none
}

// timeoutLimits is the part that does not depend on the type of the elements.
type timeoutLimits struct {
	first trigger
	after time.Duration        // for the error; 0 if the limit is a publisher
	timer schedulers.Scheduler // nil unless each element has the limit after
}

func (p *timeoutPublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s := &timeoutSubscriber[T]{from: p, to: protocol.Strict(ctx, sub)}
	s.stage.init(ctx, &p.timeoutLimits, s.to, s)
	p.src.Subscribe(ctx, s)
}

// timeoutSubscriber is the part that knows the type of the elements.
type timeoutSubscriber[T any] struct {
	protocol.Inner
	stage timeoutStage // a field, since methods that it would bring are compiled for each type of element
	from  *timeoutPublisher[T]
	to    reactor.Subscriber[T]
}

func (s *timeoutSubscriber[T]) OnSubscribe(up reactor.Subscription) { s.stage.OnSubscribe(up) }

// timeoutStage numbers the waits for an element. The signal that moves index on from a
// number has won: the element, the limit with that number, the end of src, or the
// cancellation. So signals never overlap: the next limit is started only when an
// element has been taken.
type timeoutStage struct {
	of    *timeoutLimits
	ctx   context.Context
	down  protocol.Signals
	self  interface{ fallBack(delivered int64) bool }
	link  protocol.Deferred // to src; with a time, demand waits here until the limit runs
	arb   protocol.Arbiter
	limit protocol.Handle
	lag   *slidingTimer    // starts the limits, nil if the publisher does
	index atomic.Int64     // number of elements delivered, timeoutOver once nobody waits any more
	call  protocol.Calling // in down.OnNext; touched by the signals of src only
}

const timeoutOver = -1

func (s *timeoutStage) init(ctx context.Context, of *timeoutLimits, down protocol.Signals, self interface{ fallBack(delivered int64) bool }) {
	s.ctx, s.of, s.down, s.self = ctx, of, down, self
	if canLag(of.timer) {
		s.lag = newSlidingTimer("timeout", ctx, of.timer, of.after, s, &s.index, &s.limit)
	}
}

// OnSubscribe starts the first limit before any demand goes up, if it is a time: src may
// be at work for long in Request. A publisher is subscribed after that, as Reactor does:
// it may end the wait at once.
func (s *timeoutStage) OnSubscribe(up reactor.Subscription) {
	s.arb.Set(&s.link)
	if s.of.after == 0 {
		s.link.Set(up)
	}
	defer s.begin(up) // also if downstream ends the goroutine
	s.down.OnSubscribe(s)
}

// begin starts the first limit, and lets demand go up if that is a time.
func (s *timeoutStage) begin(up reactor.Subscription) {
	if s.of.after != 0 {
		defer s.link.Set(up) // also if downstream ends the goroutine when it hears that there is no limit: up is cancelled then
	}
	switch {
	case s.index.Load() != 0:
	case s.lag != nil:
		s.lag.first()
	default:
		s.of.first(s.ctx, s, 0, &s.limit)
	}
}

func (s *timeoutSubscriber[T]) OnNext(v T) {
	t := &s.stage
	n := t.index.Load()
	if n == timeoutOver || !t.index.CompareAndSwap(n, n+1) {
		reactor.DropNext(t.ctx, v)
		return
	}
	if t.lag == nil {
		failure.Beside(t.ctx, v, func() { t.limit.Clear(n) })
	}
	t.call.Deliver(s.to, v)
	switch {
	case s.from.each == nil || t.index.Load() != n+1:
	case t.lag != nil:
		t.lag.next(n + 1)
	default:
		s.start(v, n+1)
	}
}

func (s *timeoutSubscriber[T]) OnError(err error) { s.stage.OnError(err) }

func (s *timeoutSubscriber[T]) OnComplete() { s.stage.OnComplete() }

// start starts the limit for the element after v.
func (s *timeoutSubscriber[T]) start(v T, id int64) {
	clean := false
	defer func() {
		if !clean {
			s.stage.unstarted(id, failure.Recovered(recover()), v)
		}
	}()
	s.from.each(v)(s.stage.ctx, &s.stage, id, &s.stage.limit)
	clean = true
}

// unstarted ends the stream because there is no limit for the element after v. That has been delivered: its failure
// is not the guard's that emitted it.
func (s *timeoutStage) unstarted(id int64, err error, v any) {
	s.failed(id, reactor.OperatorError(s.ctx, err, v))
}

func (s *timeoutStage) OnError(err error) {
	falling := s.call.Failed() // the failure of an element on its way down: it gets there after a cancellation, too
	if s.index.Swap(timeoutOver) == timeoutOver && !falling {
		reactor.DropError(s.ctx, err)
		return
	}
	defer s.down.OnError(err) // also if a function that hears of what follows ends the goroutine
	s.limit.Dispose()
}

func (s *timeoutStage) OnComplete() {
	if s.index.Swap(timeoutOver) != timeoutOver {
		defer s.down.OnComplete() // also if a function that hears of what follows ends the goroutine
		s.limit.Dispose()
	}
}

// Request passes demand on, to src or to fallback.
func (s *timeoutStage) Request(n int64) { s.arb.Request(n) }

// Cancel stops what runs, and the timer.
func (s *timeoutStage) Cancel() {
	s.index.Store(timeoutOver)
	defer s.arb.Cancel() // also if a function that hears of it ends the goroutine
	s.limit.Dispose()
}

// fired ends the wait for an element.
func (s *timeoutStage) fired(id int64) {
	if !s.index.CompareAndSwap(id, timeoutOver) {
		return
	}
	failure.InTurn(s.limit.Dispose, s.link.Cancel, func() { // either may end the goroutine
		if !s.self.fallBack(id) {
			s.down.OnError(reactor.TimeoutFailure("timeout", s.of.after))
		}
	})
}

// fallBack subscribes the fallback unless downstream has cancelled, and reports whether there is one.
func (s *timeoutSubscriber[T]) fallBack(delivered int64) bool {
	src := s.from.fallback
	if src != nil && s.stage.arb.Next(delivered) {
		src.Subscribe(s.stage.ctx, &timeoutFallback[T]{main: s})
	}
	return src != nil
}

// failed ends the stream because of its limit.
func (s *timeoutStage) failed(id int64, err error) {
	if !s.index.CompareAndSwap(id, timeoutOver) {
		reactor.DropError(s.ctx, err)
		return
	}
	failure.InTurn(s.limit.Dispose, s.link.Cancel, func() { s.down.OnError(err) })
}

// timeoutFallback passes on the signals of the fallback.
type timeoutFallback[T any] struct {
	protocol.Inner
	main *timeoutSubscriber[T]
}

func (s *timeoutFallback[T]) OnSubscribe(up reactor.Subscription) { s.main.stage.arb.Set(up) }

func (s *timeoutFallback[T]) OnNext(v T) { s.main.to.OnNext(v) }

// Push implements protocol.Pusher.
func (s *timeoutFallback[T]) Push() func(T) { return protocol.Push(s.main.to) }

func (s *timeoutFallback[T]) OnError(err error) { s.main.to.OnError(err) }

func (s *timeoutFallback[T]) OnComplete() {
	if !s.main.stage.arb.IsCancelled() {
		s.main.to.OnComplete()
	}
}
