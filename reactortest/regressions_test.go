package reactortest

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// The tests named Test<row>_… hold on to bugs that other libraries had; R# is a thread of
// reactor/reactor-core, X# one of ReactiveX/RxJava.

// E9, R#1251: the virtual clock stood still while nothing was scheduled.
func TestE9_TheClockMovesWithoutTasks(t *testing.T) {
	v := NewVirtualTime()
	v.AdvanceBy(time.Hour)
	assert.Equal(t, time.Hour, v.Now().Sub(epoch))
	v.AdvanceTo(epoch.Add(3 * time.Hour))
	assert.Equal(t, 3*time.Hour, v.Now().Sub(epoch))
	ran := time.Duration(0)
	_, err := v.ScheduleAfter(func(context.Context) { ran = v.Now().Sub(epoch) }, time.Hour)
	require.NoError(t, err)
	v.AdvanceBy(5 * time.Hour)
	assert.Equal(t, 4*time.Hour, ran)
	assert.Equal(t, 8*time.Hour, v.Now().Sub(epoch))
}

// E10, X#5661: a task that was cancelled between a look at the queue and its removal made
// another one vanish, and steps made at the same time got lost.
func TestE10_CancelAgainstAdvance(t *testing.T) {
	racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
		v := NewVirtualTime()
		var ran [10]atomic.Int32
		var cancels []func()
		for i := range 10 {
			d, err := v.ScheduleAfter(func(context.Context) { ran[i].Add(1) }, time.Duration(1+i/2)*ms)
			require.NoError(t, err)
			if i%2 == 0 {
				cancels = append(cancels, d.Dispose)
			}
		}
		race(
			func() {
				for _, cancel := range cancels {
					cancel()
				}
			},
			func() { v.AdvanceBy(2 * ms); v.AdvanceBy(1 * ms) },
			func() { v.AdvanceBy(3 * ms) },
		)
		require.Equal(t, 6*ms, v.Now().Sub(epoch))
		for i := range 10 {
			if i%2 == 1 {
				require.EqualValues(t, 1, ran[i].Load(), "task %d", i)
			}
		}
		require.Zero(t, v.Pending())
	})
}
