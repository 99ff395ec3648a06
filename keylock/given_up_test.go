package keylock

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// waitingFor returns a call that has asked for key, and what it was told.
func waitingFor(t *testing.T, m *Manager, key string, opts ...CallOption) (*hold, arrival, *Error) {
	t.Helper()
	c, err := m.callOf("Acquire", key, opts)
	require.NoError(t, err)
	h := m.newHold(&c)
	m.setUp(h, t.Context(), byAcquire, key, &c)
	got, failure := h.ask(key, &c)
	return h, got, failure
}

// A subscription may be cancelled before it is told that it gets no key: it is in no queue then.
func TestWhoIsRefusedAtOnceHasNothingToGiveUp(t *testing.T) {
	for _, opts := range [][]CallOption{{WaitTime(0)}, {MaxWaiters(1)}} {
		m, err := New()
		require.NoError(t, err)
		lease, err := m.Acquire(t.Context(), "k")
		require.NoError(t, err)
		other, got, _ := waitingFor(t, m, "k")
		assert.Equal(t, queued, got)
		h, got, _ := waitingFor(t, m, "k", opts...)
		assert.Equal(t, failed, got)
		assert.NotPanics(t, h.abandonQueued)
		assert.True(t, other.giveUp())
		assert.True(t, lease.Release())
		m.Close()
	}
}

// Whose wait is over does not take what it hears of before it is told why: a key that is free.
func TestBargingOfOneWhoseWaitIsOver(t *testing.T) {
	m, err := New(Barging())
	require.NoError(t, err)
	lease, err := m.Acquire(t.Context(), "k")
	require.NoError(t, err)
	h, got, _ := waitingFor(t, m, "k")
	require.Equal(t, queued, got)
	require.True(t, h.giveUp())
	require.True(t, lease.Release())
	over, err := h.woken()
	assert.False(t, over, "it has neither the key nor a reason why not")
	assert.NoError(t, err)
	why := errors.New("why")
	h.refuse(why)
	over, err = h.woken()
	assert.True(t, over)
	assert.ErrorIs(t, err, why)
	m.Close()
}

// The context of a lease that was granted lives as long as the lease, not as the stream that has brought it.
func TestGrantsContextOutlivesItsStream(t *testing.T) {
	m, err := New()
	require.NoError(t, err)
	lease, err := m.Grant("k").Block(t.Context())
	require.NoError(t, err)
	assert.NoError(t, lease.Context().Err())
	assert.True(t, lease.Release())
	assert.Error(t, lease.Context().Err())
	m.Close()
}

// asking is a context without an end that calls ask when somebody wants to know of that.
type asking struct {
	context.Context
	ask func()
}

func (c *asking) Done() <-chan struct{} {
	if c.ask != nil {
		c.ask()
	}
	return nil
}

// The context that a call came with is the caller's: it is not asked under a lock.
func TestNoContextIsAskedUnderALock(t *testing.T) {
	m, err := New()
	require.NoError(t, err)
	defer m.Close()
	ctx := &asking{Context: context.WithoutCancel(t.Context())}
	lease, err := m.Acquire(ctx, "k")
	require.NoError(t, err)
	end := lease.Context().Done()
	assert.True(t, lease.Release())
	<-end
	asked := 0
	ctx.ask = func() {
		asked++
		mu := &lease.h.inner.Load().mu
		if assert.True(t, mu.TryLock(), "it is locked") {
			mu.Unlock()
		}
	}
	assert.ErrorIs(t, context.Cause(lease.Context()), context.Canceled)
	assert.Positive(t, asked)
}
