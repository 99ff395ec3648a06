package executors_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
)

// minute is a job that takes a minute unless its context ends, and notes how that went.
func minute(cause *error) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(time.Minute):
		case <-ctx.Done():
			*cause = context.Cause(ctx)
		}
		return nil
	}
}

func TestTaskSchedulerClose(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		for _, c := range []struct {
			name  string
			opts  []executors.SchedulerOption
			limit time.Duration
			takes time.Duration
			err   error // of Close
			cause error // of the run's context
		}{
			{"at once", nil, time.Hour, 0, nil, executors.ErrShutdown},
			{"when the run has ended", []executors.SchedulerOption{executors.WaitOnShutdown(time.Second)}, time.Hour, time.Minute, nil, nil},
			{"by force", []executors.SchedulerOption{executors.WaitOnShutdown(time.Hour)}, time.Second, time.Second, context.DeadlineExceeded, executors.ErrShutdown},
		} {
			s := newTaskScheduler(t, append(opts, c.opts...)...)
			var cause error
			running := accept[*executors.Job](t)(s.At(time.Now(), minute(&cause)))
			waiting := accept[*executors.Job](t)(s.At(time.Now().Add(2*time.Hour), noError))
			synctest.Wait()
			ctx, cancel := context.WithTimeout(background, c.limit)
			defer cancel()
			began := time.Now()
			assert.ErrorIs(t, s.Close(ctx), c.err, c.name)
			assert.Equal(t, c.takes, time.Since(began), c.name)
			assert.True(t, s.IsShutdown(), c.name)
			require.NoError(t, s.AwaitTermination(background), c.name)
			assert.ErrorIs(t, cause, c.cause, c.name)
			<-running.Done()
			<-waiting.Done()
			assert.ErrorIs(t, waiting.Err(), executors.ErrShutdown, c.name)
			assert.NoError(t, s.Close(background), c.name+", again")
		}
	})
	assert.ErrorIs(t, new(executors.TaskScheduler).Close(background), reactor.ErrIllegalState)
	s := newTaskScheduler(t)
	assert.ErrorIs(t, s.Close(unset), reactor.ErrIllegalArgument)
	assert.False(t, s.IsShutdown())
}
