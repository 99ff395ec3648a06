package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestJustAll(t *testing.T) {
	ctx, hooks := recordHooks()
	runWith(ctx, JustAll[int]()).assertCompleted(t)
	runWith(ctx, JustAll(1)).assertCompleted(t, 1)
	runWith(ctx, JustAll(1, 2)).assertCompleted(t, 1, 2)
	p := probeOf[int](1)
	JustAll(1, 2, 3).Subscribe(ctx, p)
	p.cancel()
	assert.Empty(t, hooks.discarded)
	p = probeOf[int](1)
	FromSlice([]int{1, 2, 3}).Subscribe(ctx, p)
	p.cancel()
	assert.Equal(t, []any{2, 3}, hooks.discarded)
}
