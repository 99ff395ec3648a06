package netreactor

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// withAMessage returns a connection that has one of two messages that are not answered, where limit may be.
func withAMessage(t *testing.T, limit int64) (*engine, *connection) {
	set, err := dialSettings(nil)
	require.NoError(t, err)
	eng := newEngine(context.Background(), set)
	eng.throttle.limit = limit
	eng.throttle.taken.Store(2)
	p := &paper{t: t, submitted: make(chan struct{}, 1)}
	c := &connection{eng: eng, loop: eng.loops[0], tr: p, ses: p}
	c.slots.Store(1)
	return eng, c
}

// TestTheLastAnswerAsItBeginsToWait: the answer to the only message that a connection has comes as it begins to wait for a place. There is
// none, and none becomes free, but without a message it may always have one: it does not wait, or is entered.
func TestTheLastAnswerAsItBeginsToWait(t *testing.T) {
	racetest.Repeat(racetest.Iterations(5000), func(race func(...func())) {
		_, c := withAMessage(t, 1) // another connection has one, too
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
	racetest.Repeat(racetest.Iterations(5000), func(race func(...func())) {
		eng, c := withAMessage(t, 2)
		waits := false
		race(
			func() { waits = c.throttled() },
			func() { eng.throttle.release(1) },
		)
		assert.True(t, !waits || c.state.Load()&workRequest != 0)
	})
}

// TestAPlaceThatIsReservedAsOneIsGivenBack is taken once, by who has got it: also where it is given to somebody who does not wait any more.
func TestAPlaceThatIsReservedAsOneIsGivenBack(t *testing.T) {
	racetest.Repeat(racetest.Iterations(5000), func(race func(...func())) {
		eng, c := withAMessage(t, 2) // another connection has one, too
		reserved := false
		race(
			func() { reserved = c.reserve() },
			c.giveBack,
		)
		used := int64(1)
		if reserved {
			used++
		}
		if c.turn.Load() == turnGiven {
			used++
		}
		assert.Equal(t, used, eng.throttle.taken.Load())
		assert.True(t, reserved || c.turn.Load() == turnGiven && c.state.Load()&workRequest != 0)
	})
}

// TestAPlaceAsNothingIsAnsweredAnyMore: a message that is delivered while CloseWrite is called, after which there is no answer to it,
// keeps no place.
func TestAPlaceAsNothingIsAnsweredAnyMore(t *testing.T) {
	racetest.Repeat(racetest.Iterations(5000), func(race func(...func())) {
		eng := engineFor(t, OutstandingLimit(1))
		conn := newConn(Bytes(LengthPrefixed()))
		eng.loops[0].prepare(&conn.core)
		conn.core.tr = &script{c: &conn.core, submitted: make(chan struct{}, 1)}
		race(
			func() {
				if conn.core.reserve() {
					conn.core.give()
				}
			},
			func() { assert.NoError(t, conn.CloseWrite()) },
		)
		assert.Zero(t, conn.core.slots.Load())
		assert.Zero(t, eng.throttle.taken.Load())
	})
}
