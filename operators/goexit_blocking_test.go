package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A call that a user function never lets return has had elements that nobody gets.
func TestBlockingCallsThatAGoexitEndsDiscard(t *testing.T) {
	for name, call := range map[string]func(ctx context.Context, src stream){
		"collect":       func(ctx context.Context, src stream) { _, _ = Collect(ctx, src) },
		"blockLast":     func(ctx context.Context, src stream) { _, _ = BlockLast(ctx, src) },
		"blockOptional": func(ctx context.Context, src stream) { _, _, _ = BlockOptional(ctx, src) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			racetest.Aside(func() {
				call(ctx, DoOnComplete(Range(1, 3), runtime.Goexit))
			})
			assert.ElementsMatch(t, []any{1, 2, 3}, hooks.Discarded)
			assert.Empty(t, hooks.Errs)
		})
	}
}
