package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
)

// ExpandDeep emits the elements of src, and after each one those of the publisher that fn
// returns for it, with what these lead to in turn: depth first.
//
//	src:  1 ----------- 2 |
//	      ExpandDeep(n => 10n, up to 100)
//	out:  1 - 10 - 100 - 2 - 20 |
//
// src is subscribed with the first request. src and the publishers of fn are asked for one
// element at a time, and fn is called when its element has been emitted; the element after it
// in the same publisher is asked for when everything below is done with. An error, of
// src, of fn, or of one of the publishers, ends the publisher that it comes from, or whose
// element it is; the others go on, and the errors, joined if there are several, come at
// the end. A nil publisher is an error of fn. Cancellation goes to all publishers that have
// begun. Elements are emitted, and fn runs, on the goroutine of the publisher concerned or
// that of a request. The stack does not grow with the depth.
func ExpandDeep[T any](src reactor.Publisher[T], fn func(T) reactor.Publisher[T]) reactor.Publisher[T] {
	protocol.NotNil("expandDeep", "expander", fn)
	return &expandDeepPublisher[T]{src: protocol.Trust("expandDeep", src), fn: fn}
}

type expandDeepPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) reactor.Publisher[T]
}

func (p *expandDeepPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	down.OnSubscribe(&expandDeep[T]{
		p: p, ctx: ctx, down: down, push: protocol.Push(down), discard: reactor.DiscardHookFor[T](ctx),
	})
}

// expandDeep is the subscription. Its drain loop takes elements from the publisher that is
// in turn, which is the only one that may have something: those below it on the stack wait
// to be asked again.
type expandDeep[T any] struct {
	p         *expandDeepPublisher[T]
	ctx       context.Context
	down      reactor.Subscriber[T]
	push      func(T)      // hands elements to down
	discard   func(any)    // nil if nobody wants what is discarded
	demand    atomic.Int64 // open demand of downstream
	cancelled atomic.Bool
	failures  protocol.Failures
	drain     protocol.Drain

	// What follows belongs to the owner of the drain.
	over  bool               // the end was sent, or downstream has gone
	turn  *expandDeepTurn[T] // nil until src is subscribed
	stack []*expandDeepTurn[T]
	hand  protocol.Hand[T]
}

// Request adds to the demand of downstream.
func (s *expandDeep[T]) Request(n int64) {
	protocol.AddDemand(&s.demand, n)
	s.drain.Run(s)
}

// Cancel stops all publishers that have begun.
func (s *expandDeep[T]) Cancel() {
	if !s.cancelled.Swap(true) {
		s.drain.Run(s)
	}
}

// DrainPass implements protocol.Drainer.
func (s *expandDeep[T]) DrainPass() {
	for s.step() {
	}
}

// step does one thing and reports whether there may be more to do.
func (s *expandDeep[T]) step() bool {
	t := s.turn
	switch {
	case s.over:
		s.dropValue()
		return false
	case s.cancelled.Load():
		s.close()
		return false
	case t == nil:
		s.begin(s.p.src)
		return true
	}
	// In this order: the last element comes before the end.
	done := t.done.Load()
	chaos.Yield()
	switch full := t.full.Load(); {
	case full && s.demand.Load() > 0:
		s.emit(t)
		return true
	case full || !done:
		return false
	case len(s.stack) > 0:
		last := len(s.stack) - 1
		s.turn, s.stack[last] = s.stack[last], nil
		s.stack = s.stack[:last]
		s.turn.link.Request(1)
		return true
	}
	s.over = true
	protocol.Finish(s.down, s.failures.Terminate())
	return false
}

// begin subscribes to the publisher that is in turn now.
func (s *expandDeep[T]) begin(p reactor.Publisher[T]) {
	s.turn = &expandDeepTurn[T]{s: s}
	p.Subscribe(s.ctx, s.turn)
}

// emit sends the element of t and goes on with the publisher for it.
func (s *expandDeep[T]) emit(t *expandDeepTurn[T]) {
	v := t.take()
	s.hand.Hold(v)
	s.push(v)
	s.hand.LetGo()
	if s.demand.Load() != reactor.Unbounded {
		protocol.Produced(&s.demand, 1)
	}
	if s.cancelled.Load() {
		return
	}
	if p, ok := s.publisherFor(v, t); ok {
		s.stack = append(s.stack, t)
		s.begin(p)
	}
}

// publisherFor calls the expander for an element of t that was emitted, and is nobody's
// to discard any more.
func (s *expandDeep[T]) publisherFor(v T, t *expandDeepTurn[T]) (p reactor.Publisher[T], ok bool) {
	defer func() {
		if !ok {
			err := protocol.Recovered(recover())
			t.link.Cancel()
			t.done.Store(true)
			s.failures.Add(reactor.OperatorError(s.ctx, err, v))
		}
	}()
	p = protocol.Trust("expandDeep", s.p.fn(v))
	return p, true
}

// DrainCrashed implements protocol.Drainer: something downstream failed, or the function
// ended its goroutine.
func (s *expandDeep[T]) DrainCrashed(err error) {
	over := s.over
	if !over {
		s.close()
		s.failures.Terminate()
	}
	s.hand.Crash(s.ctx, s.down, over, err)
}

// close cancels everything that has begun.
func (s *expandDeep[T]) close() {
	s.over = true
	for _, t := range s.stack {
		t.link.Cancel()
	}
	s.stack = nil
	if s.turn != nil {
		s.turn.link.Cancel()
		s.dropValue()
	}
}

// dropValue discards an element that nobody will take.
func (s *expandDeep[T]) dropValue() {
	if s.turn != nil && s.turn.full.Load() {
		discardTo(s.discard, s.turn.take())
	}
}

// expandDeepTurn is subscribed to one of the publishers. It has room for one element.
type expandDeepTurn[T any] struct {
	protocol.Inner
	s     *expandDeep[T]
	link  protocol.Deferred
	value T           // written before full is set, taken by the owner of the drain
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
		discardTo(t.s.discard, v)
		return
	case t.done.Load():
		reactor.DropNext(t.s.ctx, v)
		return
	case t.full.Load():
		defer discardTo(t.s.discard, v) // also if what follows ends the goroutine
		t.link.Cancel()
		t.OnError(reactor.OperatorError(t.s.ctx, reactor.Failure("expandDeep", reactor.ErrOverflow,
			"a publisher sent more than the one element it was asked for"), v))
		return
	}
	t.value = v
	chaos.Yield()
	t.full.Store(true)
	t.s.drain.Run(t.s)
}

func (t *expandDeepTurn[T]) OnError(err error) {
	if t.done.Load() || !t.s.failures.Add(err) {
		reactor.DropError(t.s.ctx, err)
		return
	}
	t.end()
}

func (t *expandDeepTurn[T]) OnComplete() { t.end() }

func (t *expandDeepTurn[T]) end() {
	if !t.done.Swap(true) {
		t.s.drain.Run(t.s)
	}
}

// take removes the element. Owner of the drain.
func (t *expandDeepTurn[T]) take() T {
	v := t.value
	t.value = *new(T)
	t.full.Store(false)
	return v
}
