package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/single"
)

// Reduce combines all elements with fn, from left to right: the first two elements,
// then the result and the third element, and so on. A single element is emitted as it
// is; an empty src gives an empty stream.
//
//	src:  1 --- 2 --- 3 |
//	      Reduce(sum)
//	out:  ------------- 6 |
//
// Demand on src is unbounded. A panic of fn cancels src and ends the stream; then,
// and at failure or cancellation, the accumulated element is discarded. fn runs
// on the goroutine of src.
func Reduce[T any](src reactor.Publisher[T], fn func(acc, v T) T) reactor.Publisher[T] {
	argument.Given("reduce", "function", fn != nil)
	return &reducePublisher[T]{src: protocol.Trust("reduce", src), fn: fn}
}

type reducePublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(acc, v T) T
}

func (p *reducePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &reduceSubscriber[T]{fn: p.fn}
	sub.Init(ctx, s)
	sub.acc.Init(ctx)
	p.src.Subscribe(ctx, sub)
}

type reduceSubscriber[T any] struct {
	single.Aggregate[T]
	fn  func(acc, v T) T
	acc pending.Buffer[T] // at most one; none while fn runs
}

func (s *reduceSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	s.Slot.Down.OnSubscribe(s)
}

func (s *reduceSubscriber[T]) OnNext(v T) { s.acc.Fold(s.fn, v) }

// Push implements protocol.Pusher.
func (s *reduceSubscriber[T]) Push() func(T) {
	if s.acc.Discard != nil {
		return s.OnNext
	}
	return s.acc.Folding(s.fn)
}

func (s *reduceSubscriber[T]) OnError(err error) {
	s.acc.End()
	s.Aggregate.OnError(err)
}

func (s *reduceSubscriber[T]) OnComplete() {
	if v, ok := s.acc.Pop(); ok {
		s.Result(v)
	} else {
		s.None()
	}
}

func (s *reduceSubscriber[T]) Cancel() {
	defer s.acc.Close() // also if a function that hears of it ends the goroutine
	s.Aggregate.Cancel()
}
