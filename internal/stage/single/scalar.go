package single

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Scalar is the subscription of a stream that consists of one known element: the
// first request emits it and completes.
type Scalar[T any] struct {
	ctx   context.Context
	down  reactor.Subscriber[T]
	value T // belongs to the call that ends scalarFresh
	state atomic.Uint32
}

const (
	scalarFresh = iota
	scalarEmitted
	scalarCancelled
)

// NewScalar returns the subscription that emits v to down.
func NewScalar[T any](ctx context.Context, down reactor.Subscriber[T], v T) *Scalar[T] {
	return &Scalar[T]{ctx: ctx, down: down, value: v}
}

// Request emits the element, the first time, and completes unless it is
// cancelled meanwhile.
func (s *Scalar[T]) Request(int64) {
	if !s.state.CompareAndSwap(scalarFresh, scalarEmitted) {
		return
	}
	if protocol.Emit(s.ctx, s.down, taken(s)) && s.state.Load() == scalarEmitted {
		s.down.OnComplete()
	}
}

// Feeds implements protocol.Synchronous.
func (s *Scalar[T]) Feeds(down any) bool { return any(s.down) == down }

// Cancel discards the element unless it was emitted.
func (s *Scalar[T]) Cancel() {
	if s.state.Swap(scalarCancelled) == scalarFresh {
		reactor.Discard(s.ctx, taken(s))
	}
}

// taken returns the element: nothing hangs on a subscription that somebody has kept.
func taken[T any](s *Scalar[T]) T {
	v := s.value
	s.value = *new(T)
	return v
}
