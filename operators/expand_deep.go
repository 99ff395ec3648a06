package operators

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// ExpandDeep emits every element of src and, right after each emitted element, the elements
// of the publisher that fn returns for it, depth first.
//
//	src:  1 ----------- 2 |
//	      ExpandDeep(n => 10n, up to 100)
//	out:  1 - 10 - 100 - 2 - 20 |
//
// src is subscribed with the first request. src and the publishers of fn are asked for one
// element at a time, and fn is called when its element has been emitted; the next element of
// the same publisher is requested when everything below the current one is done. An error of
// src or of one of the publishers ends that publisher; an error of fn ends the publisher of
// the element concerned. The others go on, and the errors, joined if there are several, come
// at the end. A nil publisher is an error of fn. Cancellation goes to all publishers that
// have begun. Elements are emitted, and fn runs, on the goroutine of the publisher concerned
// or on the one that requests. The stack does not grow with the depth.
func ExpandDeep[T any](src reactor.Publisher[T], fn func(T) reactor.Publisher[T]) reactor.Publisher[T] {
	argument.Given("expandDeep", "expander", fn != nil)
	return &expandDeepPublisher[T]{src: protocol.Trust("expandDeep", src), fn: fn}
}

type expandDeepPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) reactor.Publisher[T]
}

func (p *expandDeepPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	e := &expandDeep[T]{p: p}
	e.out.InRuns = true
	e.Attach(&e.out, ctx, s, e)
	e.out.DelayErrors = true
	e.out.Begin()
}

// expandDeep takes elements from the publisher whose turn it is. Only that publisher
// may have an element: those below it wait to be asked again.
type expandDeep[T any] struct {
	protocol.Sender[T]
	p   *expandDeepPublisher[T]
	out protocol.Outlet

	turn atomic.Pointer[expandDeepTurn[T]] // nil until src is subscribed; written by the owner of out
}

// Flow implements protocol.Flow, as do the three at the end.
func (s *expandDeep[T]) Flow() {
	for s.out.Open() && s.step() {
	}
}

// step does one thing and reports whether there may be more to do.
func (s *expandDeep[T]) step() bool {
	t := s.turn.Load()
	if t == nil {
		s.begin(s.p.src, nil)
		return true
	}
	// In this order: the last element comes before the end.
	done := t.done.Load()
	chaos.Yield()
	switch full := t.full.Load(); {
	case full && s.out.Demand() > 0:
		s.emit(t)
		return true
	case full || !done:
		return false
	case t.below != nil:
		s.turn.Store(t.below)
		t.below.link.Request(1)
		return true
	}
	s.out.End(nil)
	return true
}

// begin subscribes to the publisher that is in turn now, in the place of below.
func (s *expandDeep[T]) begin(p reactor.Publisher[T], below *expandDeepTurn[T]) {
	t := &expandDeepTurn[T]{s: s, below: below}
	s.turn.Store(t)
	chaos.Yield()
	if s.out.Cancelled() {
		return // Stop may have looked before
	}
	p.Subscribe(s.out.Context(), t)
}

// emit sends the element of t and goes on with the publisher for it.
func (s *expandDeep[T]) emit(t *expandDeepTurn[T]) {
	v := t.take()
	if !s.out.Sending() {
		s.Discard(v)
		return
	}
	s.InFlight.Send(s.PushDown, v)
	s.out.Produced(1)
	if s.out.Stopped() {
		return
	}
	if p, ok := s.publisherFor(v, t); ok {
		s.begin(p, t)
	}
}

// publisherFor calls the expander for an element of t that was emitted and is not
// discarded any more.
func (s *expandDeep[T]) publisherFor(v T, t *expandDeepTurn[T]) (p reactor.Publisher[T], ok bool) {
	defer func() {
		if !ok {
			err := failure.Recovered(recover())
			s.out.Refuse(reactor.OperatorError(s.out.Context(), err, v))
			t.done.Store(true)
			s.out.Call.Begin()
			t.link.Cancel()
			s.out.Call.End()
		}
	}()
	p = protocol.Trust("expandDeep", s.p.fn(v))
	return p, true
}

// CallFailed does nothing: a function that hears of the cancellation of a publisher has ended the
// goroutine, and its caller has reported that. The other publishers go on.
func (s *expandDeep[T]) CallFailed(error) {}

// Dry reports true: the source counts as ended once everything has.
func (s *expandDeep[T]) Dry() bool { return true }

// Stop cancels the publishers that wait, the latest first, and then the one whose turn it is. The
// owner of out may be changing these publishers meanwhile: a publisher that begins meanwhile is not
// subscribed.
func (s *expandDeep[T]) Stop() {
	first := s.turn.Load()
	if first == nil {
		return
	}
	next := first.below
	failure.Persist(math.MaxInt, func(int) bool { // a function that hears of it may end the goroutine
		t := next
		if t == nil {
			first.link.Cancel()
			return false
		}
		next = t.below
		t.link.Cancel()
		return true
	})
}

// Drop discards the element that is left.
func (s *expandDeep[T]) Drop() {
	defer s.out.DropFailures()
	if t := s.turn.Load(); t != nil && t.full.Load() {
		s.Discard(t.take())
	}
}

// expandDeepTurn is subscribed to one of the publishers. It has room for one element.
type expandDeepTurn[T any] struct {
	protocol.Inner
	s     *expandDeep[T]
	below *expandDeepTurn[T] // the one that waits for this; nil for src
	link  protocol.Deferred
	value T           // written before full is set, taken by the owner of out
	full  atomic.Bool // there is a value
	done  atomic.Bool
}

func (t *expandDeepTurn[T]) OnSubscribe(up reactor.Subscription) {
	if t.link.Set(up) {
		t.link.Request(1)
	}
}

func (t *expandDeepTurn[T]) OnNext(v T) {
	switch {
	case t.link.IsCancelled():
		t.s.Discard(v)
		return
	case t.done.Load():
		reactor.DropNext(t.s.out.Context(), v)
		return
	case t.full.Load():
		t.overflow(v)
		return
	}
	t.value = v
	chaos.Yield()
	t.full.Store(true)
	t.s.out.Run()
}

// overflow fails the publisher because there is no room for v.
func (t *expandDeepTurn[T]) overflow(v T) {
	defer t.s.Discard(v) // also if what follows ends the goroutine
	failure.InTurn(t.link.Cancel, func() {
		t.OnError(reactor.OperatorError(t.s.out.Context(), reactor.Failure("expandDeep", reactor.ErrOverflow,
			"a publisher sent more than the one element it was asked for"), v))
	})
}

func (t *expandDeepTurn[T]) OnError(err error) {
	if t.done.Load() {
		reactor.DropError(t.s.out.Context(), err)
		return
	}
	if t.s.out.Refuse(err) {
		t.end()
	}
}

func (t *expandDeepTurn[T]) OnComplete() { t.end() }

func (t *expandDeepTurn[T]) end() {
	if !t.done.Swap(true) {
		t.s.out.Run()
	}
}

// take removes the element. Owner of the drain.
func (t *expandDeepTurn[T]) take() T {
	v := t.value
	t.value = *new(T)
	t.full.Store(false)
	return v
}
