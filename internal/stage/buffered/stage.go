package buffered

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// Stage keeps what comes before there is demand for it. It asks upstream
// for as much as it is told to ahead of demand, and errors wait until everything
// else was delivered. limitRate and the variants of onBackpressureBuffer are
// made of it.
//
// An element that comes while there is demand and nothing is queued goes straight
// through.
type Stage[T any] struct {
	protocol.Inner
	protocol.Sender[T]
	Out      protocol.Outlet
	Up       reactor.Subscription // set by OnSubscribe
	Queue    queue.Queue[T]       // offered to by upstream, polled by the owner of out
	prefetch int64
	Full     func(v T)        // called by upstream's signals when v finds no room; may end the stage with fail
	Taken    func()           // called by upstream's signals after an element was queued; may be nil
	Dropped  func(v T)        // called with what is queued at a cancellation, before it is discarded; may be nil
	Released func()           // called by the owner of out when the stage is over; may be nil
	call     protocol.Calling // of upstream
	Refill   demand.Refill    // owner of out
}

func (s *Stage[T]) Init(ctx context.Context, down reactor.Subscriber[T], prefetch int64) {
	s.Attach(&s.Out, ctx, down, s)
	s.prefetch, s.Refill = prefetch, demand.NewRefill(prefetch)
}

func (s *Stage[T]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	defer up.Request(s.prefetch) // also if downstream ends the goroutine
	s.Out.Begin()
}

func (s *Stage[T]) OnNext(v T) {
	if s.Out.Closed() {
		s.Late(&s.Out, v)
		return
	}
	if s.Out.TryEnter() {
		if s.Out.Ready() && s.Queue.IsEmpty() {
			s.call.Next(s.PushDown, v)
			n := s.produced()
			s.Out.Leave()
			if n > 0 { // not before: a function that hears of it may end the goroutine
				s.Up.Request(n)
			}
			return
		}
		if s.Taken != nil {
			failure.InTurn(s.Out.Leave, func() { s.keep(v) })
			return
		}
		if !s.Queue.Offer(v) { // before the pass, which a Goexit may end
			failure.InTurn(s.Out.Leave, func() { s.enqueue(v) })
			return
		}
		s.Out.Leave()
		s.Out.Run()
		return
	}
	s.enqueue(v)
}

// enqueue queues an element of upstream, or says that there is no room.
func (s *Stage[T]) enqueue(v T) {
	switch {
	case s.Taken != nil:
		s.keep(v)
	case s.Queue.Offer(v):
		s.Out.Run()
	default:
		s.Full(v)
	}
}

// keep is enqueue for who hears of what was queued. The queue may tell functions of the user, which may end the goroutine, of what makes
// room: nothing is held meanwhile, and what has come is queued.
func (s *Stage[T]) keep(v T) {
	kept := true
	defer func() {
		if kept {
			s.Taken()
			s.Out.Run()
		}
	}()
	if kept = s.Queue.Offer(v); !kept {
		s.Full(v)
	}
}

func (s *Stage[T]) OnError(err error) {
	if s.call.Failed() {
		s.Out.Unwind(err)
		return
	}
	s.Out.End(err)
}

func (s *Stage[T]) OnComplete() { s.Out.End(nil) }

// Fail ends the stage from within one of upstream's signals.
func (s *Stage[T]) Fail(err error) {
	defer s.Out.End(err) // also if a function that hears of it ends the goroutine
	s.Up.Cancel()
}

// Flow implements protocol.Flow, as do the methods below: it delivers what there is demand for.
func (s *Stage[T]) Flow() {
	for s.Out.Open() && s.Out.Demand() > 0 {
		v, ok := s.Queue.Poll()
		if !ok {
			return
		}
		s.InFlight.Send(s.PushDown, v)
		s.delivered()
	}
}

// delivered accounts for one element.
func (s *Stage[T]) delivered() {
	if n := s.produced(); n > 0 {
		s.Up.Request(n)
	}
}

// produced is delivered, and returns what is to be requested.
func (s *Stage[T]) produced() int64 {
	s.Out.Produced(1)
	return s.Refill.Consumed(1)
}

func (s *Stage[T]) Dry() bool { return s.Queue.IsEmpty() }

func (s *Stage[T]) Stop() { s.Up.Cancel() }

func (s *Stage[T]) Drop() {
	ended := s.Out.Done() // before the look at the queue: an error that comes later has waited behind nothing
	defer s.Out.DropFailuresBehind(ended && !s.Queue.IsEmpty())
	if s.Released != nil {
		s.Released()
	}
	for v, ok := s.Queue.Poll(); ok; v, ok = s.Queue.Poll() {
		s.drop(v)
	}
}

// drop gives up what was queued. If a function that is told ends the goroutine, the next pass goes on.
func (s *Stage[T]) drop(v T) {
	if s.Dropped != nil {
		defer s.Discard(v)
		s.Dropped(v)
		return
	}
	s.Discard(v)
}
