package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestNextAndSingle(t *testing.T) {
	run(Next(FromSlice([]int{1, 2}))).assertCompleted(t, 1)
	run(Next(Empty[int]())).assertCompleted(t)
	run(Next(Error[int](errBoom))).assertFailed(t, errBoom)
	run(Map(Next(FromSlice([]int{1, 2})), func(int) int { panic(errBoom) })).assertFailed(t, errBoom)
	run(Single(Just(1))).assertCompleted(t, 1)
	run(Single(Empty[int]())).assertFailed(t, reactor.ErrNoElements)
	run(SingleOrDefault(Empty[int](), 5)).assertCompleted(t, 5)
	run(SingleOrEmpty(Empty[int]())).assertCompleted(t)
	run(Single(failing(1))).assertFailed(t, errBoom)

	ctx, hooks := recordHooks()
	src := &puppet[int]{}
	p := runWith(ctx, Single[int](src))
	src.last().OnNext(1)
	src.last().OnNext(2)
	p.assertFailed(t, reactor.ErrTooManyElements)
	assert.Equal(t, int64(1), src.last().cancels.Load())
	assert.ElementsMatch(t, []any{1, 2}, hooks.discarded)

	race(t, 1000, func() ([]func(), func()) {
		ctx, hooks := recordHooks()
		src := &puppet[int]{}
		p := probeOf[int](1)
		Single[int](src).Subscribe(ctx, p)
		return []func(){func() { src.last().OnNext(1) }, p.cancel}, func() {
			assert.Equal(t, []any{1}, hooks.discarded)
		}
	})
}
