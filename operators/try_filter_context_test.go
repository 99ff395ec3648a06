package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTryFilterContextDiscards(t *testing.T) {
	ctx, hooks := recordHooks()
	src := &puppet[int]{}
	p := probeOf[int](2)
	TryFilterContext(src, func(_ context.Context, v int) (bool, error) { return v%2 == 0, nil }).Subscribe(ctx, p)
	src.last().OnNext(1)
	assert.EqualValues(t, 3, src.last().requested.Load(), "one more for the one that is missing")
	src.last().OnNext(2)
	src.last().OnComplete()
	p.assertCompleted(t, 2)
	assert.Equal(t, []any{1}, hooks.discarded)
}
