package protocol

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
)

// Scalar is the subscription of a stream that consists of one known element: the
// first request emits it and completes.
type Scalar[T any] struct {
	ctx   context.Context
	down  reactor.Subscriber[T]
	value T // of whoever ends scalarFresh
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
	if Emit(s.ctx, s.down, s.take()) && s.state.Load() == scalarEmitted {
		s.down.OnComplete()
	}
}

// Feeds implements Synchronous.
func (s *Scalar[T]) Feeds(down any) bool { return any(s.down) == down }

// Cancel discards the element unless it was emitted.
func (s *Scalar[T]) Cancel() {
	if s.state.Swap(scalarCancelled) == scalarFresh {
		reactor.Discard(s.ctx, s.take())
	}
}

// take returns the element: nothing hangs on a subscription that somebody has kept.
func (s *Scalar[T]) take() T {
	v := s.value
	s.value = *new(T)
	return v
}

// Slot is the subscription of a stage that computes one element and emits it
// when there is demand, whichever comes later. The zero value with Ctx and Down
// set is ready. Safe for concurrent use.
type Slot[T any] struct {
	Ctx  context.Context
	Down reactor.Subscriber[T]

	value T // written before hasValue is set, read after
	state atomic.Uint32
}

const (
	slotRequested = 1 << iota
	slotHasValue
	slotOver // emitted, cancelled or failed
)

// Complete provides the element: it is emitted as soon as there is demand, and
// the stream completes. After Cancel v is discarded.
func (s *Slot[T]) Complete(v T) {
	s.value = v
	if old := s.add(slotHasValue); old&slotOver != 0 {
		s.value = *new(T)
		reactor.Discard(s.Ctx, v)
	} else if old&slotRequested != 0 {
		s.emit()
	}
}

// Request records that there is demand; n > 0.
func (s *Slot[T]) Request(int64) { s.Demand() }

// Demand is Request and reports whether this was the first one.
func (s *Slot[T]) Demand() bool {
	old := s.add(slotRequested)
	if old&slotOver == 0 && old&slotHasValue != 0 && old&slotRequested == 0 {
		s.emit()
	}
	return old&slotRequested == 0
}

// Cancel gives the element up and discards it if it is there.
func (s *Slot[T]) Cancel() { s.CancelOnce() }

// CancelOnce is Cancel and reports whether the stream was live.
func (s *Slot[T]) CancelOnce() bool {
	old := s.add(slotOver)
	if old&slotOver != 0 {
		return false
	}
	if old&slotHasValue != 0 && old&slotRequested == 0 {
		v := s.value
		s.value = *new(T)
		reactor.Discard(s.Ctx, v)
	}
	return true
}

// Fail ends the stream with err, unless it is over; then err is dropped.
func (s *Slot[T]) Fail(err error) {
	if s.add(slotOver)&slotOver != 0 {
		reactor.DropError(s.Ctx, err)
		return
	}
	s.Down.OnError(err)
}

// Empty ends the stream without an element.
func (s *Slot[T]) Empty() {
	if s.add(slotOver)&slotOver == 0 {
		s.Down.OnComplete()
	}
}

// Settle delivers an outcome that others get too: an element, which waits for demand,
// an error, or the end without either.
func (s *Slot[T]) Settle(sig reactor.Signal[T]) {
	switch sig.Kind() {
	case reactor.KindNext:
		v, _ := sig.Value()
		s.Complete(v)
	case reactor.KindError:
		// Others get the same error: one who has left need not report it.
		if !s.IsOver() {
			s.Fail(sig.Err())
		}
	default:
		s.Empty()
	}
}

// IsOver reports whether the element was emitted or given up.
func (s *Slot[T]) IsOver() bool { return s.state.Load()&slotOver != 0 }

func (s *Slot[T]) add(bit uint32) (old uint32) { return s.state.Or(bit) }

func (s *Slot[T]) emit() {
	v := s.value
	chaos.Yield()
	if s.add(slotOver)&slotOver != 0 {
		// Cancelled after value and demand had met: it is ours to discard.
		reactor.Discard(s.Ctx, v)
		return
	}
	s.value = *new(T)
	Last(s.Ctx, s.Down, v)
}
