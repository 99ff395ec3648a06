package netreactor

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// TestTheLastAnswerAsItBeginsToWait: the answer to the only message that a connection has comes as it begins to wait for a place. There is
// none, and none becomes free, but without a message it may always have one: it does not wait, or is entered.
func TestTheLastAnswerAsItBeginsToWait(t *testing.T) {
	set, err := dialSettings(nil)
	require.NoError(t, err)
	racetest.Repeat(racetest.Iterations(5000), func(race func(...func())) {
		eng := newEngine(context.Background(), set)
		eng.throttle.limit = 1
		eng.throttle.taken.Store(2) // another connection has a message, too
		p := &paper{t: t, submitted: make(chan struct{}, 1)}
		c := &connection{eng: eng, loop: eng.loops[0], tr: p, ses: p}
		c.slots.Store(1)
		waits := false
		race(
			func() { waits = c.throttled() },
			c.giveBack,
		)
		assert.True(t, !waits || c.state.Load()&workRequest != 0)
	})
}

// TestAPlaceAsItBeginsToWait: one becomes free in this moment, and is not forgotten.
func TestAPlaceAsItBeginsToWait(t *testing.T) {
	set, err := dialSettings(nil)
	require.NoError(t, err)
	racetest.Repeat(racetest.Iterations(5000), func(race func(...func())) {
		eng := newEngine(context.Background(), set)
		eng.throttle.limit = 2
		eng.throttle.taken.Store(2)
		p := &paper{t: t, submitted: make(chan struct{}, 1)}
		c := &connection{eng: eng, loop: eng.loops[0], tr: p, ses: p}
		c.slots.Store(1)
		waits := false
		race(
			func() { waits = c.throttled() },
			func() { eng.throttle.release(1) },
		)
		assert.True(t, !waits || c.state.Load()&workRequest != 0)
	})
}
