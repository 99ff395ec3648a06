package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestDefaultIfEmptyDiscardsWhatItDoesNotNeed(t *testing.T) {
	ctx, hooks := probe.Recorded()
	runWith(ctx, DefaultIfEmpty(FromSlice([]int{1, 2}), 5)).Done(t, 1, 2)
	assert.Equal(t, []any{5}, hooks.Discarded)
	runWith(ctx, DefaultIfEmpty(Empty[int](), 6)).Done(t, 6)
	assert.Equal(t, []any{5}, hooks.Discarded)

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
