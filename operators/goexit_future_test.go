package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A future that a function of the user never lets ToFuture return has an element that nobody gets, or a source that nobody can
// cancel.
func TestFutureThatAGoexitKeepsBack(t *testing.T) {
	ctx, hooks := probe.Recorded()
	racetest.Aside(func() { ToFuture(ctx, DoOnComplete(Range(1, 1), runtime.Goexit)) })
	assert.Equal(t, []any{1}, hooks.Discarded)

	src := &puppet[int]{}
	racetest.Aside(func() {
		ToFuture(ctx, DoOnRequest(src, func(int64) { runtime.Goexit() }))
	})
	assert.Equal(t, int64(1), src.last().cancels.Load())
}
