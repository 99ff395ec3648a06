package executors_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
)

// A shutdown interrupts nothing: what its submitter runs may go on behind the end of the pool, and is ended by ShutdownNow alone.
func TestWhatACallerRunsGoesOnBehindTheEnd(t *testing.T) {
	for name, now := range map[string]bool{"Shutdown": false, "ShutdownNow": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p, err := executors.NewThreadPool(1, 1, time.Minute, executors.Direct(), executors.WithPolicy(executors.CallerRuns))
				require.NoError(t, err)
				g := newGate(t)
				var plain context.Context
				require.NoError(t, p.Execute(background, func(ctx context.Context) { plain = ctx; <-g.c }))
				var within [2]context.Context
				hold := make(chan struct{})
				for i := range within {
					go p.Submit(background, func(ctx context.Context) (int, error) {
						within[i] = ctx
						<-hold
						return 1, ctx.Err()
					})
				}
				synctest.Wait()
				p.Shutdown()
				g.open()
				require.NoError(t, p.AwaitTermination(background))
				for _, ctx := range within {
					assert.NoError(t, ctx.Err())
				}
				if now {
					p.ShutdownNow()
					synctest.Wait()
					for _, ctx := range within {
						assert.ErrorIs(t, context.Cause(ctx), executors.ErrShutdown)
					}
				}
				close(hold)
				synctest.Wait()
				for _, ctx := range within {
					assert.ErrorIs(t, ctx.Err(), context.Canceled, "as after each run")
				}
				assert.ErrorIs(t, context.Cause(plain), executors.ErrShutdown, "as after each pool")
			})
		})
	}
}
