package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestNextAndSingle(t *testing.T) {
	run(Next(FromSlice([]int{1, 2}))).Done(t, 1)
	run(Next(Empty[int]())).Done(t)
	run(Next(Error[int](errBoom))).Failed(t, errBoom)
	run(Map(Next(FromSlice([]int{1, 2})), func(int) int { panic(errBoom) })).Failed(t, errBoom)
	run(Single(Just(1))).Done(t, 1)
	run(Single(Empty[int]())).Failed(t, reactor.ErrNoElements)
	run(SingleOrDefault(Empty[int](), 5)).Done(t, 5)
	run(SingleOrEmpty(Empty[int]())).Done(t)
	run(Single(failing(1))).Failed(t, errBoom)

	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, Single[int](src))
	src.last().OnNext(1)
	src.last().OnNext(2)
	p.Failed(t, reactor.ErrTooManyElements)
	assert.Equal(t, int64(1), src.last().cancels.Load())
	assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded)

	race(t, 1000, func() ([]func(), func()) {
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		p := probeOf[int](1)
		Single[int](src).Subscribe(ctx, p)
		return []func(){func() { src.last().OnNext(1) }, p.Cancel}, func() {
			assert.Equal(t, []any{1}, hooks.Discarded)
		}
	})
}
