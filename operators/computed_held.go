package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/single"
)

// heldPublisher is the element of a stage that was computed up to that element, and a publisher
// that decides what becomes of it. It is subscribed to once, and subscribes to src in any case,
// also for a subscriber that has cancelled meanwhile: see monoFlatMapSecond.
type heldPublisher[T, U any] struct {
	protocol.Op
	value T
	src   reactor.Publisher[U]
	keep  func(U) bool // of the first element of src, which is cancelled then; nil: the element is for when src has completed
}

func (p *heldPublisher[T, U]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &heldSubscriber[T, U]{keep: p.keep, value: p.value}
	sub.held.Store(true)
	sub.Ctx, sub.Down = ctx, protocol.Strict(ctx, s)
	defer func() { // also if downstream ends the goroutine
		if p.keep != nil {
			defer sub.turn() // also if a function ends the goroutine
		}
		p.src.Subscribe(ctx, sub)
	}()
	sub.Down.OnSubscribe(sub)
}

type heldSubscriber[T, U any] struct {
	protocol.Inner
	single.Slot[T]
	keep  func(U) bool
	up    protocol.Deferred
	held  atomic.Bool // whoever resets it owns value
	value T
	done  bool // touched by the signals of src only
	kept  bool // the outcome: the element is sent; written before the turn of src, read after both
	err   error
	turns atomic.Int32 // with keep: of src, when the outcome is known, and of Subscribe, when it is over. The second one tells
}

func (s *heldSubscriber[T, U]) OnSubscribe(up reactor.Subscription) {
	if s.up.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (s *heldSubscriber[T, U]) OnNext(w U) {
	if s.done || s.keep == nil {
		new(pending.Unwanted[U]).Discard(s.Ctx, w)
		return
	}
	s.done = true
	s.kept = s.keep(w)
	defer s.turn() // also if a function that hears of what follows ends the goroutine
	s.up.Cancel()
}

func (s *heldSubscriber[T, U]) OnError(err error) {
	if s.done {
		reactor.DropError(s.Ctx, err)
		return
	}
	s.done, s.err = true, err
	s.turn()
}

func (s *heldSubscriber[T, U]) OnComplete() {
	if !s.done {
		s.done, s.kept = true, s.keep == nil
		s.turn()
	}
}

// turn sends the outcome, if it is known and may be sent.
func (s *heldSubscriber[T, U]) turn() {
	if s.keep == nil || s.turns.Add(1) == 2 {
		s.tell()
	}
}

func (s *heldSubscriber[T, U]) tell() {
	if s.kept && s.held.Swap(false) {
		s.Complete(pending.Take(&s.value))
		return
	}
	s.release()
	if s.err != nil {
		s.Fail(s.err)
	} else {
		s.Empty()
	}
}

func (s *heldSubscriber[T, U]) Cancel() {
	if s.CancelOnce() {
		defer s.release() // also if a function that hears of what follows ends the goroutine
		s.up.Cancel()
	}
}

// release discards the element if it waits.
func (s *heldSubscriber[T, U]) release() {
	if s.held.Swap(false) {
		reactor.Discard(s.Ctx, pending.Take(&s.value))
	}
}
