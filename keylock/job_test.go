package keylock_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/keylock"
)

// A job whose lease expires while it runs: it is still running when the run has its outcome. The race detector sees who looks at what
// it does.
func TestJobThatRunsOnBehindItsLease(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		var over atomic.Bool
		job := m.Job("k", func(context.Context) error {
			time.Sleep(time.Minute)
			over.Store(true)
			return nil
		}, keylock.LeaseTime(time.Second), keylock.AtExpiry(keylock.ReleaseOnExpiry))
		assert.ErrorIs(t, job(t.Context()), keylock.ErrLeaseExpired)
		assert.Zero(t, m.Stats().Skipped, "it has run")
		time.Sleep(2 * time.Minute)
		assert.True(t, over.Load())
	})
}

// A job has the lease of any other call, which is short for what runs at night: its own comes first.
func TestJobsHaveTheLeaseOfOtherCalls(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		export := func(ctx context.Context) error {
			select {
			case <-time.After(time.Hour):
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		start := time.Now()
		assert.ErrorIs(t, m.Job("nightly", export)(t.Context()), keylock.ErrLeaseExpired)
		assert.Equal(t, 10*time.Second, time.Since(start))
		assert.NoError(t, m.Job("nightly", export, keylock.LeaseTime(2*time.Hour))(t.Context()))
	})
}
