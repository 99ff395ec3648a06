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

// What SingleWorker makes of a lane has the order of the lane, also where a series is behind: its runs were handed over
// again one by one, behind all that had come meanwhile.
func TestA9_8_SingleWorkerLateRunsKeepTheirPlaces(t *testing.T) {
	for name, of := range map[string]func(s Scheduler, w Worker) lane{
		"the worker itself": func(_ Scheduler, w Worker) lane { return w },
		"singleWorker":      func(s Scheduler, _ Worker) lane { return SingleWorker(s) },
	} {
		t.Run(name, func(t *testing.T) {
			forWorkers(t, func(t *testing.T, s Scheduler, w Worker) {
				l := of(s, w)
				var order journal[string]
				slow := true
				series := accept(t)(l.SchedulePeriodically(func(ctx context.Context) {
					order.noting("series")(ctx)
					if slow {
						slow = false
						time.Sleep(3500 * time.Microsecond)
					}
				}, 0, time.Millisecond))
				pass(2500 * time.Microsecond)
				require.NoError(t, l.Execute(order.noting("task")))
				pass(2 * time.Millisecond)
				series.Dispose()
				pass(10 * time.Millisecond)
				assert.Equal(t, []string{"series", "series", "series", "task", "series", "series"}, order.read())
			})
		})
	}
}

// A series that ends with its first failure leaves nothing in the lane.
func TestA9_8_SingleWorkerSeriesThatStops(t *testing.T) {
	bubble(t, func(t *testing.T) {
		source := NewSingle("t")
		defer source.Dispose()
		s := SingleWorker(source)
		errs := catchErrors(t)
		runs := 0
		series := accept(t)(s.SchedulePeriodically(func(context.Context) { runs++; panic("x") }, 0, time.Second, StopOnError()))
		pass(time.Minute)
		assert.Equal(t, 1, runs)
		assert.True(t, series.IsDisposed())
		assert.Len(t, errs.read(), 1)
		assert.Zero(t, source.Stats().Slots[0].Delayed)
		require.NoError(t, s.DisposeGracefully(t.Context()))
	})
}
