package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestDefaultIfEmptyDiscardsWhatItDoesNotNeed(t *testing.T) {
	ctx, hooks := probe.Recorded()
	runWith(ctx, DefaultIfEmpty(FromSlice([]int{1, 2}), 5)).Done(t, 1, 2)
	assert.Equal(t, []any{5}, hooks.Discarded)
	runWith(ctx, DefaultIfEmpty(Empty[int](), 6)).Done(t, 6)
	assert.Equal(t, []any{5}, hooks.Discarded)
	src := &puppet[int]{}
	p := runWith(ctx, DefaultIfEmpty[int](src, 7))
	src.last().OnNext(1)
	src.last().OnNext(2)
	src.last().OnComplete()
	p.Done(t, 1, 2)
	assert.Equal(t, []any{5, 7}, hooks.Discarded)

	race(t, 2000, func() ([]func(), func()) {
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		p := probeOf[int](0)
		DefaultIfEmpty[int](src, 5).Subscribe(ctx, p)
		return []func(){func() { src.last().OnComplete() }, p.Cancel, func() { p.Request(1) }}, func() {
			assert.Equal(t, 1, len(p.Got())+len(hooks.Discarded))
		}
	})
}

func TestDefaultIfEmptyEnds(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, DefaultIfEmpty[int](src, 5))
	src.last().OnError(errBoom)
	p.Failed(t, errBoom)
	p = runWith(ctx, DefaultIfEmpty[int](src, 6))
	p.Cancel()
	assert.EqualValues(t, 1, src.last().cancels.Load())
	p.Open(t)
	assert.Equal(t, []any{6}, hooks.Discarded)
}

// What computes it, as Block does, gets the same as who subscribes.
func TestDefaultIfEmptyComputed(t *testing.T) {
	one := FromSupplier(func() int { return 1 })
	for name, c := range map[string]struct {
		src       reactor.Publisher[int]
		want      int
		err       error
		discarded []any
	}{
		"element":    {one, 1, nil, []any{5}},
		"empty":      {Filter(one, func(int) bool { return false }), 5, nil, []any{1}},
		"failing":    {Map(one, func(int) int { panic(errBoom) }), 0, errBoom, []any{1}},
		"subscribed": {MonoFlatMap(one, func(int) reactor.Publisher[int] { return Hide(Just(2)) }), 2, nil, []any{5}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			v, err := Block(ctx, DefaultIfEmpty(c.src, 5))
			assert.ErrorIs(t, err, c.err)
			assert.Equal(t, c.want, v)
			assert.Equal(t, c.discarded, hooks.Discarded)
			ctx, hooks = probe.Recorded()
			p := runWith(ctx, DefaultIfEmpty(c.src, 5))
			if c.err == nil {
				p.Done(t, c.want)
			} else {
				p.Failed(t, c.err)
			}
			assert.Equal(t, c.discarded, hooks.Discarded)
		})
	}
}
