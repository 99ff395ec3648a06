package keylock

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A call for many keys does not ask all the holds it has before each further key.
func TestHoldsOfACallAreAskedSeldom(t *testing.T) {
	outer, inner := context.Background(), t.Context()
	a, asked := &several{outer: outer}, 0
	for range 10_000 {
		if a.watched(inner) == inner {
			asked += len(a.holds)
		}
		a.holds = append(a.holds, nil)
	}
	assert.Less(t, asked, 20_000)
}

// Many keys, some of them named several times: each lease is where its key is.
func TestManyKeysOfACall(t *testing.T) {
	m, err := New()
	require.NoError(t, err)
	defer m.Close()
	const n = 2000
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprint(i * 7919 % (n / 2))
	}
	held, err := m.DoAll(t.Context(), keys, func(ctx context.Context, leases []Lease) (int, error) {
		for i, l := range leases {
			if l.Key() != keys[i] || !l.Valid() {
				t.Errorf("lease %d is of %q", i, l.Key())
			}
		}
		_, err := m.Do(ctx, "0", func(context.Context, Lease) (int, error) { return 0, nil }, WaitTime(time.Hour))
		assert.ErrorIs(t, err, ErrReentrant)
		return m.Stats().Holders, nil
	})
	require.NoError(t, err)
	assert.Equal(t, n/2, held)
	assert.Zero(t, m.Stats().Holders)
}

// A lease that ends while further keys are acquired ends the call, however many those are.
func TestLeaseOfACallThatEndsMeanwhile(t *testing.T) {
	m, err := New()
	require.NoError(t, err)
	defer m.Close()
	keys := make([]string, 100)
	for i := range keys {
		keys[i] = fmt.Sprintf("%03d", i)
	}
	last, ok := m.TryAcquire(keys[len(keys)-1])
	require.True(t, ok)
	_, err = m.DoAll(t.Context(), keys, func(context.Context, []Lease) (int, error) { return 0, nil },
		LeaseTime(time.Millisecond), AtExpiry(ReleaseOnExpiry), WaitTime(Forever))
	assert.ErrorIs(t, err, ErrLeaseExpired)
	assert.True(t, last.Release())
	assert.Zero(t, m.Stats().Holders)
}
