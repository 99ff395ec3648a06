package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestFromFuture(t *testing.T) {
	src := &puppet[int]{}
	f := ToFuture(context.Background(), src)
	p, q, later := run(FromFuture(f)), run(FromFuture(f, SuppressCancel())), probeOf[int](0)
	FromFuture(f).Subscribe(context.Background(), later)
	q.cancel()
	q.cancel()
	src.last().OnNext(3)
	p.assertCompleted(t, 3)
	q.assertOpen(t)
	later.assertOpen(t)
	later.request(1)
	later.assertCompleted(t, 3)
	run(FromFuture(f)).assertCompleted(t, 3)
	run(FromFuture(ToFuture(context.Background(), Empty[int]()))).assertCompleted(t)
	assert.Panics(t, func() { FromFuture[int](nil) })
	ctx, hooks := recordHooks()
	runWith(ctx, Map(FromFuture(f), func(int) int { panic(errBoom) })).assertFailed(t, errBoom)
	assert.Equal(t, []any{3}, hooks.discarded)
}

func TestFromFutureCancelsTheFuture(t *testing.T) {
	src := &puppet[int]{}
	f := ToFuture(context.Background(), src)
	p, q := run(FromFuture(f)), run(FromFuture(f))
	p.cancel()
	p.assertOpen(t)
	q.assertFailed(t, reactor.ErrCancelled)
	assert.EqualValues(t, 1, src.last().cancels.Load())
}
