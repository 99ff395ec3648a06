package executors_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
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

// TestTaskSchedulerCloseNamesWhatRuns: who stops a process learns which jobs do not end.
func TestTaskSchedulerCloseNamesWhatRuns(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		for _, wait := range []bool{false, true} {
			opts := append(opts, executors.PoolSize(2), executors.PoolOptions(executors.WithName("jobs")))
			if wait {
				opts = append(opts, executors.WaitOnShutdown(time.Hour))
			}
			s := newTaskScheduler(t, opts...)
			hang := func(context.Context) error {
				time.Sleep(time.Minute)
				return nil
			}
			for _, name := range []string{"nightly", "hourly"} {
				accept[*executors.Job](t)(s.At(time.Now(), hang, executors.Named(name)))
			}
			accept[*executors.Job](t)(s.At(time.Now().Add(2*time.Hour), noError, executors.Named("later")))
			synctest.Wait()
			for _, still := range []string{`: still running: "hourly", "nightly"`, ""} { // the second time they are not known any more
				ctx, cancel := context.WithTimeout(background, time.Second)
				defer cancel()
				err := s.Close(ctx)
				assert.EqualError(t, err, `executors: Close: task scheduler "jobs"`+still+": context deadline exceeded")
				assert.ErrorIs(t, err, context.DeadlineExceeded)
			}
			require.NoError(t, s.AwaitTermination(background))
		}
	})
}

// TestTaskSchedulerShutdownNamesWhatRuns: the patience is that of the option, so that the error has to say by itself what has not ended.
func TestTaskSchedulerShutdownNamesWhatRuns(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		s := newTaskScheduler(t, append(opts, executors.WaitOnShutdown(time.Second), executors.PoolOptions(executors.WithName("jobs")))...)
		accept[*executors.Job](t)(s.At(time.Now(), func(context.Context) error {
			time.Sleep(time.Minute)
			return nil
		}, executors.Named("nightly")))
		synctest.Wait()
		err := s.Shutdown()
		assert.EqualError(t, err, `executors: Shutdown: task scheduler "jobs": still running: "nightly": context deadline exceeded`)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, s.AwaitTermination(background))
	})
}

// logged returns what is logged by default from here to the end of the test.
func logged(t *testing.T) *bytes.Buffer {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &log
}

// TestAJobThatStopsWhenAskedHasNotFailed: a run that returns why its context has ended is not in the log of what goes wrong.
func TestAJobThatStopsWhenAskedHasNotFailed(t *testing.T) {
	lost := errors.New("lost")
	for name, c := range map[string]struct {
		returns func(ctx context.Context) error
		logged  bool
	}{
		"cause":               {context.Cause, false},
		"error of context":    {func(ctx context.Context) error { return ctx.Err() }, false},
		"cause and more":      {func(ctx context.Context) error { return fmt.Errorf("at the third page: %w", context.Cause(ctx)) }, false},
		"something else":      {func(context.Context) error { return lost }, true},
		"before it was asked": {nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
				log := logged(t)
				s := newTaskScheduler(t, opts...)
				accept[*executors.Job](t)(s.At(time.Now(), func(ctx context.Context) error {
					if c.returns == nil {
						return executors.ErrShutdown
					}
					<-ctx.Done()
					return c.returns(ctx)
				}))
				synctest.Wait()
				require.NoError(t, s.Close(background))
				assert.Equal(t, c.logged, strings.Contains(log.String(), "job failed"), log.String())
			})
		})
	}
}

// So has one whose job is cancelled.
func TestAJobThatIsCancelledHasNotFailed(t *testing.T) {
	lost, enough := errors.New("lost"), errors.New("enough")
	for name, c := range map[string]struct {
		why     error
		returns func(ctx context.Context) error
		logged  bool
	}{
		"cause":                {nil, context.Cause, false},
		"cause that was given": {enough, context.Cause, false},
		"that and more":        {enough, func(ctx context.Context) error { return fmt.Errorf("at the third page: %w", context.Cause(ctx)) }, false},
		"error of context":     {enough, func(ctx context.Context) error { return ctx.Err() }, false},
		"something else":       {enough, func(context.Context) error { return lost }, true},
	} {
		t.Run(name, func(t *testing.T) {
			modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
				log := logged(t)
				s := newTaskScheduler(t, opts...)
				job := accept[*executors.Job](t)(s.At(time.Now(), func(ctx context.Context) error {
					<-ctx.Done()
					return c.returns(ctx)
				}))
				synctest.Wait()
				job.Cancel(c.why)
				synctest.Wait()
				assert.Equal(t, c.logged, strings.Contains(log.String(), "job failed"), log.String())
				require.NoError(t, s.Close(background))
			})
		})
	}
}

// lazyMeter takes its time to note that a task waits no more.
type lazyMeter struct{ sums }

func (*lazyMeter) Gauge(string, ...string) func(int64) {
	return func(n int64) {
		if n < 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

// A shutdown by force ends all jobs before it ends the contexts of runs: the end of a run would let the next job begin.
func TestTaskSchedulerShutdownNowLetsNoJobBegin(t *testing.T) {
	for range 10 {
		bubble(t, func(t *testing.T) {
			s := newTaskScheduler(t, executors.PoolOptions(executors.WithMeter(&lazyMeter{sums{of: map[string]int64{}}}, "t")))
			runs := 0
			accept[*executors.Job](t)(s.At(time.Now(), func(ctx context.Context) error {
				<-ctx.Done()
				return context.Cause(ctx)
			}))
			pass(time.Second)
			for range 20 {
				accept[*executors.Job](t)(s.At(time.Now(), func(context.Context) error { runs++; return nil }))
			}
			s.ShutdownNow()
			pass(time.Minute)
			assert.Zero(t, runs)
		})
	}
}
