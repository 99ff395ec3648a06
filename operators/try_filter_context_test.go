package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestTryFilterContextDiscards(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := probeOf[int](2)
	TryFilterContext(src, func(_ context.Context, v int) (bool, error) { return v%2 == 0, nil }).Subscribe(ctx, p)
	src.last().OnNext(1)
	assert.EqualValues(t, 3, src.last().requested.Load(), "one more for the one that is missing")
	src.last().OnNext(2)
	src.last().OnComplete()
	p.Done(t, 2)
	assert.Equal(t, []any{1}, hooks.Discarded)
}
