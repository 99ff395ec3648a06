package keylock_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/locktest"
)

// A renewal that gets no answer, ever, does not use up the time of the lease: it is
// given up and repeated while the record lives.
func TestRenewalWithoutAnswerIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var renewals atomic.Int32
		store := locktest.Intercept(locktest.NewStream(), func(ctx context.Context, op string, do func() error) error {
			if op == "Renew" && renewals.Add(1)%2 == 1 {
				<-ctx.Done() // whoever should answer has gone
				return locktest.ErrLost
			}
			return do()
		})
		m, err := keylock.New(keylock.WithBackend(store, 10*time.Second), keylock.LeaseTime(0))
		require.NoError(t, err)
		defer m.Close()
		lease, err := m.Acquire(t.Context(), "k")
		require.NoError(t, err)
		time.Sleep(time.Minute)
		assert.NoError(t, context.Cause(lease.Context()))
		assert.True(t, lease.Valid())
		assert.Greater(t, renewals.Load(), int32(15))
		assert.True(t, lease.Release())
	})
}

// The next renewal is due from the time of the request on, not of its answer: one that
// was slow does not push the others towards the end of the record.
func TestRenewalIsDueFromTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, op string, do func() error) error {
			if op == "TryAcquire" {
				err := do()
				time.Sleep(7 * time.Second)
				return err
			}
			return do()
		}
		m, err := keylock.New(keylock.WithBackend(locktest.Intercept(locktest.NewStream(), slow), 10*time.Second), keylock.LeaseTime(0))
		require.NoError(t, err)
		defer m.Close()
		lease, err := m.Acquire(t.Context(), "k", keylock.WaitTime(keylock.Forever))
		require.NoError(t, err)
		time.Sleep(5 * time.Second) // the record would have expired 3 seconds after the answer
		assert.NoError(t, context.Cause(lease.Context()))
		assert.True(t, lease.Release())
	})
}
