package pending

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// Backlog is the subscriber base of operators that consume all of src and then
// emit elements they have kept, as demand allows. It is the subscription that
// downstream sees.
type Backlog[T any] struct {
	protocol.Inner
	protocol.Quiet
	Ctx       context.Context
	down      reactor.Subscriber[T]
	up        reactor.Subscription
	drain     protocol.Drain
	requested atomic.Int64
	Kept      Buffer[T]
	ready     atomic.Bool // src has completed: kept belongs to the drain
	Cancelled atomic.Bool

	// What follows belongs to the owner of drain.
	done bool // a terminal signal was sent, or is about to be
}

func (b *Backlog[T]) Init(ctx context.Context, down reactor.Subscriber[T]) {
	b.Ctx, b.down = ctx, protocol.Strict(ctx, down)
	b.Kept.Init(ctx)
}

func (b *Backlog[T]) OnSubscribe(up reactor.Subscription) {
	b.up = up
	defer up.Request(reactor.Unbounded) // also if downstream ends the goroutine
	b.down.OnSubscribe(b)
}

func (b *Backlog[T]) OnError(err error) {
	if b.ready.Load() {
		// The source has completed. This is its guard, which sees the Goexit go by
		// that EmitEach has delivered.
		return
	}
	b.Kept.End()
	b.down.OnError(err)
}

func (b *Backlog[T]) OnComplete() {
	b.ready.Store(true)
	b.drain.Run(b)
}

func (b *Backlog[T]) Request(n int64) {
	demand.Add(&b.requested, n)
	if b.ready.Load() {
		b.drain.Run(b)
	}
}

func (b *Backlog[T]) Cancel() {
	if b.Cancelled.Swap(true) {
		return
	}
	defer b.Kept.Close() // also if a function that hears of it ends the goroutine
	b.up.Cancel()
}

// DrainPass emits what is kept and completes.
func (b *Backlog[T]) DrainPass() {
	if b.done {
		b.Kept.End()
		return
	}
	n := b.requested.Load()
	b.done = true // should an element fail
	emitted, ok := emitEach(b.Ctx, b.down, func(sent int64) (v T, more bool) {
		if sent < n && !b.Cancelled.Load() {
			v, more = b.Kept.Pop()
		}
		return v, more
	})
	if !ok {
		b.Kept.End()
		return
	}
	demand.Produced(&b.requested, emitted)
	b.done = !b.Cancelled.Load() && b.Kept.Len() == 0
	if b.done {
		b.down.OnComplete()
	}
}

// emitEach emits what next returns, which is told how many elements have arrived, until there is nothing more, and returns that
// number. If one fails on its way, it is discarded, and the error has gone down.
func emitEach[T any](ctx context.Context, down reactor.Subscriber[T], next func(sent int64) (T, bool)) (sent int64, ok bool) {
	var now protocol.InFlight[T]
	defer func() {
		if !ok {
			now.Crash(ctx, down, false, failure.Recovered(recover()))
		}
	}()
	for v, more := next(0); more; v, more = next(sent) {
		now.Hold(v)
		down.OnNext(v)
		now.Sent()
		sent++
	}
	return sent, true
}
