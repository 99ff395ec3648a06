package single

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
)

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
	slotOver   // emitted, cancelled or failed
	slotHeard  // the error of a Waiter has come
	slotShared // others get the element of a Waiter, too: it is not this one's to discard
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

// IsOver reports whether the element was emitted or given up.
func (s *Slot[T]) IsOver() bool { return s.state.Load()&slotOver != 0 }

func (s *Slot[T]) add(bit uint32) (old uint32) { return s.state.Or(bit) }

func (s *Slot[T]) emit() {
	v := s.value
	chaos.Yield()
	if old := s.add(slotOver); old&slotOver != 0 {
		if old&slotShared == 0 {
			// Cancelled after value and demand had met: it is ours to discard.
			reactor.Discard(s.Ctx, v)
		}
		return
	}
	s.value = *new(T)
	Last(s.Ctx, s.Down, v)
}

// Last emits v and completes, from somewhere other than OnNext: a failure of v's
// journey downstream becomes OnError. The caller knows that there is demand and
// that it is still wanted.
func Last[T any](ctx context.Context, down reactor.Subscriber[T], v T) {
	if protocol.Emit(ctx, down, v) {
		down.OnComplete()
	}
}
