package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
)

// Count emits the number of elements at the end. The elements are discarded.
//
//	src:  a --- b --- c |
//	      Count()
//	out:  ------------- 3 |
//
// Demand on src is unbounded. Errors pass. The result comes on the goroutine of src, or on
// the one that requests.
func Count[T any](src reactor.Publisher[T]) reactor.Publisher[int] {
	return &countPublisher[T]{src: protocol.Trust("count", src)}
}

type countPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
}

func (p *countPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	sub := &countSubscriber[T]{discard: reactor.DiscardHookFor[T](ctx)}
	sub.Init(ctx, s)
	p.src.Subscribe(ctx, sub)
}

type countSubscriber[T any] struct {
	single.Aggregate[int]
	discard func(any) // nil if nobody wants what is discarded
	n       int       // touched by the signals of upstream only
}

func (s *countSubscriber[T]) OnNext(v T) {
	if s.Done {
		reactor.DropNext(s.Slot.Ctx, v)
		return
	}
	s.n++
	if s.discard != nil {
		s.discard(v)
	}
}

// Push implements protocol.Pusher: OnNext where nothing special happens. Not inlined, see publishOnSubscriber.Push.
//
//go:noinline
func (s *countSubscriber[T]) Push() func(T) {
	return func(v T) {
		if s.Done || s.discard != nil {
			s.OnNext(v)
			return
		}
		s.n++
	}
}

func (s *countSubscriber[T]) OnComplete() { s.Result(s.n) }
