package buffered

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// Stage keeps what comes before there is demand for it. It asks upstream
// for as much as it is told to ahead of demand, and errors wait until everything
// else was delivered. limitRate and the variants of onBackpressureBuffer are
// made of it.
//
// An element that comes while there is demand and nothing is queued goes straight
// through.
type Stage[T any] struct {
	base
	protocol.Sender[T]
	Queue   queue.Queue[T] // offered to by upstream, polled by the owner of out
	Full    func(v T)      // called by upstream's signals when v finds no room; may end the stage with fail
	Dropped func(v T)      // called with what is queued at a cancellation, before it is discarded; may be nil
}

// base is the part of a [Stage] that has nothing to do with the type of its elements, so that it is compiled once.
type base struct {
	protocol.Inner
	Out      protocol.Outlet
	Up       reactor.Subscription // set by OnSubscribe
	prefetch int64
	Taken    func()           // called by upstream's signals after an element was queued; may be nil
	Released func()           // called by the owner of out, once, when the stage is over; may be nil
	call     protocol.Calling // an element of upstream is on its way down; touched by upstream's signals
	Refill   demand.Refill    // owner of out
}

func (s *Stage[T]) Init(ctx context.Context, down reactor.Subscriber[T], prefetch int64) {
	s.Attach(&s.Out, ctx, down, s)
	s.prefetch, s.Refill = prefetch, demand.NewRefill(prefetch)
}

func (b *base) OnSubscribe(up reactor.Subscription) {
	b.Up = up
	defer up.Request(b.prefetch) // also if downstream ends the goroutine
	b.Out.Begin()
}

func (s *Stage[T]) OnNext(v T) {
	if s.Out.Closed() {
		s.Late(&s.Out, v)
		return
	}
	if s.Out.TryEnter() {
		if s.Out.Ready() && s.Queue.IsEmpty() {
			s.call.Next(s.PushDown, v)
			n := produced(&s.base)
			s.Out.Leave()
			if n > 0 { // not before: a function that hears of it may end the goroutine
				s.Up.Request(n)
			}
			return
		}
		if s.Taken != nil {
			failure.InTurn(s.Out.Leave, func() { keep(s, v) })
			return
		}
		if !s.Queue.Offer(v) { // before the pass, which a Goexit may end
			failure.InTurn(s.Out.Leave, func() { enqueue(s, v) })
			return
		}
		s.Out.Leave()
		s.Out.Run()
		return
	}
	enqueue(s, v)
}

// enqueue queues an element of upstream, or calls Full if there is no room. It is a function, as are those below that implement no
// interface: a method is compiled twice for each type of element.
func enqueue[T any](s *Stage[T], v T) {
	switch {
	case s.Taken != nil:
		keep(s, v)
	case s.Queue.Offer(v):
		s.Out.Run()
	default:
		s.Full(v)
	}
}

// keep is enqueue where Taken is called for what was queued. The queue may call functions of the user with what makes room for v. If they
// end the goroutine, nobody is kept from the outlet, and v counts as queued.
func keep[T any](s *Stage[T], v T) {
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

func (b *base) OnError(err error) {
	if b.call.Failed() {
		b.Out.Unwind(err)
		return
	}
	b.Out.End(err)
}

func (b *base) OnComplete() { b.Out.End(nil) }

// Fail ends the stage from within one of upstream's signals.
func (b *base) Fail(err error) {
	defer b.Out.End(err) // also if a function that hears of it ends the goroutine
	b.Up.Cancel()
}

// Flow implements protocol.Flow, as do the methods below: it delivers what there is demand for.
func (s *Stage[T]) Flow() {
	for s.Out.Open() && s.Out.Demand() > 0 {
		v, ok := s.Queue.Poll()
		if !ok {
			return
		}
		s.InFlight.Send(s.PushDown, v)
		if n := produced(&s.base); n > 0 {
			s.Up.Request(n)
		}
	}
}

// produced accounts for an element that was delivered, and returns what is to be requested.
func produced(b *base) int64 {
	b.Out.Produced(1)
	return b.Refill.Consumed(1)
}

func (s *Stage[T]) Dry() bool { return s.Queue.IsEmpty() }

func (b *base) Stop() { b.Up.Cancel() }

func (s *Stage[T]) Drop() {
	ended := s.Out.Done() // before the look at the queue: an error that comes later has waited behind nothing
	defer s.Out.DropFailuresBehind(ended && !s.Queue.IsEmpty())
	if released := pending.Take(&s.Released); released != nil { // once: it may fail
		released()
	}
	for v, ok := s.Queue.Poll(); ok; v, ok = s.Queue.Poll() {
		drop(s, v)
	}
}

// drop gives up what was queued. If a function that is told ends the goroutine, the next pass goes on.
func drop[T any](s *Stage[T], v T) {
	if s.Dropped != nil {
		defer s.Discard(v)
		s.Dropped(v)
		return
	}
	s.Discard(v)
}
