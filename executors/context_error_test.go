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

// A context says once why it has ended: what ends it afterwards changes nothing.
func TestContextOfARunSaysOneError(t *testing.T) {
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
		}))
		g <- struct{}{}
		pass(2 * time.Second)
		g <- struct{}{}
		synctest.Wait()
		p.ShutdownNow()
		g <- struct{}{}
		close(g)
		synctest.Wait()
		want := context.DeadlineExceeded
		assert.Equal(t, []error{nil, want, want, want}, errs.read())
	})
}

// Nor does the time limit of the submitter that passes when the pool has ended it.
func TestContextOfARunSaysOneErrorBehindAShutdown(t *testing.T) {
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
			assert.ErrorIs(t, context.Cause(ctx), executors.ErrShutdown)
		}))
		p.ShutdownNow()
		g <- struct{}{}
		pass(2 * time.Second)
		g <- struct{}{}
		close(g)
		synctest.Wait()
		want := context.Canceled
		assert.Equal(t, []error{want, want, want}, errs.read())
	})
}
