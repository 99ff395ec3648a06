package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Collect runs src to its end and returns its elements in order, blocking until
// then.
//
//	src:  1 --- 2 |
//	      Collect(ctx, src) returns [1 2]
//
// Demand is unbounded. If src fails, a user function panics or ctx ends, Collect returns the
// error and no elements; the elements that have come are discarded. On a worker that must not
// block, the result is reactor.ErrBlocking, unless src ends at once.
func Collect[T any](ctx context.Context, src reactor.Publisher[T]) ([]T, error) {
	s := &collectBlocking[T]{await: await{ctx: ctx, op: "collect"}}
	if err := awaitEnd(&s.await, src, s); err != nil {
		if !s.await.left { // else more may come yet, and the await discards
			s.abandon()
		}
		return nil, err
	}
	return s.items, nil
}

type collectBlocking[T any] struct {
	protocol.Inner
	await await
	items []T // emitting goroutine; read after the end
}

// abandon implements holder.
func (s *collectBlocking[T]) abandon() {
	if discard := reactor.DiscardHookFor[T](s.await.ctx); discard != nil {
		for _, v := range s.items {
			discard(v)
		}
	}
}

func (s *collectBlocking[T]) OnSubscribe(up reactor.Subscription) {
	s.await.start(up, reactor.Unbounded)
}

func (s *collectBlocking[T]) OnNext(v T) {
	if len(s.items) == cap(s.items) {
		s.items = room(s.items)
	}
	s.items = append(s.items, v)
}

func (s *collectBlocking[T]) OnError(err error) { s.await.fail(err) }

func (s *collectBlocking[T]) OnComplete() { s.await.end(nil) }
