package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestToChan(t *testing.T) {
	ch, failure := ToChan(context.Background(), failing(1, 2))
	assert.Equal(t, 1, <-ch)
	assert.Equal(t, 2, <-ch)
	_, open := <-ch
	assert.False(t, open)
	assert.Equal(t, errBoom, <-failure)

	hctx, hooks := probe.Recorded()
	ctx, cancel := context.WithCancelCause(hctx)
	ch, failure = ToChan(ctx, FromSlice([]int{1, 2, 3}))
	assert.Equal(t, 1, <-ch)
	cancel(errOther)
	assert.Equal(t, errOther, <-failure)
	for range ch {
	}
	discarded, _, _ := hooks.Seen()
	assert.ElementsMatch(t, []any{2, 3}, discarded)
}
