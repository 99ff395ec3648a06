package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// bufferStage keeps what comes before there is demand for it. It asks upstream
// for as much as it is told to ahead of demand, and errors wait until everything
// else was delivered. limitRate and the variants of onBackpressureBuffer are
// made of it.
//
// An element that comes while there is demand and nothing is queued goes straight
// through.
type bufferStage[T any] struct {
	protocol.Inner
	ctx      context.Context
	down     reactor.Subscriber[T]
	push     func(T)              // hands elements to down
	discard  func(any)            // nil if nobody wants what is discarded
	up       reactor.Subscription // set by OnSubscribe
	queue    buffer[T]            // offered to by upstream, polled by the owner of drain
	prefetch int64
	eager    bool         // errors overtake what is queued
	full     func(v T)    // called by upstream's signals when v finds no room; may end the stage with fail
	taken    func()       // called by upstream's signals after an element was queued; may be nil
	dropped  func(v T)    // called with what is queued at a cancellation instead of the discard hook; may be nil
	released func()       // called once by the owner of drain, when the stage is over; may be nil
	calling  bool         // touched by upstream's signals: inside push, on the short way
	err      error        // written by upstream's signals before done
	done     atomic.Bool  // upstream has ended
	demand   atomic.Int64 // open demand of downstream

	cancelled atomic.Bool
	drain     protocol.Drain

	// What follows belongs to the owner of drain.
	over   bool // terminal signal sent, failed downstream, or cancelled
	refill protocol.Refill
	hand   protocol.Hand[T]
}

// buffer is what a bufferStage needs of its queue.
type buffer[T any] = interface {
	Offer(T) bool
	Poll() (T, bool)
	IsEmpty() bool
}

func (s *bufferStage[T]) init(ctx context.Context, down reactor.Subscriber[T], prefetch int64) {
	s.ctx, s.down, s.prefetch = ctx, down, prefetch
	s.push = protocol.Push(down)
	s.discard = reactor.DiscardHookFor[T](ctx)
	s.refill = protocol.NewRefill(prefetch)
}

func (s *bufferStage[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
	up.Request(s.prefetch)
}

func (s *bufferStage[T]) OnNext(v T) {
	if s.done.Load() {
		reactor.DropNext(s.ctx, v)
		return
	}
	if s.cancelled.Load() {
		discardTo(s.discard, v)
		return
	}
	if s.drain.TryEnter() {
		if s.demand.Load() > 0 && s.queue.IsEmpty() && !s.over {
			s.calling = true
			s.push(v)
			s.calling = false
			s.delivered()
			s.drain.Leave(s)
			return
		}
		s.drain.Leave(s)
	}
	if !s.queue.Offer(v) {
		s.full(v)
		return
	}
	if s.taken != nil {
		s.taken()
	}
	s.drain.Run(s)
}

func (s *bufferStage[T]) OnError(err error) {
	if s.calling {
		// The element on the short way failed downstream.
		s.calling = false
		s.cancelled.Store(true)
		s.release()
		s.down.OnError(err)
		s.drain.Leave(s)
		return
	}
	if s.done.Load() {
		reactor.DropError(s.ctx, err)
		return
	}
	s.err = err
	s.done.Store(true)
	s.drain.Run(s)
}

func (s *bufferStage[T]) OnComplete() {
	if !s.done.Load() {
		s.done.Store(true)
		s.drain.Run(s)
	}
}

// fail ends the stage from within one of upstream's signals.
func (s *bufferStage[T]) fail(err error) {
	s.up.Cancel()
	s.OnError(err)
}

// Request adds to the demand of downstream.
func (s *bufferStage[T]) Request(n int64) {
	protocol.AddDemand(&s.demand, n)
	s.drain.Run(s)
}

// Cancel stops upstream and discards what is queued.
func (s *bufferStage[T]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	s.up.Cancel()
	s.drain.Run(s)
}

// DrainPass delivers what there is demand for.
func (s *bufferStage[T]) DrainPass() {
	for !s.ended() && s.demand.Load() > 0 {
		v, ok := s.queue.Poll()
		if !ok {
			return
		}
		s.hand.Hold(v)
		s.push(v)
		s.hand.LetGo()
		s.delivered()
	}
}

// delivered accounts for one element.
func (s *bufferStage[T]) delivered() {
	if s.demand.Load() != reactor.Unbounded {
		protocol.Produced(&s.demand, 1)
	}
	if n := s.refill.Consumed(1); n > 0 {
		s.up.Request(n)
	}
}

// ended reports whether nothing more is to be delivered. It is what ends the
// stream: with the terminal signal, or because of a cancellation.
func (s *bufferStage[T]) ended() bool {
	if s.over || s.cancelled.Load() {
		s.release()
		return true
	}
	if !s.done.Load() || !s.queue.IsEmpty() && (!s.eager || s.err == nil) {
		return false
	}
	s.release()
	protocol.Finish(s.down, s.err)
	return true
}

// DrainCrashed ends the stream because downstream failed.
func (s *bufferStage[T]) DrainCrashed(err error) {
	over := s.over
	s.cancelled.Store(true)
	s.up.Cancel()
	s.release()
	s.hand.Crash(s.ctx, s.down, over, err)
}

// release ends the stage, the first time, and discards what is queued.
func (s *bufferStage[T]) release() {
	if !s.over && s.released != nil {
		s.released()
	}
	s.over = true
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		if s.dropped != nil {
			s.dropped(v)
		}
		discardTo(s.discard, v)
	}
}
