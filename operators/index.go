package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Index emits fn(i, v) for every v, where i counts the elements from 0.
//
//	src:  a --- b --- c |
//	      Index(i + v)
//	out:  0a -- 1b -- 2c |
//
// Demand passes through one for one. A panic of fn cancels src and ends the stream. fn
// runs on the goroutine of src.
func Index[T, R any](src reactor.Publisher[T], fn func(i int64, v T) R) reactor.Publisher[R] {
	protocol.NotNil("index", "mapper", fn)
	return &indexPublisher[T, R]{src: protocol.Trust("index", src), fn: fn}
}

type indexPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(i int64, v T) R
}

func (p *indexPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	p.src.Subscribe(ctx, &indexSubscriber[T, R]{down: protocol.Strict(ctx, s), fn: p.fn})
}

type indexSubscriber[T, R any] struct {
	protocol.Inner
	down reactor.Subscriber[R]
	fn   func(i int64, v T) R
	next int64 // index of the next element; signals of upstream
}

func (s *indexSubscriber[T, R]) OnSubscribe(up reactor.Subscription) { s.down.OnSubscribe(up) }

func (s *indexSubscriber[T, R]) OnNext(v T) {
	r := s.fn(s.next, v)
	s.next++
	s.down.OnNext(r)
}

// Push implements protocol.Pusher.
func (s *indexSubscriber[T, R]) Push() func(T) {
	fn, next := s.fn, protocol.Push(s.down)
	return func(v T) {
		r := fn(s.next, v)
		s.next++
		next(r)
	}
}

func (s *indexSubscriber[T, R]) OnError(err error) { s.down.OnError(err) }

func (s *indexSubscriber[T, R]) OnComplete() { s.down.OnComplete() }
