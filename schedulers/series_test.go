package schedulers

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A series that begins at once and can't is made up for in its order: its runs come before
// a task that was submitted when they were due, and not behind all that waits with the
// first one.
func TestA5_2_SeriesThatBeginsLate(t *testing.T) {
	forWorkers(t, func(t *testing.T, s Scheduler, w Worker) {
		var order journal[string]
		require.NoError(t, w.Execute(func(context.Context) { time.Sleep(10 * time.Millisecond) }))
		pass(0)
		series := accept(t)(w.SchedulePeriodically(order.noting("series"), 0, time.Millisecond))
		require.NoError(t, w.Execute(order.noting("first")))
		pass(2500 * time.Microsecond)
		require.NoError(t, w.Execute(order.noting("second")))
		pass(8 * time.Millisecond)
		series.Dispose()
		want := []string{"series", "first", "series", "series", "second"}
		for range 8 {
			want = append(want, "series")
		}
		assert.Equal(t, want, order.read())
	})
}
