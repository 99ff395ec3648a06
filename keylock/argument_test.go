package keylock_test

import (
	"context"
	"testing"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/keylock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An option that a call can't use is called an illegal argument once.
func TestRefusedOptionOfACall(t *testing.T) {
	m, err := keylock.New()
	require.NoError(t, err)
	defer m.Close()

	_, err = m.Acquire(context.Background(), "k", keylock.LeaseTime(-1))
	assert.EqualError(t, err, `keylock: Acquire "k": illegal argument: LeaseTime: d ≥ 0 required but it was -1ns`)
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	assert.PanicsWithValue(t, `keylock: TryAcquire "k": illegal argument: Grace: TryAcquire runs no function`,
		func() { m.TryAcquire("k", keylock.Grace(1)) })
}

func TestLoadConfigWithoutALookup(t *testing.T) {
	c, err := keylock.LoadConfig(nil)
	assert.EqualError(t, err, "keylock: LoadConfig: lookup is nil: illegal argument")
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	assert.NotZero(t, c.Lease, "the defaults are there all the same")
}
