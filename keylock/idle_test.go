package keylock

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/reactortest"
)

// A round that begins before the one before has taken out everything, between two of its parts, leaves nothing
// behind for ever.
func TestRoundsOfIdleKeysThatOverlap(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		m, err := New(IdleTTL(time.Second))
		require.NoError(t, err)
		defer m.Close()
		lease, err := m.Acquire(t.Context(), "k")
		require.NoError(t, err)
		assert.True(t, lease.Release())
		s := m.shardOf("k")
		// What a round does that finds the oldest key to be of the round before the last one: it counts,
		// and takes nothing out.
		s.lock()
		s.idle.round += 2
		s.unlock()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Zero(t, m.Stats().Keys)
	})
}
