package executors_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The pool that waits for times ends at once, the one for runs with the last of these: until then there are instruments for that.
func TestMeterOfJobsUntilTheLastRunHasEnded(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		m := newTestMeter()
		var after journal[error]
		s := newTaskScheduler(t, append(opts, quiet, executors.WaitOnShutdown(time.Minute), executors.PoolOptions(executors.WithMeter(m, "app"),
			executors.WithHooks(executors.Hooks{After: func(_ context.Context, err error) { after.note(err) }})))...)
		accept[*executors.Job](t)(s.At(time.Now(), func(context.Context) error {
			time.Sleep(10 * time.Second)
			return errScript
		}))
		synctest.Wait()
		ended := make(chan error)
		go func() { ended <- s.Shutdown() }()
		pass(9 * time.Second)
		assert.Zero(t, m.removed())
		require.NoError(t, <-ended)
		assert.Equal(t, 6, m.removed())
		assert.Contains(t, m.times("app.executor.completed"), 10*time.Second)
		for _, err := range after.read() {
			assert.NoError(t, err, "OnJobError has heard of it")
		}
	})
}

// Jobs are there from their first plan to their end, in the order in which they came.
func TestJobsThatAreNotOver(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		s := newTaskScheduler(t, opts...)
		var want []*executors.Job
		for i := range 20 {
			want = append(want, accept[*executors.Job](t)(s.AtFixedRate(time.Hour, noError, executors.Named(string(rune('z'-i))))))
		}
		once := accept[*executors.Job](t)(s.At(time.Now().Add(time.Minute), noError))
		assert.Equal(t, append(slices.Clone(want), once), s.Jobs())
		want[3].Cancel(nil)
		pass(2 * time.Minute)
		assert.Equal(t, slices.Delete(want, 3, 4), s.Jobs())
		require.NoError(t, s.Shutdown())
		assert.Empty(t, s.Jobs())
		assert.Empty(t, new(executors.TaskScheduler).Jobs())
	})
}
