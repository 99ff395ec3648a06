package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestJustAll(t *testing.T) {
	ctx, hooks := probe.Recorded()
	runWith(ctx, JustAll[int]()).Done(t)
	runWith(ctx, JustAll(1)).Done(t, 1)
	runWith(ctx, JustAll(1, 2)).Done(t, 1, 2)
	p := probeOf[int](1)
	JustAll(1, 2, 3).Subscribe(ctx, p)
	p.Cancel()
	assert.Empty(t, hooks.Discarded)
	p = probeOf[int](1)
	FromSlice([]int{1, 2, 3}).Subscribe(ctx, p)
	p.Cancel()
	assert.Equal(t, []any{2, 3}, hooks.Discarded)
}
