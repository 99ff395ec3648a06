package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// exitingPublisher is a publisher of the library whose Subscribe does not return, as where a clock ends the goroutine.
type exitingPublisher struct{ protocol.Op }

func (exitingPublisher) Subscribe(context.Context, reactor.Subscriber[int]) { runtime.Goexit() }

// The loop has nothing to discard then; to look for it would begin again for ever.
func TestAllBehindASubscribeThatEndsTheGoroutine(t *testing.T) {
	for _, ctx := range []context.Context{context.Background(), t.Context()} {
		returned := false
		racetest.Aside(func() {
			for _, err := range All(ctx, reactor.Publisher[int](exitingPublisher{})) {
				assert.NoError(t, err)
				assert.Fail(t, "an element")
			}
			returned = true
		})
		assert.False(t, returned)
	}
}
