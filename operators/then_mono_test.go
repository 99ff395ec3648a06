package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestThenMonoAndDemand(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, other := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](0)
	ThenMono[int, int](src, other).Subscribe(ctx, p)
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	src.last().OnNext(1)
	src.last().OnComplete()
	assert.Equal(t, reactor.Unbounded, other.last().requested.Load())
	other.last().OnNext(2)
	p.Open(t)
	p.Request(1)
	p.Done(t, 2)
	other.last().OnNext(3)
	other.last().OnError(errBoom)
	assert.Equal(t, []any{1, 3}, hooks.Discarded)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

func TestThenMonoCancelled(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, other := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](0)
	ThenMono[int, int](src, other).Subscribe(ctx, p)
	p.Cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
	src.last().OnComplete()
	assert.Zero(t, other.count())

	src, other = &puppet[int]{}, &puppet[int]{}
	p = probeOf[int](0)
	ThenMono[int, int](src, other).Subscribe(ctx, p)
	src.last().OnComplete()
	other.last().OnNext(9)
	p.Cancel()
	assert.Equal(t, int64(1), other.last().cancels.Load())
	assert.Equal(t, []any{9}, hooks.Discarded)

	race(t, 2000, func() ([]func(), func()) {
		src, other := &puppet[int]{}, &puppet[int]{}
		p := probeOf[int](1)
		ThenMono[int, int](src, other).Subscribe(context.Background(), p)
		return []func(){func() { src.last().OnComplete() }, p.Cancel}, func() {
			if other.count() == 1 {
				assert.Equal(t, int64(1), other.last().cancels.Load())
			}
		}
	})
}

func TestThenEmpty(t *testing.T) {
	ctx, hooks := probe.Recorded()
	other := &puppet[string]{}
	p := runWith(ctx, ThenEmpty(Just(1), reactor.Publisher[string](other)))
	p.Open(t)
	other.last().OnNext("a")
	other.last().OnComplete()
	p.Done(t)
	assert.Equal(t, []any{1, "a"}, hooks.Discarded)
	run(ThenEmpty(Error[int](errBoom), Just("a"))).Failed(t, errBoom)
}

func TestThenReturn(t *testing.T) {
	run(ThenReturn(Range(1, 3), "done")).Done(t, "done")
	run(ThenReturn(Error[int](errBoom), "done")).Failed(t, errBoom)
}
