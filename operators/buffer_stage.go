package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
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
	protocol.Sender[T]
	out      protocol.Outlet
	up       reactor.Subscription // set by OnSubscribe
	queue    queue.Queue[T]       // offered to by upstream, polled by the owner of out
	prefetch int64
	full     func(v T)        // called by upstream's signals when v finds no room; may end the stage with fail
	taken    func()           // called by upstream's signals after an element was queued; may be nil
	dropped  func(v T)        // called with what is queued at a cancellation, before it is discarded; may be nil
	released func()           // called by the owner of out when the stage is over; may be nil
	call     protocol.Calling // of upstream
	refill   demand.Refill    // owner of out
}

func (s *bufferStage[T]) init(ctx context.Context, down reactor.Subscriber[T], prefetch int64) {
	s.Attach(&s.out, ctx, down, s)
	s.prefetch, s.refill = prefetch, demand.NewRefill(prefetch)
}

func (s *bufferStage[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.out.Begin()
	up.Request(s.prefetch)
}

func (s *bufferStage[T]) OnNext(v T) {
	if s.out.Closed() {
		s.Late(&s.out, v)
		return
	}
	if s.out.TryEnter() {
		if s.out.Ready() && s.queue.IsEmpty() {
			s.call.Next(s.PushDown, v)
			s.delivered()
			s.out.Leave()
			return
		}
		if !s.queue.Offer(v) { // before the pass, which a Goexit may end
			failure.InTurn(s.out.Leave, func() { s.enqueue(v) })
			return
		}
		s.out.Leave()
		s.queued()
		return
	}
	s.enqueue(v)
}

// enqueue queues an element of upstream, or says that there is no room.
func (s *bufferStage[T]) enqueue(v T) {
	if s.queue.Offer(v) {
		s.queued()
	} else {
		s.full(v)
	}
}

// queued drains after an element of upstream was queued.
func (s *bufferStage[T]) queued() {
	if s.taken != nil {
		s.taken()
	}
	s.out.Run()
}

func (s *bufferStage[T]) OnError(err error) {
	if s.call.Failed() {
		s.out.Unwind(err)
		return
	}
	s.out.End(err)
}

func (s *bufferStage[T]) OnComplete() { s.out.End(nil) }

// fail ends the stage from within one of upstream's signals.
func (s *bufferStage[T]) fail(err error) {
	defer s.out.End(err) // also if a function that hears of it ends the goroutine
	s.up.Cancel()
}

// Flow implements protocol.Flow, as do the methods below: it delivers what there is demand for.
func (s *bufferStage[T]) Flow() {
	for s.out.Open() && s.out.Demand() > 0 {
		v, ok := s.queue.Poll()
		if !ok {
			return
		}
		s.InFlight.Send(s.PushDown, v)
		s.delivered()
	}
}

// delivered accounts for one element.
func (s *bufferStage[T]) delivered() {
	s.out.Produced(1)
	if n := s.refill.Consumed(1); n > 0 {
		s.up.Request(n)
	}
}

func (s *bufferStage[T]) Dry() bool { return s.queue.IsEmpty() }

func (s *bufferStage[T]) Stop() { s.up.Cancel() }

func (s *bufferStage[T]) Drop() {
	if s.released != nil {
		s.released()
	}
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		if s.dropped != nil {
			s.dropped(v)
		}
		s.Discard(v)
	}
}
