package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// ZipWithSlice combines each element of src with the one of items in the same place;
// with the last one src is cancelled and the stream completes.
//
//	src:  1 --- 2 --- 3 |
//	      ZipWithSlice([10, 20], sum)
//	out:  11 -- 22 |
//
// Without items the stream is empty, and src is not subscribed. Demand passes through. A
// panic of fn cancels src and ends the stream. fn runs on the goroutine of src. items
// must not be changed while the stream is in use.
func ZipWithSlice[T, U, R any](src reactor.Publisher[T], items []U, fn func(T, U) R) reactor.Publisher[R] {
	protocol.NotNil("zipWithSlice", "combiner", fn)
	src = protocol.Trust("zipWithSlice", src)
	if len(items) == 0 {
		return Empty[R]()
	}
	return &zipWithSlicePublisher[T, U, R]{src: src, items: items, fn: fn}
}

type zipWithSlicePublisher[T, U, R any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	items []U // at least one
	fn    func(T, U) R
}

func (p *zipWithSlicePublisher[T, U, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	sub := &zipWithSliceSubscriber[T, U, R]{items: p.items, fn: p.fn}
	sub.down = protocol.Strict(ctx, s)
	sub.Ctx, sub.Down = ctx, sub.down
	p.src.Subscribe(ctx, sub)
}

type zipWithSliceSubscriber[T, U, R any] struct {
	protocol.Link
	down  reactor.Subscriber[R]
	items []U // what is left; touched by the signals of src only
	fn    func(T, U) R
}

func (s *zipWithSliceSubscriber[T, U, R]) OnNext(v T) {
	if s.Done {
		reactor.DropNext(s.Ctx, v)
		return
	}
	s.down.OnNext(s.fn(v, s.items[0]))
	s.advance()
}

// Push implements protocol.Pusher.
func (s *zipWithSliceSubscriber[T, U, R]) Push() func(T) {
	next := protocol.Push(s.down)
	return func(v T) {
		if s.Done {
			s.OnNext(v)
			return
		}
		next(s.fn(v, s.items[0]))
		s.advance()
	}
}

func (s *zipWithSliceSubscriber[T, U, R]) advance() {
	if s.items = s.items[1:]; len(s.items) == 0 && !s.Done {
		s.Finish()
	}
}
