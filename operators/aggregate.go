package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
)

// aggregate is the subscriber base of operators that turn src into one element.
// The first request of downstream, of any size, asks src for everything.
type aggregate[R any] struct {
	protocol.Inner
	slot single.Slot[R]
	up   reactor.Subscription
	done bool // signals of upstream: the result is out, what still comes is dropped
}

func (a *aggregate[R]) init(ctx context.Context, down reactor.Subscriber[R]) {
	a.slot.Ctx, a.slot.Down = ctx, protocol.Strict(ctx, down)
}

func (a *aggregate[R]) OnSubscribe(up reactor.Subscription) {
	a.up = up
	a.slot.Down.OnSubscribe(a)
}

func (a *aggregate[R]) OnError(err error) {
	if a.done {
		reactor.DropError(a.slot.Ctx, err)
		return
	}
	a.done = true
	a.slot.Fail(err)
}

func (a *aggregate[R]) Request(int64) {
	if a.slot.Demand() {
		a.up.Request(reactor.Unbounded)
	}
}

func (a *aggregate[R]) Cancel() {
	if a.slot.CancelOnce() {
		a.up.Cancel()
	}
}

// crash ends the stream because a function has returned err for v: it cancels src, discards v, and
// sends the error through stage, which lets go of what it has.
func (a *aggregate[R]) crash(err error, v any, stage protocol.Signals) {
	(&protocol.Link{Ctx: a.slot.Ctx, Up: a.up, Down: stage}).Fail(err, v)
}

// result ends the stream with r; src has completed.
func (a *aggregate[R]) result(r R) {
	if !a.done {
		a.done = true
		a.slot.Complete(r)
	}
}

// early ends the stream with r before src has ended.
func (a *aggregate[R]) early(r R) {
	a.done = true
	defer a.slot.Complete(r) // also if a function that hears of it ends the goroutine
	a.up.Cancel()
}

// none ends the stream without an element; src has completed.
func (a *aggregate[R]) none() {
	if !a.done {
		a.done = true
		a.slot.Empty()
	}
}
