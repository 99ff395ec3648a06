package single

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/places"
)

// Waiter is the subscription of one of several subscribers that get the same outcome. It has a Cancel of its own, which
// leaves the element to the others.
type Waiter[T any] struct {
	Slot[T]
	places.Place                                // among those who wait
	among        interface{ Leave(*Waiter[T]) } // not an alias: with one the compiler hangs in packages that import this
	holders      *atomic.Int64                  // what Settle got; written before the element is there, read after
}

// NewWaiter returns a subscription to what among shares. The caller calls Introduce, adds it to those who wait, also if that ends the
// goroutine, and looks at IsOver then. After a cancellation Leave takes it out of them; it may be called before the waiter is among them.
func NewWaiter[T any](ctx context.Context, s reactor.Subscriber[T], among interface{ Leave(*Waiter[T]) }) *Waiter[T] {
	w := &Waiter[T]{among: among}
	w.Ctx, w.Down = ctx, protocol.Strict(ctx, s)
	return w
}

// Introduce hands the subscription down.
func (w *Waiter[T]) Introduce() { w.Down.OnSubscribe(w) }

// Settle delivers the outcome: an element, which waits for demand, an error, or the end without either. With nil holders
// the element is kept for those who come later, and nobody discards it; else they are how many get it, and
// it is discarded if all of them leave without it.
func (w *Waiter[T]) Settle(sig reactor.Signal[T], holders *atomic.Int64) {
	switch sig.Kind() {
	case reactor.KindNext:
		v, _ := sig.Value()
		w.value, w.holders = v, holders
		if old := w.add(slotHasValue | slotShared); old&slotOver != 0 {
			w.value = *new(T)
			w.lose(v)
		} else if old&slotRequested != 0 {
			w.emit()
		}
	case reactor.KindError:
		// Others get the same error: one who has left need not report it.
		if w.add(slotOver)&slotOver == 0 {
			w.add(slotHeard)
			w.Down.OnError(sig.Err())
		}
	default:
		w.Empty()
	}
}

// lose is called once if v is there and the subscriber has left without it.
func (w *Waiter[T]) lose(v T) {
	if w.holders != nil && w.holders.Add(-1) == 0 {
		reactor.Discard(w.Ctx, v)
	}
}

// Heard reports whether an error that Settle was given has come, also if that has ended the goroutine.
func (w *Waiter[T]) Heard() bool { return w.state.Load()&slotHeard != 0 }

// Cancel leaves the others alone.
func (w *Waiter[T]) Cancel() {
	old := w.add(slotOver)
	if old&slotOver != 0 {
		return
	}
	defer w.among.Leave(w) // also if the discard hook ends the goroutine
	if old&slotHasValue != 0 {
		v := w.value
		if old&slotRequested == 0 {
			w.value = *new(T) // else somebody is about to emit it, and finds that it is late
		}
		w.lose(v)
	}
}
