package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// backlog is the subscriber base of operators that consume all of src and then
// emit elements they have kept, as demand allows. It is the subscription that
// downstream sees.
type backlog[T any] struct {
	protocol.Inner
	ctx       context.Context
	down      reactor.Subscriber[T]
	up        reactor.Subscription
	drain     protocol.Drain
	requested atomic.Int64
	kept      hold[T]
	ready     atomic.Bool // src has completed: kept belongs to the drain
	cancelled atomic.Bool

	// What follows belongs to the owner of drain.
	done bool // a terminal signal was sent
	hand protocol.Hand[T]
}

func (b *backlog[T]) init(ctx context.Context, down reactor.Subscriber[T]) {
	b.ctx, b.down = ctx, protocol.Strict(ctx, down)
	b.kept.init(ctx)
}

func (b *backlog[T]) OnSubscribe(up reactor.Subscription) {
	b.up = up
	b.down.OnSubscribe(b)
	up.Request(reactor.Unbounded)
}

func (b *backlog[T]) OnError(err error) {
	if b.ready.Load() {
		// The source has completed. This is its guard, which sees the Goexit go by
		// that DrainCrashed has delivered.
		return
	}
	b.kept.end()
	b.down.OnError(err)
}

func (b *backlog[T]) OnComplete() {
	b.ready.Store(true)
	b.drain.Run(b)
}

func (b *backlog[T]) Request(n int64) {
	protocol.AddDemand(&b.requested, n)
	if b.ready.Load() {
		b.drain.Run(b)
	}
}

func (b *backlog[T]) Cancel() {
	if b.cancelled.Swap(true) {
		return
	}
	defer b.kept.close() // also if a function that hears of it ends the goroutine
	b.up.Cancel()
}

// DrainPass emits what is kept and completes.
func (b *backlog[T]) DrainPass() {
	if b.done {
		return
	}
	n, emitted := b.requested.Load(), int64(0)
	for emitted < n && !b.cancelled.Load() {
		v, ok := b.kept.pop()
		if !ok {
			break
		}
		b.hand.Hold(v)
		b.down.OnNext(v)
		b.hand.LetGo()
		emitted++
	}
	protocol.Produced(&b.requested, emitted)
	if !b.cancelled.Load() && b.kept.len() == 0 {
		b.done = true
		b.down.OnComplete()
	}
}

// DrainCrashed ends the stream whose element failed downstream.
func (b *backlog[T]) DrainCrashed(err error) {
	over := b.done
	b.done = true
	b.cancelled.Store(true)
	b.kept.end()
	b.hand.Crash(b.ctx, b.down, over, err)
}
