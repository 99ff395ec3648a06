package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// DelayUntil holds each element back until the publisher that fn returns for it
// completes. The next element's publisher is subscribed after that.
//
//	src:   1 - 2 - 3 |
//	       DelayUntil(v => done after 4 steps)
//	out:   ---- 1 ---- 2 ---- 3 |
//
// It asks src for one element at a time, the first when something is requested, the
// next when one was delivered. An error of src or of one of the publishers cuts in
// at once and discards what waits, but an element that came before it and need not wait is
// delivered; so does a panic of fn. Elements of the
// publishers are discarded. Cancelling cancels everything. An element goes down on
// the goroutine on which its publisher completes, or which requests; fn runs on the
// one of src.
func DelayUntil[T, U any](src reactor.Publisher[T], fn func(T) reactor.Publisher[U]) reactor.Publisher[T] {
	protocol.NotNil("delayUntil", "function", fn)
	return &delayUntilPublisher[T]{
		src:  protocol.Trust("delayUntil", src),
		each: func(v T) trigger { return onCompletion(protocol.Trust("delayUntil", fn(v))) },
	}
}

// DelayElements holds each element back for d, counted from the moment when the
// one before was delivered.
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
	down := protocol.Strict(ctx, sub)
	p.src.Subscribe(ctx, &delayUntilSubscriber[T]{
		ctx:     ctx,
		down:    down,
		push:    protocol.Push(down),
		discard: reactor.DiscardHookFor[T](ctx),
		each:    p.each,
		tick:    p.tick,
	})
}

type delayUntilSubscriber[T any] struct {
	protocol.Inner
	ctx     context.Context
	down    reactor.Subscriber[T]
	push    func(T)              // hands elements to down
	discard func(any)            // nil if nobody wants what is discarded
	up      reactor.Subscription // set by OnSubscribe
	each    triggerFor[T]
	tick    bool

	next      T           // written by upstream's signals while arrived is false, taken by the owner of drain while it is true
	arrived   atomic.Bool // next holds an element
	asked     atomic.Bool // upstream was asked for the first element
	done      atomic.Bool // upstream has completed
	upEnded   atomic.Bool // upstream has failed
	demand    atomic.Int64
	cancelled atomic.Bool
	failures  protocol.Failures
	wait      protocol.Handle
	ready     atomic.Int64 // number of the latest trigger that has gone off
	drain     protocol.Drain

	// What follows belongs to the owner of drain.
	over bool             // terminal signal sent, failed downstream, or cancelled
	hand protocol.Hand[T] // the element whose turn it is
	turn int64            // number of the element whose turn it is, or was last
}

func (s *delayUntilSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *delayUntilSubscriber[T]) OnNext(v T) {
	if s.done.Load() || s.arrived.Load() {
		reactor.DropNext(s.ctx, v) // more than it was asked for
		return
	}
	if s.cancelled.Load() {
		s.drop(v)
		return
	}
	s.next = v
	s.arrived.Store(true)
	s.drain.Run(s)
}

func (s *delayUntilSubscriber[T]) OnError(err error) {
	s.upEnded.Store(true)
	s.fail(err)
}

func (s *delayUntilSubscriber[T]) OnComplete() {
	s.done.Store(true)
	s.drain.Run(s)
}

// Request adds to the demand of downstream.
func (s *delayUntilSubscriber[T]) Request(n int64) {
	protocol.AddDemand(&s.demand, n)
	if !s.asked.Load() && !s.asked.Swap(true) {
		s.up.Request(1)
	}
	s.drain.Run(s)
}

// Cancel stops upstream and the current trigger, and discards what waits.
func (s *delayUntilSubscriber[T]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	s.wait.Dispose()
	s.up.Cancel()
	s.drain.Run(s)
}

func (s *delayUntilSubscriber[T]) fired(id int64) {
	if s.tick && s.discard != nil {
		s.discard(int64(0))
	}
	s.ready.Store(id)
	s.drain.Run(s)
}

func (s *delayUntilSubscriber[T]) failed(_ int64, err error) { s.fail(err) }

// fail ends the stream as soon as an element that is on its way has been taken, and
// delivered if it need not wait.
func (s *delayUntilSubscriber[T]) fail(err error) {
	if s.cancelled.Load() || !s.failures.Add(err) {
		reactor.DropError(s.ctx, err)
		return
	}
	s.drain.Run(s)
}

// DrainPass moves on from element to element, as far as that goes without waiting; then it
// is the turn of an end.
func (s *delayUntilSubscriber[T]) DrainPass() {
	for {
		if s.over || s.cancelled.Load() {
			s.release()
			return
		}
		// Read before the element: that comes before the end.
		failed, done := s.failures.Any(), s.done.Load()
		switch {
		case !s.hand.Full() && s.take():
			s.turn++
			s.each(s.hand.Item())(s.ctx, s, s.turn, &s.wait)
		case s.hand.Full() && s.ready.Load() == s.turn && s.demand.Load() != 0:
			s.push(s.hand.Item())
			s.hand.LetGo()
			protocol.Produced(&s.demand, 1)
			if !s.done.Load() && !s.upEnded.Load() && !s.cancelled.Load() {
				s.up.Request(1)
			}
		case failed || done && !s.hand.Full():
			s.finish()
			return
		default:
			return
		}
	}
}

// take makes the element that has arrived, if any, the one in hand.
func (s *delayUntilSubscriber[T]) take() bool {
	if !s.arrived.Load() {
		return false
	}
	s.hand.Hold(s.next)
	s.next = *new(T)
	s.arrived.Store(false)
	return true
}

// finish ends the stream with its terminal signal.
func (s *delayUntilSubscriber[T]) finish() {
	err := s.failures.Terminate()
	if err != nil {
		if !s.upEnded.Load() { // §2.3
			s.up.Cancel()
		}
		s.wait.Dispose()
	}
	s.release()
	protocol.Finish(s.down, err)
}

// DrainCrashed ends the stream because the function or downstream failed.
func (s *delayUntilSubscriber[T]) DrainCrashed(err error) {
	over, hand := s.over, s.hand
	s.hand.LetGo()
	s.cancelled.Store(true)
	s.up.Cancel()
	s.wait.Dispose()
	s.release()
	hand.Crash(s.ctx, s.down, over, err)
}

// release ends the stage and discards what waits.
func (s *delayUntilSubscriber[T]) release() {
	s.over = true
	for ok := s.hand.Full() || s.take(); ok; ok = s.take() {
		v := s.hand.Item()
		s.hand.LetGo()
		s.drop(v)
	}
}

func (s *delayUntilSubscriber[T]) drop(v T) {
	if s.discard != nil {
		s.discard(v)
	}
}
