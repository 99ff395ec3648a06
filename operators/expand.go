package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/resubscribe"
)

// Expand emits every element of src and, level by level, the elements of the publishers that
// fn returns for each emitted element: first src, then the publishers of its elements, and so
// on.
//
//	src:  1 --- 2 |
//	      Expand(n => 10n, up to 100)
//	out:  1 --- 2 - 10 - 20 - 100 |
//
// fn is called when its element has been emitted. Publishers are subscribed one at a time, in
// the order of the elements that led to them; publishers that wait are kept, without limit.
// Demand that a publisher leaves open is asked of the next one. The first error, of src, of
// fn, or of one of the publishers, ends the stream; a nil publisher is an error of fn. After
// a cancellation no further publisher is subscribed. Each publisher emits on its own
// goroutine; the next one is subscribed on the goroutine on which the one before completed.
// The stack depth is constant, however many publishers complete at once. [ExpandDeep] goes
// depth first.
func Expand[T any](src reactor.Publisher[T], fn func(T) reactor.Publisher[T]) reactor.Publisher[T] {
	argument.Given("expand", "expander", fn != nil)
	return &expandPublisher[T]{src: protocol.Trust("expand", src), fn: fn}
}

type expandPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) reactor.Publisher[T]
}

// expandChunk is how many waiting publishers the queue for them grows by.
const expandChunk = 16

func (p *expandPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &expandSubscriber[T]{fn: p.fn, waiting: queue.NewLinked[reactor.Publisher[T]](expandChunk)}
	sub.waiting.Offer(p.src)
	next := resubscribe.New(ctx, s, sub)
	sub.push, sub.Subscribe = next.OnNext, sub.expand
	defer sub.Advance() // also if downstream ends the goroutine
	sub.Down.OnSubscribe(sub)
}

type expandSubscriber[T any] struct {
	protocol.Inner
	resubscribe.Stage
	push    func(T)
	fn      func(T) reactor.Publisher[T]
	waiting *queue.Linked[reactor.Publisher[T]] // offered to by the signals of upstream, polled by the owner of the loop
	done    bool                                // ended; touched by the signals of upstream only
}

func (s *expandSubscriber[T]) OnNext(v T) {
	if s.done {
		reactor.DropNext(s.Ctx, v)
		return
	}
	s.push(v)
	if p, ok := s.publisherFor(v); ok {
		s.waiting.Offer(p)
	}
}

// publisherFor calls the expander for an element that was emitted: a failure of the
// expander is a failure of the stage, and the element is not discarded any more.
func (s *expandSubscriber[T]) publisherFor(v T) (p reactor.Publisher[T], ok bool) {
	defer func() {
		if !ok {
			err := failure.Recovered(recover())
			s.done = true
			s.waiting = nil
			defer s.Down.OnError(reactor.OperatorError(s.Ctx, err, v)) // also if a function that hears of what follows ends the goroutine
			s.Cancel()
		}
	}()
	p = protocol.Trust("expand", s.fn(v))
	return p, true
}

// Push implements protocol.Pusher.
func (s *expandSubscriber[T]) Push() func(T) { return s.OnNext }

// OnError passes the error of upstream or downstream on.
func (s *expandSubscriber[T]) OnError(err error) {
	if s.done {
		reactor.DropError(s.Ctx, err)
		return
	}
	s.done = true
	s.waiting = nil // somebody may keep the subscription
	s.Down.OnError(err)
}

func (s *expandSubscriber[T]) OnComplete() {
	if !s.done {
		s.Advance()
	}
}

// expand subscribes the next publisher.
func (s *expandSubscriber[T]) expand() {
	if p, ok := s.waiting.Poll(); ok {
		p.Subscribe(s.Ctx, s)
	} else {
		s.Down.OnComplete()
	}
}
