package schedulers

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// goesBySystemClock asks s what those ask who may use timers of their own instead.
func goesBySystemClock(s Scheduler) bool {
	on, ok := s.(interface{ OnSystemClock() bool })
	return ok && on.OnSystemClock()
}

func TestSchedulersTellWhoseClockTheyGoBy(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			s := k.make()
			defer s.Dispose()
			assert.True(t, goesBySystemClock(s))
			other := k.make(WithClock(newManualClock()))
			defer other.Dispose()
			assert.False(t, goesBySystemClock(other))
		})
	}
}

// mutedFactory makes a Single that says nothing about its clock.
type mutedFactory struct{ DefaultFactory }

func (f mutedFactory) NewSingle(name string, opts ...Option) Scheduler {
	return struct{ Scheduler }{f.DefaultFactory.NewSingle(name, opts...)}
}

func TestSharedSchedulersTellWhoseClockTheyGoBy(t *testing.T) {
	defer ResetFrom(SetFactoryWithSnapshot(mutedFactory{}))
	assert.True(t, goesBySystemClock(Parallel()))
	assert.True(t, goesBySystemClock(BoundedElastic()))
	assert.False(t, goesBySystemClock(Single()), "nobody knows")
}

func TestNilClockPanics(t *testing.T) {
	assert.PanicsWithValue(t, "schedulers: WithClock: clock is nil", func() { WithClock(nil) })
}

// The goroutine that gets the place of one that has ended must not be taken for it: it is none of the slot's tasks.
func TestSlotForgetsTheGoroutineThatHasEnded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		defer s.Dispose()
		on := false
		slot := s.(*fixed).slots[0]
		require.NoError(t, s.Execute(func(context.Context) { on = slot.onLoop() }))
		synctest.Wait()
		assert.True(t, on)
		assert.Zero(t, slot.loopID.Load())
	})
}
