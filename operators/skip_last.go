package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// SkipLast emits all elements but the last n: an element goes down when n more have
// come.
//
//	src:  1 --- 2 --- 3 --- 4 |
//	      SkipLast(2)
//	out:  ----------- 1 --- 2 |
//
// n elements are requested at subscription; from then on demand passes through. The
// elements left at the end, or at a cancellation, are discarded. A negative n panics.
func SkipLast[T any](src reactor.Publisher[T], n int) reactor.Publisher[T] {
	argument.NotNegative("skipLast", "count", n)
	src = protocol.Trust("skipLast", src)
	if n == 0 {
		return src
	}
	return &skipLastPublisher[T]{src: src, n: n}
}

type skipLastPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	n   int
}

func (p *skipLastPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &skipLastSubscriber[T]{n: p.n}
	sub.pending.Init(ctx)
	sub.down = protocol.Strict(ctx, s)
	sub.Ctx, sub.Down = ctx, sub.down
	p.src.Subscribe(ctx, sub)
}

type skipLastSubscriber[T any] struct {
	elementwise.Passing
	protocol.AheadSender[T]
	down    reactor.Subscriber[T]
	n       int
	pending pending.Buffer[T]
}

func (s *skipLastSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	defer up.Request(int64(s.n)) // also if downstream ends the goroutine
	s.Down.OnSubscribe(s)
}

func (s *skipLastSubscriber[T]) OnNext(v T) {
	if s.pending.Len() == s.n {
		if s.PushDown == nil {
			s.PushDown = protocol.Push(s.down)
		}
		if oldest, ok := s.pending.Pop(); ok {
			s.SendAhead(s.Ctx, oldest, v)
		}
	}
	s.pending.Push(v)
}

// Push implements protocol.Pusher.
func (s *skipLastSubscriber[T]) Push() func(T) { return s.OnNext }

// Attach lets h know of the runs of upstream.
func (s *skipLastSubscriber[T]) Attach(h *protocol.Half) bool { return s.AheadSender.Attach(h, s.Up) }

func (s *skipLastSubscriber[T]) OnError(err error) {
	s.Unwind(s.Ctx, err)
	defer s.pending.End() // also if downstream ends the goroutine
	s.Link.OnError(err)
}

func (s *skipLastSubscriber[T]) OnComplete() {
	defer s.pending.End() // also if downstream ends the goroutine
	s.Link.OnComplete()
}

func (s *skipLastSubscriber[T]) Request(n int64) { s.Up.Request(n) }

func (s *skipLastSubscriber[T]) Cancel() {
	defer s.pending.Close() // also if a function that hears of it ends the goroutine
	s.Up.Cancel()
}
