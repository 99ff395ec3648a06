package schedulers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What follows is submitted while the slot runs and its last chunk has room: such a task goes past what others
// go through, and must be treated as they are.

// runningSlot is a slot that runs a task, until release is called, and has another one in its queue.
func runningSlot(t *testing.T, s Scheduler) (release func()) {
	release = blocked(t, s)
	require.NoError(t, s.Execute(nothing))
	return release
}

func TestHastyAClosedSlotRefuses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		release := runningSlot(t, s)
		ended := make(chan error, 1)
		go func() { ended <- s.DisposeGracefully(t.Context()) }()
		synctest.Wait()
		require.ErrorIs(t, s.Execute(nothing), errDisposed)
		_, err := s.Schedule(nothing)
		require.ErrorIs(t, err, errDisposed)
		release()
		require.NoError(t, <-ended)
		assert.EqualValues(t, 2, s.Stats().Completed)
		assert.EqualValues(t, 2, s.Stats().Rejected)
	})
}

func TestHastyAFullSlotRefuses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 3, "t"))
		defer s.Dispose()
		release := runningSlot(t, s)
		for range 2 {
			require.NoError(t, s.Execute(nothing))
		}
		var full *RejectedError
		require.ErrorAs(t, s.Execute(nothing), &full)
		assert.Equal(t, 3, full.Capacity)
		release()
		synctest.Wait()
		st := s.Stats()
		assert.Equal(t, []int{4, 1, 0, 1, 0}, []int{int(st.Completed), int(st.Rejected), st.Busy, st.Idle, st.Queued})
	})
}

func TestHastyADisposedWorkerRefuses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		defer s.Dispose()
		release := runningSlot(t, s)
		w := s.NewWorker()
		require.NoError(t, w.Execute(nothing))
		w.Dispose()
		require.ErrorIs(t, w.Execute(nothing), errWorkerDisposed)
		release()
		synctest.Wait()
		assert.EqualValues(t, 2, s.Stats().Completed, "what it has not begun is dropped")
	})
}

// Between tasks that were submitted before and after a timed one was due, that one has its place.
func TestHastyTimedTasksKeepTheirPlace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		defer s.Dispose()
		var order []string
		note := func(what string) Task { return func(context.Context) { order = append(order, what) } }
		release := runningSlot(t, s)
		_, err := s.ScheduleAfter(note("timed"), time.Second)
		require.NoError(t, err)
		require.NoError(t, s.Execute(note("before")))
		time.Sleep(2 * time.Second)
		require.NoError(t, s.Execute(note("after")))
		release()
		synctest.Wait()
		assert.Equal(t, []string{"before", "timed", "after"}, order)
	})
}

// A task that disposes its own worker is not interrupted by that; its context ends behind it.
func TestHastyAContextEndsBehindItsTask(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		defer s.Dispose()
		w := s.NewWorker()
		var of context.Context
		var within error
		require.NoError(t, w.Execute(func(ctx context.Context) {
			of = ctx
			w.Dispose()
			within = ctx.Err()
		}))
		synctest.Wait()
		require.NoError(t, within)
		assert.ErrorIs(t, of.Err(), context.Canceled)
	})
}
