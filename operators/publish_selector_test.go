package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestPublishSelector(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[int](1)
	PublishSelector[int, int](src, func(x reactor.Publisher[int]) reactor.Publisher[int] {
		return Merge(x, Map(x, func(v int) int { return -v }))
	}, Prefetch(4)).Subscribe(context.Background(), p)
	assert.Equal(t, int64(4), src.last().requested.Load())
	src.last().OnNext(1)
	p.assertOpen(t, 1)
	p.request(3)
	src.last().OnNext(2)
	p.assertOpen(t, 1, -1, 2, -2)
	src.last().OnNext(3)
	assert.Equal(t, int64(7), src.last().requested.Load(), "three quarters")
	src.last().OnComplete()
	p.request(2)
	p.assertCompleted(t, 1, -1, 2, -2, 3, -3)
	assert.Zero(t, src.last().cancels.Load())
}

func TestPublishSelectorWaitsForSubscribers(t *testing.T) {
	var x reactor.Publisher[int]
	result := &puppet[int]{}
	p := run(PublishSelector[int, int](FromSlice([]int{1, 2}), func(shared reactor.Publisher[int]) reactor.Publisher[int] {
		x = shared
		return result
	}))
	a := probeOf[int](1)
	x.Subscribe(context.Background(), a)
	a.assertOpen(t, 1)
	a.cancel()
	run(x).assertCompleted(t, 2)
	run(x).assertCompleted(t)
	p.assertOpen(t)
}

func TestPublishSelectorEndsWithItsResult(t *testing.T) {
	ctx, hooks := recordHooks()
	src := &puppet[int]{}
	var x reactor.Publisher[int]
	keep := func(shared reactor.Publisher[int]) reactor.Publisher[int] { x = shared; return Take(shared, 1) }
	p := probeOf[int](1)
	PublishSelector[int, int](src, keep).Subscribe(ctx, p)
	b := probeOf[int](0)
	x.Subscribe(ctx, b)
	src.last().OnNext(1)
	b.request(1)
	b.assertOpen(t, 1)
	src.last().OnNext(2)
	p.assertCompleted(t, 1)
	assert.Equal(t, int64(1), src.last().cancels.Load())
	src.last().OnNext(3)
	src.last().OnError(errBoom)
	assert.ElementsMatch(t, []any{2, 3}, hooks.discarded)
	assert.Equal(t, []any{errBoom}, hooks.droppedErrors)

	q := probeOf[int](0)
	PublishSelector[int, int](src, keep).Subscribe(ctx, q)
	src.last().OnNext(4)
	q.cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
	assert.ElementsMatch(t, []any{2, 3, 4}, hooks.discarded)
}

func TestPublishSelectorFailures(t *testing.T) {
	boom := func(reactor.Publisher[int]) reactor.Publisher[int] { panic(errBoom) }
	src := &puppet[int]{}
	run(PublishSelector[int, int](src, boom)).assertFailed(t, errBoom)
	assert.Zero(t, src.count())
	run(PublishSelector[int, int](src, func(reactor.Publisher[int]) reactor.Publisher[int] { return nil })).
		assertItems(t)

	same := func(x reactor.Publisher[int]) reactor.Publisher[int] { return x }
	run(PublishSelector[int, int](Error[int](errBoom), same)).assertFailed(t, errBoom)
	src = &puppet[int]{}
	p := probeOf[int](0)
	PublishSelector[int, int](src, same, Prefetch(1)).Subscribe(context.Background(), p)
	src.last().OnNext(1)
	src.last().OnNext(2)
	p.assertFailed(t, reactor.ErrOverflow)
	assert.Equal(t, int64(1), src.last().cancels.Load())

	// A result that ends before src is subscribed: it is not.
	src = &puppet[int]{}
	run(PublishSelector[int, int](src, func(reactor.Publisher[int]) reactor.Publisher[int] { return Empty[int]() })).assertCompleted(t)
	assert.Zero(t, src.count())
}
