package single

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Waiter is the subscription of one of several subscribers that get the same outcome. Its
// [Slot.Settle] takes the outcome.
type Waiter[T any] struct {
	Slot[T]
	among interface{ Leave(*Waiter[T]) } // not an alias: with one the compiler hangs in packages that import this
}

// NewWaiter returns a subscription to what among shares, and hands it down. The caller adds it to
// those who wait, and looks at IsOver then. After a cancellation Leave takes it out of them; it may
// be called before the waiter is among them.
func NewWaiter[T any](ctx context.Context, s reactor.Subscriber[T], among interface{ Leave(*Waiter[T]) }) *Waiter[T] {
	w := &Waiter[T]{among: among}
	w.Ctx, w.Down = ctx, protocol.Strict(ctx, s)
	w.Down.OnSubscribe(w)
	return w
}

// Cancel leaves the others alone.
func (w *Waiter[T]) Cancel() {
	if w.CancelOnce() {
		w.among.Leave(w)
	}
}
