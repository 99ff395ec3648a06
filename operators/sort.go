package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// Sort emits all elements in the order that compare defines once src has completed.
// Equal elements keep their order.
//
//	src:  3 --- 1 --- 2 |
//	      Sort(cmp.Compare)
//	out:  ------------- 1 - 2 - 3 |
//
// compare returns a negative number if a comes before b, as cmp.Compare does. Demand on src is
// unbounded from subscription on; all elements are kept in memory, and also, while they are
// sorted, a copy of at most half of them. A panic of compare ends the stream; at failure or
// cancellation the kept elements are discarded.
func Sort[T any](src reactor.Publisher[T], compare func(a, b T) int) reactor.Publisher[T] {
	argument.Given("sort", "comparison", compare != nil)
	return &sortPublisher[T]{src: protocol.Trust("sort", src), compare: compare}
}

type sortPublisher[T any] struct {
	protocol.Op
	src     reactor.Publisher[T]
	compare func(a, b T) int
}

func (p *sortPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &sortSubscriber[T]{compare: p.compare}
	sub.Init(ctx, s)
	p.src.Subscribe(ctx, sub)
}

type sortSubscriber[T any] struct {
	pending.Backlog[T]
	compare func(a, b T) int
}

func (s *sortSubscriber[T]) OnNext(v T) { s.Kept.Push(v) }

// Push implements protocol.Pusher.
func (s *sortSubscriber[T]) Push() func(T) { return func(v T) { s.Kept.Push(v) } }

func (s *sortSubscriber[T]) OnComplete() {
	failure.Guard(func() { s.Kept.Sort(func(items []T) { sortStable(items, s.compare) }) }, func(err error) {
		s.Backlog.OnError(reactor.OperatorError(s.Ctx, err, nil))
		s.Cancelled.Store(true) // nothing more to send
	})
	if !s.Cancelled.Load() {
		s.Backlog.OnComplete()
	}
}
