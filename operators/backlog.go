package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
)

// backlog is the subscriber base of operators that consume all of src and then
// emit elements they have kept, as demand allows. It is the subscription that
// downstream sees.
type backlog[T any] struct {
	protocol.Inner
	protocol.Quiet
	ctx       context.Context
	down      reactor.Subscriber[T]
	up        reactor.Subscription
	drain     protocol.Drain
	requested atomic.Int64
	kept      pending[T]
	ready     atomic.Bool // src has completed: kept belongs to the drain
	cancelled atomic.Bool

	// What follows belongs to the owner of drain.
	done bool // a terminal signal was sent, or is about to be
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
		// that EmitEach has delivered.
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
	demand.Add(&b.requested, n)
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
		b.kept.end()
		return
	}
	n := b.requested.Load()
	b.done = true // should an element fail
	emitted, ok := protocol.EmitEach(b.ctx, b.down, func(sent int64) (v T, more bool) {
		if sent < n && !b.cancelled.Load() {
			v, more = b.kept.pop()
		}
		return v, more
	})
	if !ok {
		b.kept.end()
		return
	}
	demand.Produced(&b.requested, emitted)
	b.done = !b.cancelled.Load() && b.kept.len() == 0
	if b.done {
		b.down.OnComplete()
	}
}
