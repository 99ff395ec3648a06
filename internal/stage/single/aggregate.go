package single

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Aggregate is the subscriber base of operators that turn src into one element.
// The first request of downstream, of any size, asks src for everything.
type Aggregate[R any] struct {
	protocol.Inner
	Slot Slot[R]
	Up   reactor.Subscription
	Done bool // signals of upstream: the result is out, what still comes is dropped
}

// Init sets the stage up for down.
func (a *Aggregate[R]) Init(ctx context.Context, down reactor.Subscriber[R]) {
	a.Slot.Ctx, a.Slot.Down = ctx, protocol.Strict(ctx, down)
}

func (a *Aggregate[R]) OnSubscribe(up reactor.Subscription) {
	a.Up = up
	a.Slot.Down.OnSubscribe(a)
}

// AttachLooking lets h know of the runs of src: see [protocol.Half.AttachLooking].
func (a *Aggregate[R]) AttachLooking(h *protocol.Half) bool { return h.AttachLooking(a.Up) }

func (a *Aggregate[R]) OnError(err error) {
	if a.Done {
		reactor.DropError(a.Slot.Ctx, err)
		return
	}
	a.Done = true
	a.Slot.Fail(err)
}

func (a *Aggregate[R]) Request(int64) {
	if a.Slot.Demand() {
		a.Up.Request(reactor.Unbounded)
	}
}

func (a *Aggregate[R]) Cancel() {
	if a.Slot.CancelOnce() {
		a.Up.Cancel()
	}
}

// Crash ends the stream because a function has returned err for v: it cancels src, discards v, and
// sends the error through stage, which lets go of what it has.
func (a *Aggregate[R]) Crash(err error, v any, stage protocol.Signals) {
	(&protocol.Link{Ctx: a.Slot.Ctx, Up: a.Up, Down: stage}).Fail(err, v)
}

// Result ends the stream with r; src has completed.
func (a *Aggregate[R]) Result(r R) {
	if !a.Done {
		a.Done = true
		a.Slot.Complete(r)
	}
}

// Early ends the stream with r before src has ended.
func (a *Aggregate[R]) Early(r R) {
	a.Done = true
	defer a.Slot.Complete(r) // also if a function that hears of it ends the goroutine
	a.Up.Cancel()
}

// None ends the stream without an element; src has completed.
func (a *Aggregate[R]) None() {
	if !a.Done {
		a.Done = true
		a.Slot.Empty()
	}
}
