package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestFromFuture(t *testing.T) {
	src := &puppet[int]{}
	f := ToFuture(context.Background(), src)
	p, q, later := run(FromFuture(f)), run(FromFuture(f, SuppressCancel())), probeOf[int](0)
	FromFuture(f).Subscribe(context.Background(), later)
	q.Cancel()
	q.Cancel()
	src.last().OnNext(3)
	p.Done(t, 3)
	q.Open(t)
	later.Open(t)
	later.Request(1)
	later.Done(t, 3)
	run(FromFuture(f)).Done(t, 3)
	run(FromFuture(ToFuture(context.Background(), Empty[int]()))).Done(t)
	assert.Panics(t, func() { FromFuture[int](nil) })
	ctx, hooks := probe.Recorded()
	runWith(ctx, Map(FromFuture(f), func(int) int { panic(errBoom) })).Failed(t, errBoom)
	assert.Equal(t, []any{3}, hooks.Discarded)
}

// Who has left is not kept for as long as the future takes.
func TestFromFutureForgetsWhoHasLeft(t *testing.T) {
	f := ToFuture[int](context.Background(), &puppet[int]{})
	at := probeOf[int](1)
	at.Subscribed = func(up reactor.Subscription) { up.Cancel() }
	FromFuture(f, SuppressCancel()).Subscribe(context.Background(), at)
	later := run(FromFuture(f, SuppressCancel()))
	later.Cancel()
	assert.Empty(t, f.listeners)
}

func TestFromFutureCancelsTheFuture(t *testing.T) {
	src := &puppet[int]{}
	f := ToFuture(context.Background(), src)
	p, q := run(FromFuture(f)), run(FromFuture(f))
	p.Cancel()
	p.Open(t)
	q.Failed(t, reactor.ErrCancelled)
	assert.EqualValues(t, 1, src.last().cancels.Load())
}
