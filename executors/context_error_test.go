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

// A context says once why it has ended, be it the time limit of the submitter or a shutdown of the pool: what ends it afterwards changes nothing.
func TestContextOfARunSaysOneError(t *testing.T) {
	limit := func(*executors.ThreadPool) { pass(2 * time.Second) }
	shutdown := func(p *executors.ThreadPool) { p.ShutdownNow() }
	for name, c := range map[string]struct {
		first, then func(*executors.ThreadPool)
		err, cause  error
	}{
		"the time limit": {limit, shutdown, context.DeadlineExceeded, context.DeadlineExceeded},
		"a shutdown":     {shutdown, limit, context.Canceled, executors.ErrShutdown},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := newPool(t, 1, 1, executors.Unbounded())
				ctx, cancel := context.WithTimeout(background, time.Second)
				defer cancel()
				g := make(chan struct{})
				var errs journal[error]
				require.NoError(t, p.Execute(ctx, func(ctx context.Context) {
					for range g {
						errs.note(ctx.Err())
					}
					<-ctx.Done()
					errs.note(ctx.Err())
					assert.ErrorIs(t, context.Cause(ctx), c.cause)
				}))
				g <- struct{}{}
				c.first(p)
				g <- struct{}{}
				synctest.Wait()
				c.then(p)
				g <- struct{}{}
				close(g)
				synctest.Wait()
				assert.Equal(t, []error{nil, c.err, c.err, c.err}, errs.read())
			})
		})
	}
}
