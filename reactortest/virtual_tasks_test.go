package reactortest_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// A worker that is disposed knows its tasks: those of others are not looked at, which once took a copy of them all.
func TestDisposalLooksAtItsOwnTasks(t *testing.T) {
	v := reactortest.NewVirtualTime()
	nothing := func(context.Context) {}
	for range 100_000 {
		_, err := v.ScheduleAfter(nothing, time.Hour)
		assert.NoError(t, err)
	}
	workers := make([]schedulers.Worker, 100)
	for i := range workers {
		workers[i] = v.NewWorker()
		_, err := workers[i].ScheduleAfter(nothing, time.Hour)
		assert.NoError(t, err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, w := range workers {
		w.Dispose()
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "for a hundred")
	assert.Equal(t, 100_000, v.Pending())
}

// What belongs to a lane is found there, in whatever order tasks and workers come and go.
func TestTasksOfLanes(t *testing.T) {
	v := reactortest.NewVirtualTime()
	nothing := func(context.Context) {}
	var workers []schedulers.Worker
	var tasks []schedulers.Disposable
	for range 3 {
		w := v.NewWorker()
		workers = append(workers, w)
		for range 3 {
			d, err := w.ScheduleAfter(nothing, time.Hour)
			assert.NoError(t, err)
			tasks = append(tasks, d)
		}
	}
	periodic, err := workers[1].SchedulePeriodically(nothing, time.Minute, time.Minute)
	assert.NoError(t, err)
	v.AdvanceBy(3 * time.Minute) // it leaves and comes back
	assert.Equal(t, 10, v.Pending())
	tasks[4].Dispose() // one between two others
	tasks[4].Dispose()
	tasks[8].Dispose() // the last that came
	tasks[6].Dispose() // the first
	assert.Equal(t, 7, v.Pending())
	workers[1].Dispose()
	assert.True(t, periodic.IsDisposed())
	assert.Equal(t, 4, v.Pending())
	workers[2].Dispose()
	assert.Equal(t, 3, v.Pending())
	assert.False(t, tasks[0].IsDisposed())
	v.Dispose()
	assert.Zero(t, v.Pending())
	for _, d := range tasks {
		assert.True(t, d.IsDisposed())
	}
	assert.NoError(t, v.DisposeGracefully(t.Context()), "nothing is left")
}
