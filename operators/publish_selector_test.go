package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestPublishSelector(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[int](1)
	PublishSelector[int, int](src, func(x reactor.Publisher[int]) reactor.Publisher[int] {
		return Merge(x, Map(x, func(v int) int { return -v }))
	}, Prefetch(4)).Subscribe(context.Background(), p)
	assert.Equal(t, int64(4), src.last().requested.Load())
	src.last().OnNext(1)
	p.Open(t, 1)
	p.Request(3)
	src.last().OnNext(2)
	p.Open(t, 1, -1, 2, -2)
	src.last().OnNext(3)
	assert.Equal(t, int64(7), src.last().requested.Load(), "three quarters")
	src.last().OnComplete()
	p.Request(2)
	p.Done(t, 1, -1, 2, -2, 3, -3)
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
	a.Open(t, 1)
	a.Cancel()
	run(x).Done(t, 2)
	run(x).Done(t)
	p.Open(t)
}

func TestPublishSelectorEndsWithItsResult(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	var x reactor.Publisher[int]
	keep := func(shared reactor.Publisher[int]) reactor.Publisher[int] { x = shared; return Take(shared, 1) }
	p := probeOf[int](1)
	PublishSelector[int, int](src, keep).Subscribe(ctx, p)
	b := probeOf[int](0)
	x.Subscribe(ctx, b)
	src.last().OnNext(1)
	b.Request(1)
	b.Open(t, 1)
	src.last().OnNext(2)
	p.Done(t, 1)
	assert.Equal(t, int64(1), src.last().cancels.Load())
	src.last().OnNext(3)
	src.last().OnError(errBoom)
	assert.ElementsMatch(t, []any{2, 3}, hooks.Discarded)
	assert.Equal(t, []any{errBoom}, hooks.Errs)

	q := probeOf[int](0)
	PublishSelector[int, int](src, keep).Subscribe(ctx, q)
	src.last().OnNext(4)
	q.Cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
	assert.ElementsMatch(t, []any{2, 3, 4}, hooks.Discarded)
}

func TestPublishSelectorFailures(t *testing.T) {
	boom := func(reactor.Publisher[int]) reactor.Publisher[int] { panic(errBoom) }
	src := &puppet[int]{}
	run(PublishSelector[int, int](src, boom)).Failed(t, errBoom)
	assert.Zero(t, src.count())
	run(PublishSelector[int, int](src, func(reactor.Publisher[int]) reactor.Publisher[int] { return nil })).
		Items(t)

	same := func(x reactor.Publisher[int]) reactor.Publisher[int] { return x }
	run(PublishSelector[int, int](Error[int](errBoom), same)).Failed(t, errBoom)
	src = &puppet[int]{}
	p := probeOf[int](0)
	PublishSelector[int, int](src, same, Prefetch(1)).Subscribe(context.Background(), p)
	src.last().OnNext(1)
	src.last().OnNext(2)
	p.Failed(t, reactor.ErrOverflow)
	assert.Equal(t, int64(1), src.last().cancels.Load())

	// A result that ends before src is subscribed: it is not.
	src = &puppet[int]{}
	run(PublishSelector[int, int](src, func(reactor.Publisher[int]) reactor.Publisher[int] { return Empty[int]() })).Done(t)
	assert.Zero(t, src.count())
}

func TestPublishSelectorErrorThatNobodyGets(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, result := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](9)
	PublishSelector[int, int](src, func(stream) stream { return result }).Subscribe(ctx, p)
	src.last().OnError(errBoom)
	result.last().OnComplete()
	p.Done(t)
	assert.Equal(t, []any{errBoom}, hooks.Errs)

	// Not one that somebody gets.
	ctx, hooks = probe.Recorded()
	p = probeOf[int](9)
	PublishSelector[int, int](src, func(s stream) stream { return s }).Subscribe(ctx, p)
	src.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.Empty(t, hooks.Errs)
}
