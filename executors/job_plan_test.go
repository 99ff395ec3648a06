package executors_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A job outlives a hook that fails, and ends with the reason if a decorator keeps it from
// running: nobody would ask for its next time.
func TestJobsWhoseTaskIsKeptFromRunning(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		var told journal[error]
		var fail atomic.Bool
		fail.Store(true)
		s := newTaskScheduler(t, append(opts, executors.PoolOptions(catch(&told), executors.WithHooks(executors.Hooks{
			Before: func(ctx context.Context) context.Context {
				if fail.Load() {
					panic("before")
				}
				return ctx
			},
		})))...)
		n := newRunNote()
		j := accept[*executors.Job](t)(s.AtFixedRate(time.Second, n.run))
		pass(time.Second)
		fail.Store(false)
		pass(time.Second)
		assert.Equal(t, []int{0, 1000, 2000}, n.read())
		assert.NotEmpty(t, told.read())
		j.Cancel(nil)
	})
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		log := logged(t)
		var told journal[error]
		var skip atomic.Bool
		s := newTaskScheduler(t, append(opts, executors.PoolOptions(catch(&told), executors.WithDecorator(func(task executors.Task) executors.Task {
			return func(ctx context.Context) {
				if !skip.Load() {
					task(ctx)
				}
			}
		})))...)
		n := newRunNote()
		j := accept[*executors.Job](t)(s.AtFixedRate(time.Second, n.run))
		pass(time.Second)
		skip.Store(true)
		pass(10 * time.Second)
		assert.Equal(t, []int{0, 1000}, n.read())
		select {
		case <-j.Done():
		default:
			require.Fail(t, "it will not run again, and does not say so")
		}
		assert.ErrorIs(t, j.Err(), executors.ErrDiscarded)
		assert.ErrorIs(t, j.Wait(background), executors.ErrDiscarded)
		assert.Contains(t, log.String(), "job failed")
	})
}

// A decorator that panics when a job is planned ends that, and says so.
func TestJobsThatCanNotBePlanned(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		var told journal[error]
		var fail atomic.Bool
		s := newTaskScheduler(t, append(opts, executors.PoolOptions(catch(&told), executors.WithDecorator(func(task executors.Task) executors.Task {
			if fail.Load() {
				panic("no decoration")
			}
			return task
		})))...)
		n := newRunNote()
		j := accept[*executors.Job](t)(s.WithFixedDelay(time.Second, n.run))
		pass(500 * ms)
		fail.Store(true)
		pass(10 * time.Second)
		select {
		case <-j.Done():
		default:
			require.Fail(t, "it will not run again, and does not say so")
		}
		assert.ErrorContains(t, j.Err(), "no decoration")
		_, err := s.At(time.Now(), n.run)
		assert.ErrorContains(t, err, "no decoration")
	})
}

// What a policy makes of what a pool refuses after its shutdown does not concern the jobs of a
// scheduler, whose pools are its own.
func TestJobsAreNotForThePolicy(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		here := 0
		s := newTaskScheduler(t, append(opts, executors.WaitOnShutdown(time.Hour), executors.PoolOptions(
			executors.WithPolicy(executors.PolicyFunc(func(r *executors.Rejection) error {
				if here++; here > 100 {
					return r.Err()
				}
				r.Run()
				return nil
			}))))...)
		g := newGate(t)
		runs := 0
		j := accept[*executors.Job](t)(s.AtFixedRate(time.Hour, func(ctx context.Context) error {
			runs++
			g.task(ctx)
			return nil
		}))
		synctest.Wait()
		time.AfterFunc(time.Second, g.open)
		require.NoError(t, s.Shutdown())
		<-j.Done()
		assert.ErrorIs(t, j.Err(), executors.ErrShutdown)
		assert.Equal(t, 1, runs)
		assert.Zero(t, here)
		_, err := s.At(time.Now(), func(context.Context) error { runs++; return nil })
		assert.ErrorIs(t, err, executors.ErrShutdown)
		assert.Equal(t, 1, runs)
	})
}

// A job that is cancelled while its next run is planned leaves nothing in the pool.
func TestJobsThatAreCancelledWhileTheyArePlanned(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var known atomic.Pointer[executors.Job]
		s := newTaskScheduler(t, executors.PoolOptions(executors.WithDecorator(func(task executors.Task) executors.Task {
			if j := known.Load(); j != nil {
				j.Cancel(nil)
			}
			return task
		})))
		ready := make(chan struct{})
		j := accept[*executors.Job](t)(s.AtFixedRate(time.Second, func(context.Context) error { <-ready; return nil }))
		known.Store(j)
		close(ready)
		synctest.Wait()
		assert.True(t, j.Stats().Done)
		assert.Zero(t, s.Stats().Queued)
	})
}

// A run that its pool does not take is none that is under way.
func TestJobsWhoseRunIsRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newTaskScheduler(t, executors.GoroutinePerRun(), executors.PoolOptions(executors.WithSpawn(func(worker string, run func()) error {
			if strings.Contains(worker, "-run-") {
				return errors.New("no goroutines today")
			}
			go run()
			return nil
		})))
		j := accept[*executors.Job](t)(s.AtFixedRate(time.Second, noError))
		synctest.Wait()
		assert.ErrorContains(t, j.Err(), "no goroutines today")
		assert.Zero(t, j.Stats().Running)
	})
}

// Both pools end with a scheduler whose shutdown waits for nobody.
func TestJobsOfBothPoolsEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var ended journal[int]
		s := newTaskScheduler(t, executors.GoroutinePerRun(), executors.WaitOnShutdown(0),
			executors.PoolOptions(executors.WithHooks(executors.Hooks{Terminated: func() { ended.note(1) }})))
		accept[*executors.Job](t)(s.AtFixedRate(time.Hour, noError))
		synctest.Wait()
		assert.NoError(t, s.Shutdown())
		pass(time.Minute)
		assert.Len(t, ended.read(), 2)
	})
}
