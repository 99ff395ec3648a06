package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// TryReduce is [Reduce] with a function that may fail: the first error of fn cancels src,
// discards the element and the accumulated one, and becomes the end of the stream; so does a
// panic.
//
//	src:  1 --- 2 --- 4 --- 5 |
//	      TryReduce(sum, refuse 4)
//	out:  --------- #
//
// Demand on src is unbounded. At failure or cancellation the accumulated element is discarded.
// If fn returns an error, its other result is ignored. fn runs on the goroutine of src.
func TryReduce[T any](src reactor.Publisher[T], fn func(acc, v T) (T, error)) reactor.Publisher[T] {
	argument.Given("tryReduce", "function", fn != nil)
	return &tryReducePublisher[T]{src: protocol.Trust("tryReduce", src), fn: fn}
}

type tryReducePublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(acc, v T) (T, error)
}

func (p *tryReducePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &tryReduceSubscriber[T]{}
	sub.fn = func(acc, v T) T {
		next, err := p.fn(acc, v)
		if sub.failure = err; err != nil {
			return acc // to be discarded
		}
		return next
	}
	sub.Init(ctx, s)
	sub.acc.Init(ctx)
	p.src.Subscribe(ctx, sub)
}

type tryReduceSubscriber[T any] struct {
	reduceSubscriber[T]
	failure error // of fn; signals of upstream only
}

func (s *tryReduceSubscriber[T]) OnNext(v T) {
	if s.Done {
		reactor.Discard(s.Slot.Ctx, v)
		return
	}
	if s.reduceSubscriber.OnNext(v); s.failure != nil {
		s.Crash(s.failure, v, s)
	}
}

// Push implements protocol.Pusher.
func (s *tryReduceSubscriber[T]) Push() func(T) { return s.OnNext }
