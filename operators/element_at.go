package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/single"
)

// ElementAt emits the element at index, counted from 0, and cancels src. If src ends
// before that element, the stream fails with reactor.ErrIndexOutOfRange.
//
//	src:  a --- b --- c |
//	      ElementAt(1)
//	out:  ----- b |
//
// Demand on src is unbounded. Elements before index are discarded. A negative
// index panics.
func ElementAt[T any](src reactor.Publisher[T], index int) reactor.Publisher[T] {
	argument.NotNegative("elementAt", "index", index)
	return &elementAtPublisher[T]{src: protocol.Trust("elementAt", src), index: count(index)}
}

// ElementAtOr is [ElementAt], but emits fallback if src ends before that element.
func ElementAtOr[T any](src reactor.Publisher[T], index int, fallback T) reactor.Publisher[T] {
	argument.NotNegative("elementAt", "index", index)
	return &elementAtPublisher[T]{src: protocol.Trust("elementAt", src), index: count(index), fallback: fallback, hasFallback: true}
}

type elementAtPublisher[T any] struct {
	protocol.Op
	src         reactor.Publisher[T]
	index       int64
	fallback    T
	hasFallback bool
}

func (p *elementAtPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &elementAtSubscriber[T]{p: p, left: p.index}
	sub.Init(ctx, s)
	p.src.Subscribe(ctx, sub)
}

type elementAtSubscriber[T any] struct {
	single.Aggregate[T]
	p      *elementAtPublisher[T]
	left   int64 // elements still to pass; signals of upstream, as is the next one
	passed pending.Unwanted[T]
}

func (s *elementAtSubscriber[T]) OnNext(v T) {
	switch {
	case s.Done:
		reactor.DropNext(s.Slot.Ctx, v)
	case s.left == 0:
		s.Early(v)
	default:
		s.left--
		s.passed.Discard(s.Slot.Ctx, v)
	}
}

func (s *elementAtSubscriber[T]) OnComplete() {
	switch {
	case s.Done:
	case s.p.hasFallback:
		s.Result(s.p.fallback)
	default:
		s.Done = true
		s.Slot.Fail(reactor.Failure("elementAt", reactor.ErrIndexOutOfRange,
			"index %d, the source ended after %d elements", s.p.index, s.p.index-s.left))
	}
}
