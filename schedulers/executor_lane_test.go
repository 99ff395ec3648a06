package schedulers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
)

// overPools runs f with schedulers on pools of one worker and of several.
func overPools(t *testing.T, f func(t *testing.T, s Scheduler)) {
	for _, workers := range []int{1, 3} {
		bubble(t, func(t *testing.T) {
			p, err := executors.NewScheduledPool(workers)
			require.NoError(t, err)
			s := FromScheduledPool(p)
			defer s.Dispose()
			f(t, s)
		})
	}
}

// A worker on a pool has the order of the others, also where the pool has no worker left that
// could say that the time of a task has come.
func TestA5_2_LanesOfAPoolAreInTheOrderOfTime(t *testing.T) {
	overPools(t, func(t *testing.T, s Scheduler) {
		w := s.NewWorker()
		var order journal[string]
		require.NoError(t, w.Execute(func(context.Context) { time.Sleep(10 * time.Millisecond) }))
		pass(0)
		accept(t)(w.ScheduleAfter(order.noting("at 8"), 8*time.Millisecond))
		accept(t)(w.ScheduleAfter(order.noting("at 2"), 2*time.Millisecond))
		gone := accept(t)(w.ScheduleAfter(order.noting("disposed"), 3*time.Millisecond))
		accept(t)(w.ScheduleAfter(order.noting("at 20"), 20*time.Millisecond))
		series := accept(t)(w.SchedulePeriodically(order.noting("series"), time.Millisecond, 4*time.Millisecond))
		pass(6 * time.Millisecond)
		require.NoError(t, w.Execute(order.noting("at 6")))
		gone.Dispose()
		pass(5 * time.Millisecond)
		assert.Equal(t, []string{"series", "at 2", "series", "at 6", "at 8", "series"}, order.read())
		series.Dispose()
		pass(time.Second)
		assert.Equal(t, "at 20", order.read()[6])
		assert.Len(t, order.read(), 7)
		require.NoError(t, s.DisposeGracefully(t.Context()))
	})
}

// A worker that always has something to do does not keep the pool from the others.
func TestE8_LanesOfAPoolTakeTurns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, err := executors.NewScheduledPool(1)
		require.NoError(t, err)
		s := FromScheduledPool(p)
		w, runs, others := s.NewWorker(), 0, 0
		var again func(context.Context)
		again = func(context.Context) {
			if runs++; runs == 1 {
				assert.NoError(t, s.NewWorker().Execute(func(context.Context) { others = runs }))
			}
			if runs < 1000 {
				assert.NoError(t, w.Execute(again))
			}
		}
		require.NoError(t, w.Execute(again))
		pass(0)
		assert.Equal(t, 1000, runs)
		assert.Less(t, others, 100)
		require.NoError(t, s.DisposeGracefully(t.Context()))
	})
}

// A series without a period runs behind what has come during its run, also on a pool.
func TestA4_5_PeriodZeroOnALaneOfAPool(t *testing.T) {
	overPools(t, func(t *testing.T, s Scheduler) {
		w := s.NewWorker()
		var order journal[string]
		series := accept(t)(w.SchedulePeriodically(func(context.Context) {
			order.note("series")
			time.Sleep(time.Millisecond)
		}, 0, 0))
		pass(500 * time.Microsecond)
		require.NoError(t, w.Execute(order.noting("a")))
		require.NoError(t, w.Execute(order.noting("b")))
		pass(time.Millisecond)
		series.Dispose()
		assert.Equal(t, []string{"series", "a", "b", "series"}, order.read())
		pass(time.Second)
		require.NoError(t, s.DisposeGracefully(t.Context()))
	})
}

// Of a timed task and one that is submitted when the time of that has come, the timed one is first: it was submitted before.
func TestA5_2_LanesOfAPoolAtTheSameTime(t *testing.T) {
	overPools(t, func(t *testing.T, s Scheduler) {
		w := s.NewWorker()
		var order journal[string]
		require.NoError(t, w.Execute(func(context.Context) { time.Sleep(10 * time.Millisecond) }))
		pass(0)
		accept(t)(w.ScheduleAfter(order.noting("timed"), 5*time.Millisecond))
		pass(5 * time.Millisecond)
		require.NoError(t, w.Execute(order.noting("at its time")))
		pass(10 * time.Millisecond)
		assert.Equal(t, []string{"timed", "at its time"}, order.read())
		require.NoError(t, s.DisposeGracefully(t.Context()))
	})
}

// So it is where no time passes.
func TestA4_5_PeriodZeroWithinAnInstant(t *testing.T) {
	overPools(t, func(t *testing.T, s Scheduler) {
		w, runs, seen := s.NewWorker(), 0, 0
		accept(t)(w.SchedulePeriodically(func(context.Context) {
			switch runs++; runs {
			case 1:
				assert.NoError(t, w.Execute(func(context.Context) { seen = runs }))
			case 100:
				w.Dispose()
			}
		}, 0, 0))
		pass(0)
		assert.Equal(t, 1, seen)
		assert.Equal(t, 100, runs)
		require.NoError(t, s.DisposeGracefully(t.Context()))
	})
}

// A task that is disposed leaves the lane at once, and not when its time has come.
func TestA4_8_DisposedTaskLeavesTheLane(t *testing.T) {
	overPools(t, func(t *testing.T, s Scheduler) {
		w := s.NewWorker().(*executorWorker)
		waiting := func() int {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.timed.Len()
		}
		once := accept(t)(w.ScheduleAfter(nothing, time.Hour))
		series := accept(t)(w.SchedulePeriodically(nothing, time.Hour, time.Hour))
		accept(t)(w.ScheduleAfter(nothing, time.Hour))
		assert.Equal(t, 3, waiting())
		once.Dispose()
		assert.Equal(t, 2, waiting())
		series.Dispose()
		assert.Equal(t, 1, waiting())
		w.Dispose()
		assert.Zero(t, waiting())
	})
}

// What is overdue when it is the turn of others is not forgotten, also if its wake-up has come before.
func TestE8_LanesOfAPoolForgetNothing(t *testing.T) {
	overPools(t, func(t *testing.T, s Scheduler) {
		w, ran := s.NewWorker(), false
		require.NoError(t, w.Execute(func(context.Context) { time.Sleep(10 * time.Millisecond) }))
		pass(0)
		for range turns - 1 {
			require.NoError(t, w.Execute(nothing))
		}
		accept(t)(w.ScheduleAfter(func(context.Context) { ran = true }, 5*time.Millisecond))
		pass(time.Second)
		assert.True(t, ran)
		require.NoError(t, s.DisposeGracefully(t.Context()))
	})
}

// A series without a period ends with the pool, whoever shuts that down.
func TestA6_4_PeriodZeroOnALaneOfAPoolThatIsShutDown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := scheduledPool(t, 2)
		s := FromScheduledPool(p)
		d := accept(t)(s.NewWorker().SchedulePeriodically(func(context.Context) { time.Sleep(time.Millisecond) }, 0, 0))
		pass(time.Second)
		p.Shutdown()
		require.NoError(t, p.AwaitTermination(t.Context()))
		assert.True(t, d.IsDisposed())
	})
}

// What has run is not kept, by its scheduler or by its handle.
func TestTasksOfAnExecutorAreForgotten(t *testing.T) {
	overPools(t, func(t *testing.T, s Scheduler) {
		x := s.(*executorScheduler)
		noted := func() int {
			x.mu.Lock()
			defer x.mu.Unlock()
			return len(x.timed)
		}
		for _, l := range []lane{s, s.NewWorker()} {
			d := accept(t)(l.ScheduleAfter(nothing, time.Second)).(*executorTask)
			series := accept(t)(l.SchedulePeriodically(nothing, time.Second, time.Second)).(*executorTask)
			assert.Equal(t, 2, noted())
			pass(2 * time.Second)
			series.Dispose()
			synctest.Wait()
			assert.Zero(t, noted())
			assert.Nil(t, d.fn)
			assert.Nil(t, series.fn)
		}
	})
}
