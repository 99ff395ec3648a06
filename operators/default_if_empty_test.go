package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDefaultIfEmptyDiscardsWhatItDoesNotNeed(t *testing.T) {
	ctx, hooks := recordHooks()
	runWith(ctx, DefaultIfEmpty(FromSlice([]int{1, 2}), 5)).assertCompleted(t, 1, 2)
	assert.Equal(t, []any{5}, hooks.discarded)
	runWith(ctx, DefaultIfEmpty(Empty[int](), 6)).assertCompleted(t, 6)
	assert.Equal(t, []any{5}, hooks.discarded)

	race(t, 2000, func() ([]func(), func()) {
		ctx, hooks := recordHooks()
		src := &puppet[int]{}
		p := probeOf[int](0)
		DefaultIfEmpty[int](src, 5).Subscribe(ctx, p)
		return []func(){func() { src.last().OnComplete() }, p.cancel, func() { p.request(1) }}, func() {
			assert.Equal(t, 1, len(p.got())+len(hooks.discarded))
		}
	})
}
