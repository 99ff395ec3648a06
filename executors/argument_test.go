package executors_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unset is a context that somebody has forgotten to set.
var unset context.Context

func one(context.Context) (int, error) { return 1, nil }

func goesWell(context.Context) error { return nil }

// A nil context is refused with an error that says so, by everything that returns one, and nothing is left behind.
func TestNilContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		s, err := executors.NewScheduledPool(1)
		require.NoError(t, err)
		defer end(t, s)
		jobs, err := executors.NewTaskScheduler()
		require.NoError(t, err)
		defer jobs.ShutdownNow()
		done, err := p.Submit(background, one)
		require.NoError(t, err)
		later, err := jobs.At(time.Now().Add(time.Hour), goesWell)
		require.NoError(t, err)
		synctest.Wait()
		fns := []func(context.Context) (int, error){one}
		task := func(context.Context) { t.Error("the task has run") }
		dropped := func(error) { t.Error("a task was dropped") }
		second := func(_ any, err error) error { return err }
		withdrawn := func(_ func() bool, err error) error { return err }

		for what, err := range map[string]func() error{
			"Execute":                  func() error { return p.Execute(unset, task) },
			"ExecuteWait":              func() error { return p.ExecuteWait(unset, task) },
			"Submit":                   func() error { return second(p.Submit(unset, one)) },
			"SubmitWait":               func() error { return second(p.SubmitWait(unset, one)) },
			"Track":                    func() error { return withdrawn(p.Track(unset, task, dropped)) },
			"InvokeAll":                func() error { return second(p.InvokeAll(unset, fns)) },
			"InvokeAll, nothing":       func() error { return second(p.InvokeAll[int](unset, nil)) },
			"InvokeAny":                func() error { return second(p.InvokeAny(unset, fns)) },
			"AwaitTermination":         func() error { return p.AwaitTermination(unset) },
			"Close":                    func() error { return p.Close(unset) },
			"scheduled, Execute":       func() error { return s.Execute(unset, task) },
			"ExecuteAfter":             func() error { return withdrawn(s.ExecuteAfter(unset, 1, task)) },
			"SubmitAfter":              func() error { return second(s.SubmitAfter(unset, 1, one)) },
			"TrackAfter":               func() error { return withdrawn(s.TrackAfter(unset, 1, task, dropped)) },
			"scheduled, Close":         func() error { return s.Close(unset) },
			"jobs, AwaitTermination":   func() error { return jobs.AwaitTermination(unset) },
			"Wait of one that is over": func() error { return done.Wait(unset) },
			"Get":                      func() error { return second(done.Get(unset)) },
			"Job.Wait":                 func() error { return later.Wait(unset) },
		} {
			assert.NotPanics(t, func() {
				err := err()
				assert.ErrorIs(t, err, reactor.ErrIllegalArgument, what)
				assert.ErrorContains(t, err, "executors: the context is nil", what)
			}, what)
		}
		assert.Empty(t, executors.WorkerName(unset))
		assert.PanicsWithValue(t, "executors: Local.Of: not on the goroutine of the task", func() { new(executors.Local[int]).Of(unset) })

		assert.False(t, p.IsShutdown(), "Close has shut the pool down before it looked")
		assert.False(t, s.IsShutdown(), "Close has shut the pool down before it looked")
		assert.EqualValues(t, 1, p.Stats().Submitted)
		assert.Zero(t, s.Stats().Submitted)
	})
}

// A Missed that is none of the three is refused, not taken for the first one.
func TestUnknownMissed(t *testing.T) {
	s, err := executors.NewScheduledPool(1)
	require.NoError(t, err)
	defer end(t, s)
	jobs, err := executors.NewTaskScheduler()
	require.NoError(t, err)
	defer jobs.ShutdownNow()

	_, err = s.AtFixedRate(time.Hour, time.Hour, goesWell, executors.Missed(9))
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	assert.ErrorContains(t, err, "executors: AtFixedRate: unknown Missed 9")
	_, err = jobs.AtFixedRate(time.Hour, goesWell, executors.Missed(9))
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	assert.ErrorContains(t, err, "executors: AtFixedRate: unknown Missed 9")
}

// Who adds a job to a scheduler that is shut down reads the name of that job, not of what the scheduler runs for it.
func TestRefusedJobIsNamed(t *testing.T) {
	jobs, err := executors.NewTaskScheduler(executors.PoolOptions(executors.WithName("nightly")))
	require.NoError(t, err)
	jobs.ShutdownNow()

	_, err = jobs.At(time.Now(), goesWell, executors.Named("export"))
	assert.ErrorContains(t, err, `task export rejected from "nightly"`)
	_, err = jobs.WithFixedDelay(time.Hour, goesWell)
	assert.ErrorContains(t, err, `task github.com/goreactor/reactor/executors_test.goesWell rejected from "nightly"`)
	assert.ErrorIs(t, err, executors.ErrShutdown)
}

// The zero Job has ended, like the zero Handle: nobody waits for it.
func TestZeroJob(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j executors.Job
		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		for what, err := range map[string]error{"Wait": j.Wait(ctx), "Err": j.Err()} {
			assert.ErrorIs(t, err, reactor.ErrIllegalState, what)
			assert.ErrorContains(t, err, "executors: the job is of no scheduler", what)
		}
		assert.NotPanics(t, func() { assert.False(t, j.Cancel(nil)) })
		assert.True(t, j.Stats().Done)
		select {
		case <-j.Done():
		default:
			t.Error("it is not done")
		}
	})
}

// What has no limit is not shown as a number of nineteen digits.
func TestStatsWithoutLimit(t *testing.T) {
	s, err := executors.NewScheduledPool(2, executors.WithName("timers"))
	require.NoError(t, err)
	defer end(t, s)
	assert.Equal(t, `"timers" [running, workers 0/∞, active 0, queued 0/∞, completed 0]`, s.Stats().String())
	assert.Equal(t, math.MaxInt, s.Stats().Max)
}

// A policy that can't be called would panic at the submitter, on the day on which the pool is saturated.
func TestNilPolicyFunc(t *testing.T) {
	for _, policy := range []executors.Policy{nil, executors.PolicyFunc(nil)} {
		_, err := executors.NewThreadPool(1, 1, 0, executors.Direct(), executors.WithPolicy(policy))
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
		assert.ErrorContains(t, err, "executors: WithPolicy: policy is nil")
	}
}

// A Periodic that was written by hand may have what the constructors refuse, and a pointer to one may be nil.
func TestPeriodicWithoutAPeriod(t *testing.T) {
	s := newTaskScheduler(t, executors.GoroutinePerRun())
	for trigger, want := range map[executors.Trigger]string{
		executors.Periodic{Period: -1, FixedRate: true}: "executors: On: period ≥ 0 required but it was -1ns",
		&executors.Periodic{Period: -time.Second}:       "executors: On: period ≥ 0 required but it was -1s",
		(*executors.Periodic)(nil):                      "executors: On: trigger is nil",
	} {
		_, err := s.On(trigger, noError)
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
		assert.ErrorContains(t, err, want)
	}
}
