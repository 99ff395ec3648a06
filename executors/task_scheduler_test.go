package executors_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/executors/cron"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newTaskScheduler(t *testing.T, opts ...executors.SchedulerOption) *executors.TaskScheduler {
	t.Helper()
	s, err := executors.NewTaskScheduler(opts...)
	require.NoError(t, err)
	t.Cleanup(func() {
		s.ShutdownNow()
		assert.NoError(t, s.AwaitTermination(background))
	})
	return s
}

// modes runs f with jobs on the pool, and on a goroutine per run.
func modes(t *testing.T, f func(t *testing.T, opts ...executors.SchedulerOption)) {
	t.Run("pool", func(t *testing.T) { bubble(t, func(t *testing.T) { f(t) }) })
	t.Run("goroutines", func(t *testing.T) { bubble(t, func(t *testing.T) { f(t, executors.GoroutinePerRun()) }) })
}

// quiet deals with failures without a word.
var quiet = executors.OnJobError(func(*executors.Job, error) error { return nil })

func TestC20_AtAnInstant(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		s := newTaskScheduler(t, opts...)
		n := newRunNote()
		past := accept[*executors.Job](t)(s.At(time.Now().Add(-time.Hour), n.run))
		synctest.Wait()
		assert.Equal(t, []int{0}, n.read(), "a past instant: at once")
		future := accept[*executors.Job](t)(s.At(time.Now().Add(90*time.Second), n.run))
		assert.Equal(t, time.Now().Add(90*time.Second), future.Stats().Next)
		pass(time.Hour)
		assert.Equal(t, []int{0, 90_000}, n.read())
		for _, j := range []*executors.Job{past, future} {
			<-j.Done()
			assert.NoError(t, j.Err())
			assert.NoError(t, j.Wait(background))
			assert.EqualValues(t, 1, j.Stats().Runs)
			assert.False(t, j.Cancel(nil))
		}
	})
}

// The zero time is past like any other: the job has run, though its time says that it has not.
func TestC20_AtTheZeroTime(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		s := newTaskScheduler(t, opts...)
		runs := 0
		j := accept[*executors.Job](t)(s.At(time.Time{}, func(context.Context) error {
			if runs++; runs == 3 {
				return errors.New("enough")
			}
			return nil
		}))
		<-j.Done()
		assert.NoError(t, j.Err())
		assert.Equal(t, 1, runs)
	})
}

func TestC20_PastStartOfASeriesIsNow(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		s := newTaskScheduler(t, opts...)
		n, m := newRunNote(), newRunNote()
		accept[*executors.Job](t)(s.AtFixedRate(time.Second, n.run, executors.StartAt(time.Now().Add(-time.Hour))))
		accept[*executors.Job](t)(s.WithFixedDelay(time.Second, m.run, executors.StartAt(time.Now().Add(1500*ms))))
		pass(3 * time.Second)
		assert.Equal(t, []int{0, 1000, 2000, 3000}, n.read())
		assert.Equal(t, []int{1500, 2500}, m.read())
	})
}

// steps is a trigger that fires at given distances from its first question.
type steps struct {
	start time.Time
	at    []time.Duration
	asked []executors.TriggerContext
}

func (s *steps) Next(c executors.TriggerContext) (time.Time, bool) {
	if len(s.asked) == 0 {
		s.start = c.Now
	}
	s.asked = append(s.asked, c)
	if len(s.at) == 0 {
		return time.Time{}, false
	}
	next := s.start.Add(s.at[0])
	s.at = s.at[1:]
	return next, true
}

func TestC21_Trigger(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newTaskScheduler(t)
		start := s.Now()
		n := newRunNote()
		never, err := s.On(&steps{}, n.run)
		assert.Nil(t, never)
		assert.Equal(t, executors.ErrNeverFires, err)

		trigger := &steps{at: []time.Duration{time.Second, 3 * time.Second, 4 * time.Second}}
		job := accept[*executors.Job](t)(s.On(trigger, func(context.Context) error {
			n.now()
			time.Sleep(1500 * ms)
			return nil
		}, executors.Named("stepped")))
		assert.Equal(t, "stepped", job.Name())
		require.NoError(t, job.Wait(background), "the current occurrence")
		assert.Equal(t, 2500*ms, time.Since(start))
		require.NoError(t, job.Wait(background))
		<-job.Done()
		assert.NoError(t, job.Wait(background))
		assert.Equal(t, []int{1000, 3000, 4500}, n.read(), "the last one is late, and is run at once")
		require.Len(t, trigger.asked, 4)
		assert.Equal(t, executors.TriggerContext{
			Now: start.Add(2500 * ms), LastScheduled: start.Add(time.Second),
			LastStart: start.Add(time.Second), LastEnd: start.Add(2500 * ms),
		}, trigger.asked[1])
		assert.Equal(t, executors.TriggerContext{
			Now: start.Add(6 * time.Second), LastScheduled: start.Add(4 * time.Second),
			LastStart: start.Add(4500 * ms), LastEnd: start.Add(6 * time.Second),
		}, trigger.asked[3])
	})
	bubble(t, func(t *testing.T) { // cancelled before, during, by itself
		s := newTaskScheduler(t)
		n := newRunNote()
		minute := executors.NewPeriodic(0, time.Minute)
		var job *executors.Job
		started := make(chan struct{})
		job = accept[*executors.Job](t)(s.On(minute, func(ctx context.Context) error {
			n.now()
			<-started
			job.Cancel(nil)
			<-ctx.Done()
			assert.ErrorIs(t, context.Cause(ctx), executors.ErrCancelled)
			return ctx.Err()
		}))
		close(started)
		assert.ErrorIs(t, job.Wait(background), executors.ErrCancelled)
		waits := accept[*executors.Job](t)(s.On(executors.NewPeriodicAtFixedRate(time.Minute, time.Minute), n.run))
		why := errors.New("why")
		assert.True(t, waits.Cancel(why))
		assert.ErrorIs(t, waits.Err(), why)
		pass(time.Hour)
		assert.Equal(t, []int{0}, n.read())
		assert.Zero(t, s.Stats().Queued)
	})
}

func TestC22_PeriodicTriggers(t *testing.T) {
	at := func(s int) time.Time { return time.Date(2024, 1, 1, 0, 0, s, 0, time.UTC) }
	first := executors.TriggerContext{Now: at(5)}
	later := executors.TriggerContext{Now: at(20), LastScheduled: at(5), LastStart: at(6), LastEnd: at(18)}
	for _, c := range []struct {
		p             executors.Periodic
		first, second time.Time
	}{
		{executors.NewPeriodic(0, 10*time.Second), at(5), at(28)},
		{executors.NewPeriodicAtFixedRate(2*time.Second, 10*time.Second), at(7), at(15)},
	} {
		got, ok := c.p.Next(first)
		assert.True(t, ok)
		assert.Equal(t, c.first, got)
		got, ok = c.p.Next(later)
		assert.True(t, ok)
		assert.Equal(t, c.second, got)
	}
	assert.PanicsWithValue(t, "executors: NewPeriodic: period ≥ 0 required but it was -1s", func() { executors.NewPeriodic(0, -time.Second) })
}

// minutes is a job at the start of every minute, by a wall clock that the test moves.
func minutes(t *testing.T, opts ...executors.SchedulerOption) (*wallClock, *journal[string]) {
	clock := &wallClock{}
	s := newTaskScheduler(t, append(opts, executors.WallClock(clock.Now))...)
	var j journal[string]
	accept[*executors.Job](t)(s.On(cron.Lenient(cron.MustParse("0 * * * * *"), time.UTC), func(context.Context) error {
		j.note(clock.Now().UTC().Format(time.TimeOnly))
		return nil
	}))
	return clock, &j
}

// The clock is stepped back right before a time is met, and after it: no time is met
// twice.
func TestC23_NoTimeIsMetTwice(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		clock, j := minutes(t, opts...) // the bubble begins at midnight
		pass(2*time.Minute + time.Second)
		clock.jump(-90 * time.Second) // 00:00:31
		pass(90 * time.Second)        // 00:02:01
		pass(time.Minute)
		assert.Equal(t, []string{"00:01:00", "00:02:00", "00:03:00"}, j.read())
	})
}

// exits is a trigger for one run.
type exits struct{}

func (exits) Next(c executors.TriggerContext) (time.Time, bool) {
	if !c.LastScheduled.IsZero() {
		goexit()
	}
	return c.Now, true
}

func TestC24_Failures(t *testing.T) {
	boom := errors.New("boom")
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		s := newTaskScheduler(t, opts...)
		for _, fail := range []func(context.Context) error{
			func(context.Context) error { return boom },
			func(context.Context) error { panic(boom) },
		} {
			once := accept[*executors.Job](t)(s.At(time.Now(), fail))
			assert.ErrorIs(t, once.Wait(background), boom, "propagated")
			<-once.Done()
			assert.ErrorIs(t, once.Err(), boom)
			start := time.Now()
			again := accept[*executors.Job](t)(s.AtFixedRate(time.Second, fail))
			assert.NoError(t, again.Wait(background), "suppressed")
			pass(time.Until(start.Add(3 * time.Second))) // Wait saw the first run, or came after it and saw the second
			st := again.Stats()
			assert.Equal(t, []uint64{4, 4}, []uint64{st.Runs, st.Failures})
			assert.ErrorIs(t, st.LastError, boom)
			again.Cancel(nil)
		}
		lost := accept[*executors.Job](t)(s.At(time.Now(), func(context.Context) error { goexit(); return nil }))
		assert.ErrorIs(t, lost.Wait(background), reactor.ErrGoexit)
	})
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) { // a handler replaces both
		var told journal[string]
		s := newTaskScheduler(t, append(opts, executors.OnJobError(func(j *executors.Job, err error) error {
			told.note(j.Name() + ": " + err.Error())
			if j.Stats().Runs >= 2 {
				return err
			}
			return nil
		}))...)
		fail := func(context.Context) error { return boom }
		assert.NoError(t, accept[*executors.Job](t)(s.At(time.Now(), fail, executors.Named("once"))).Wait(background))
		again := accept[*executors.Job](t)(s.AtFixedRate(time.Second, fail, executors.Named("again")))
		<-again.Done()
		assert.Equal(t, boom, again.Err(), "the handler returned it")
		assert.Equal(t, []string{"once: boom", "again: boom", "again: boom", "again: boom"}, told.read())
	})
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) { // a handler that ends the goroutine
		s := newTaskScheduler(t, append(opts, executors.OnJobError(func(*executors.Job, error) error { goexit(); return nil }))...)
		job := accept[*executors.Job](t)(s.AtFixedRate(time.Second, func(context.Context) error { return boom }))
		assert.ErrorIs(t, job.Wait(background), reactor.ErrGoexit)
		<-job.Done()
		assert.ErrorIs(t, job.Err(), reactor.ErrGoexit)
		assert.EqualValues(t, 1, job.Stats().Failures)
	})
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) { // a trigger that does, when it is asked again
		s := newTaskScheduler(t, opts...)
		runs := 0
		job := accept[*executors.Job](t)(s.On(exits{}, func(context.Context) error { runs++; return nil }))
		<-job.Done()
		assert.ErrorIs(t, job.Err(), reactor.ErrGoexit)
		assert.Equal(t, 1, runs)
	})
	bubble(t, func(t *testing.T) { // a handler that panics
		s := newTaskScheduler(t, executors.OnJobError(func(*executors.Job, error) error { panic("handler") }))
		job := accept[*executors.Job](t)(s.AtFixedRate(time.Second, func(context.Context) error { return boom }))
		<-job.Done()
		assert.ErrorContains(t, job.Err(), "handler")
	})
}

// The machine sleeps for three hours: the monotonic clock stands, the wall clock
// jumps. The job fires once, at the latest after the time of RearmEvery, and then
// goes on by the wall.
func TestC25_SleepAndJumps(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		clock, j := minutes(t, opts...)
		pass(90 * time.Second)
		clock.jump(3 * time.Hour)
		pass(30 * time.Second) // due now at the latest
		pass(61 * time.Second)
		assert.Equal(t, []string{"00:01:00", "03:02:00", "03:03:00"}, j.read())
	})
	bubble(t, func(t *testing.T) { // an hourly one, with a shorter time
		clock := &wallClock{}
		s := newTaskScheduler(t, executors.WallClock(clock.Now), executors.RearmEvery(2*time.Second))
		var j journal[time.Duration]
		start := time.Now()
		accept[*executors.Job](t)(s.On(cron.Lenient(cron.MustParse("@hourly"), time.UTC), func(context.Context) error {
			j.note(time.Since(start))
			return nil
		}))
		at := accept[*executors.Job](t)(s.At(start.Add(10*time.Hour), func(context.Context) error { j.note(-1); return nil }))
		pass(time.Minute + time.Second)
		clock.jump(5 * time.Hour)
		pass(2 * time.Second)
		assert.Equal(t, []time.Duration{62 * time.Second}, j.read(), "once for five missed ones")
		clock.jump(5 * time.Hour)
		pass(2 * time.Second)
		assert.Equal(t, []time.Duration{62 * time.Second, 64 * time.Second, -1}, j.read())
		<-at.Done()
	})
	bubble(t, func(t *testing.T) { // fixed: each missed one
		clock := &wallClock{}
		s := newTaskScheduler(t, executors.WallClock(clock.Now))
		n := newRunNote()
		accept[*executors.Job](t)(s.On(cron.Fixed(cron.MustParse("@hourly"), time.UTC), n.run))
		clock.jump(3 * time.Hour)
		pass(time.Minute)
		assert.Equal(t, []int{30_000, 30_000, 30_000}, n.read())
	})
	bubble(t, func(t *testing.T) { // the system's clock
		s := newTaskScheduler(t)
		n := newRunNote()
		accept[*executors.Job](t)(s.AtFixedRate(time.Hour, n.run))
		pass(2 * time.Hour)
		assert.Equal(t, []int{0, 3_600_000, 7_200_000}, n.read())
	})
}

func TestC26_FarFuture(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newTaskScheduler(t)
		far := accept[*executors.Job](t)(s.At(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), noError))
		trigger := &steps{at: []time.Duration{0}}
		accept[*executors.Job](t)(s.On(trigger, noError))
		pass(24 * time.Hour)
		assert.False(t, far.Stats().Done)
		assert.Zero(t, far.Stats().Runs)
	})
}

// One worker: a slow job delays the others, and the lag shows it.
func TestC27_PoolOfOne(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newTestMeter()
		s := newTaskScheduler(t, executors.PoolOptions(executors.WithMeter(m, "jobs")))
		n := newRunNote()
		accept[*executors.Job](t)(s.At(time.Now(), func(context.Context) error { time.Sleep(10 * time.Second); return nil }))
		accept[*executors.Job](t)(s.At(time.Now().Add(time.Second), n.run))
		pass(time.Minute)
		assert.Equal(t, []int{10_000}, n.read())
		assert.Equal(t, []time.Duration{0, 9 * time.Second}, m.times("jobs.executor.lag"))
	})
	bubble(t, func(t *testing.T) {
		s := newTaskScheduler(t, executors.PoolSize(2))
		n := newRunNote()
		accept[*executors.Job](t)(s.At(time.Now(), func(context.Context) error { time.Sleep(10 * time.Second); return nil }))
		accept[*executors.Job](t)(s.At(time.Now().Add(time.Second), n.run))
		pass(time.Minute)
		assert.Equal(t, []int{1000}, n.read())
	})
}

func TestC28_Shutdown(t *testing.T) {
	slow := func(cause *error) func(context.Context) error {
		return func(ctx context.Context) error {
			select {
			case <-time.After(10 * time.Second):
			case <-ctx.Done():
				*cause = context.Cause(ctx)
			}
			return nil
		}
	}
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) { // by default: now
		s := newTaskScheduler(t, opts...)
		var cause error
		running := accept[*executors.Job](t)(s.AtFixedRate(time.Minute, slow(&cause)))
		waiting := accept[*executors.Job](t)(s.At(time.Now().Add(time.Hour), noError))
		synctest.Wait()
		assert.NoError(t, s.Shutdown())
		assert.ErrorIs(t, waiting.Err(), executors.ErrShutdown)
		require.NoError(t, s.AwaitTermination(background))
		assert.ErrorIs(t, cause, executors.ErrShutdown)
		assert.ErrorIs(t, running.Err(), executors.ErrCancelled)
		assert.True(t, s.IsShutdown())
		_, err := s.At(time.Now(), noError)
		assert.ErrorIs(t, err, executors.ErrShutdown)
	})
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) { // with patience
		s := newTaskScheduler(t, append(opts, executors.WaitOnShutdown(time.Minute))...)
		var cause error
		running := accept[*executors.Job](t)(s.AtFixedRate(time.Minute, slow(&cause)))
		waiting := accept[*executors.Job](t)(s.At(time.Now().Add(time.Hour), noError))
		synctest.Wait()
		start := time.Now()
		assert.NoError(t, s.Shutdown())
		assert.Equal(t, 10*time.Second, time.Since(start))
		assert.NoError(t, cause)
		assert.EqualValues(t, 1, running.Stats().Runs)
		assert.True(t, running.Stats().Done)
		assert.ErrorIs(t, waiting.Err(), executors.ErrCancelled)
	})
	bubble(t, func(t *testing.T) { // not enough of it, and none
		for _, d := range []time.Duration{time.Second, 0} {
			s := newTaskScheduler(t, executors.WaitOnShutdown(d))
			var cause error
			accept[*executors.Job](t)(s.At(time.Now(), slow(&cause)))
			synctest.Wait()
			start := time.Now()
			err := s.Shutdown()
			if d > 0 {
				assert.ErrorIs(t, err, context.DeadlineExceeded)
			} else {
				assert.NoError(t, err, "it does not wait")
			}
			assert.Equal(t, d, time.Since(start))
			pass(time.Minute)
			assert.NoError(t, cause)
		}
	})
}

func TestC29_Overlap(t *testing.T) {
	job := func(n *runNote) func(context.Context) error {
		return func(context.Context) error { n.now(); time.Sleep(2500 * ms); return nil }
	}
	for _, c := range []struct {
		name    string
		overlap executors.Overlap
		want    []int
		skipped uint64
	}{
		{"forbid", executors.Forbid, []int{0, 3000, 6000}, 4},
		{"allow", executors.Allow, []int{0, 1000, 2000, 3000, 4000, 5000, 6000}, 0},
		{"queue", executors.Queued(1), []int{0, 2500, 5000}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newTaskScheduler(t, executors.GoroutinePerRun())
				n, other, fixed := newRunNote(), newRunNote(), newRunNote()
				j := accept[*executors.Job](t)(s.AtFixedRate(time.Second, job(n), c.overlap))
				accept[*executors.Job](t)(s.WithFixedDelay(time.Second, job(fixed), c.overlap))
				accept[*executors.Job](t)(s.AtFixedRate(2*time.Second, other.run))
				pass(6500 * ms)
				assert.Equal(t, c.want, n.read())
				assert.Equal(t, c.skipped, j.Stats().Skipped)
				assert.Equal(t, []int{0, 3500}, fixed.read(), "from the real end")
				assert.Equal(t, []int{0, 2000, 4000, 6000}, other.read(), "no job delays another")
			})
		})
	}
	assert.PanicsWithValue(t, "executors: Queued: n > 0 required but it was 0", func() { executors.Queued(0) })
}

func TestC19_MissedRunsOfJobs(t *testing.T) {
	for _, c := range []struct {
		missed executors.Missed
		want   []int
	}{
		{executors.MissedAll, []int{0, 255, 255, 255, 255, 255, 300, 350}},
		{executors.MissedOne, []int{0, 255, 300, 350}},
		{executors.MissedSkip, []int{0, 300, 350}},
	} {
		bubble(t, func(t *testing.T) {
			s := newTaskScheduler(t)
			n := newRunNote()
			accept[*executors.Job](t)(s.AtFixedRate(50*ms, func(context.Context) error {
				n.now()
				if len(n.read()) == 1 {
					time.Sleep(255 * ms)
				}
				return nil
			}, c.missed))
			pass(360 * ms)
			assert.Equal(t, c.want, n.read())
		})
	}
}

// A job that is cancelled leaves nothing that waits for its time.
func TestC20_CancelledJobsDoNotWait(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		s := newTaskScheduler(t, opts...)
		j := accept[*executors.Job](t)(s.AtFixedRate(time.Hour, noError))
		synctest.Wait()
		assert.Equal(t, 1, s.Stats().Queued)
		assert.True(t, j.Cancel(nil))
		assert.Zero(t, s.Stats().Queued)
		assert.True(t, j.Stats().Next.IsZero())
	})
}

// A cron job in Amsterdam over the night in which the clocks are set back.
func TestCronJobOverAClockChange(t *testing.T) {
	amsterdam, err := time.LoadLocation("Europe/Amsterdam")
	require.NoError(t, err)
	bubble(t, func(t *testing.T) {
		until := time.Date(2000, 10, 28, 23, 0, 0, 0, time.UTC) // the bubble begins in 2000
		time.Sleep(time.Until(until))
		s := newTaskScheduler(t)
		var j journal[string]
		accept[*executors.Job](t)(s.On(cron.Fixed(cron.MustParse("0 30 2 * * *"), amsterdam), func(context.Context) error {
			j.note(time.Now().In(amsterdam).Format(time.RFC3339))
			return nil
		}))
		pass(48 * time.Hour)
		assert.Equal(t, []string{"2000-10-29T02:30:00+02:00", "2000-10-29T02:30:00+01:00", "2000-10-30T02:30:00+01:00"}, j.read())
	})
}

func TestTaskSchedulerArguments(t *testing.T) {
	for _, o := range []executors.SchedulerOption{
		nil, executors.PoolSize(0), executors.RearmEvery(0), executors.WallClock(nil), executors.OnJobError(nil),
		executors.WaitOnShutdown(-1), executors.PoolOptions(nil),
	} {
		_, err := executors.NewTaskScheduler(o)
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	}
	s := newTaskScheduler(t, quiet)
	_, err := s.At(time.Now(), nil)
	assert.Equal(t, executors.ErrNilTask, err)
	_, err = s.On(nil, noError)
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	_, err = s.AtFixedRate(0, noError)
	assert.ErrorContains(t, err, "period > 0 required but it was 0s")
	_, err = s.WithFixedDelay(0, noError)
	assert.ErrorContains(t, err, "delay > 0 required but it was 0s")
	_, err = s.WithFixedDelay(-1, noError)
	assert.ErrorContains(t, err, "delay > 0 required but it was -1ns")
}

// sleepingClock is the system's on a machine that was asleep: the wall clock has gone
// on, the monotonic one has not, and times carry both.
type sleepingClock struct {
	base, begin time.Time // the same instant; base is of outside the bubble, whose times have no monotonic reading
	asleep      atomic.Int64
}

func (c *sleepingClock) Now() time.Time {
	t := c.base.Add(time.Since(c.begin))
	// Time has no function for this: its wall seconds begin at bit 30 of the first word.
	*(*uint64)(unsafe.Pointer(&t)) += uint64(time.Duration(c.asleep.Load())/time.Second) << 30
	return t
}

func TestC25_SleepWithAMonotonicReading(t *testing.T) {
	base := time.Now()
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		clock := &sleepingClock{base: base, begin: time.Now()}
		s := newTaskScheduler(t, append(opts, executors.WallClock(clock.Now))...)
		var j journal[string]
		note := func(what string) func(context.Context) error {
			return func(context.Context) error { j.note(what); return nil }
		}
		accept[*executors.Job](t)(s.At(clock.Now().Add(8*time.Hour), note("at")))
		accept[*executors.Job](t)(s.AtFixedRate(12*time.Hour, note("start"), executors.StartAt(clock.Now().Add(7*time.Hour))))
		accept[*executors.Job](t)(s.AtFixedRate(3*time.Hour, note("rate"), executors.Allow))
		accept[*executors.Job](t)(s.WithFixedDelay(8*time.Hour, note("delay")))
		pass(time.Second)
		assert.ElementsMatch(t, []string{"rate", "delay"}, j.read())
		asleep := 9*time.Hour + time.Minute
		clock.asleep.Store(int64(asleep))
		assert.WithinDuration(t, base.Round(0).Add(time.Second+asleep), s.Now(), 0)
		pass(30 * time.Second)
		assert.ElementsMatch(t, []string{"rate", "delay", "at", "start", "rate", "rate", "rate", "delay"}, j.read())
	})
}

// How long a run took is measured by a clock that does not jump.
func TestC25_DurationOfARunOverAJump(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		clock := &wallClock{}
		s := newTaskScheduler(t, append(opts, executors.WallClock(clock.Now))...)
		job := accept[*executors.Job](t)(s.At(time.Now(), func(context.Context) error {
			clock.jump(-time.Hour)
			time.Sleep(2 * time.Second)
			return nil
		}))
		<-job.Done()
		assert.Equal(t, 2*time.Second, job.Stats().LastDuration)
	})
}

// decision is a trigger that is a function.
type decision func(executors.TriggerContext) (time.Time, bool)

func (d decision) Next(c executors.TriggerContext) (time.Time, bool) { return d(c) }

// The job ends while its trigger is asked for the time after the run that is due.
func TestC29_NoRunBeginsWhenTheJobIsOver(t *testing.T) {
	for name, c := range map[string]struct {
		second func(j *executors.Job) (again bool)
		runs   uint64 // of two that are due
		err    string // outcome
	}{
		"cancelled": {func(j *executors.Job) bool { j.Cancel(nil); return true }, 0, "cancelled"},
		"panics":    {func(*executors.Job) bool { panic("boom") }, 1, "boom"},
		"exhausted": {func(*executors.Job) bool { return false }, 1, ""},
	} {
		for _, overlap := range []executors.Overlap{executors.Forbid, executors.Allow, executors.Queued(1)} {
			t.Run(name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					s := newTaskScheduler(t, executors.GoroutinePerRun())
					var job *executors.Job
					ready, asked := make(chan struct{}), 0
					job = accept[*executors.Job](t)(s.On(decision(func(tc executors.TriggerContext) (time.Time, bool) {
						if asked++; asked == 1 {
							return tc.Now, true
						}
						<-ready
						return tc.Now, c.second(job)
					}), func(context.Context) error {
						assert.False(t, job.Stats().Done)
						return nil
					}, overlap))
					close(ready)
					<-job.Done()
					synctest.Wait()
					assert.Equal(t, c.runs, job.Stats().Runs)
					assert.Zero(t, job.Stats().Running)
					if c.err == "" {
						assert.NoError(t, job.Err())
					} else {
						assert.ErrorContains(t, job.Err(), c.err)
					}
				})
			})
		}
	}
}

// The last run is due while the one before is under way.
func TestC29_TheLastRunAndTheOneBefore(t *testing.T) {
	for _, c := range []struct {
		overlap executors.Overlap
		want    []int
	}{
		{executors.Forbid, []int{0}},
		{executors.Allow, []int{0, 1000}},
		{executors.Queued(1), []int{0, 1500}},
	} {
		bubble(t, func(t *testing.T) {
			s := newTaskScheduler(t, executors.GoroutinePerRun())
			n := newRunNote()
			job := accept[*executors.Job](t)(s.On(&steps{at: []time.Duration{0, time.Second}}, func(context.Context) error {
				n.now()
				time.Sleep(1500 * ms)
				return nil
			}, c.overlap))
			<-job.Done()
			assert.NoError(t, job.Err())
			assert.Equal(t, c.want, n.read())
		})
	}
}

// User code that is called with a submission may ask the job.
func TestC24_SubmissionsDoNotLockTheJob(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		var job atomic.Pointer[executors.Job]
		ready := make(chan struct{})
		s := newTaskScheduler(t, append(opts, executors.PoolOptions(executors.WithDecorator(func(task executors.Task) executors.Task {
			if j := job.Load(); j != nil {
				assert.False(t, j.Stats().Done)
			}
			return task
		})))...)
		n := newRunNote()
		job.Store(accept[*executors.Job](t)(s.AtFixedRate(time.Second, func(ctx context.Context) error { <-ready; return n.run(ctx) })))
		close(ready)
		pass(2 * time.Second)
		assert.Len(t, n.read(), 3)
	})
}

// A periodic trigger may be given by pointer.
func TestC22_PeriodicByPointer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newTaskScheduler(t, executors.GoroutinePerRun())
		n := newRunNote()
		trigger := executors.NewPeriodic(0, time.Second)
		accept[*executors.Job](t)(s.On(&trigger, func(context.Context) error {
			n.now()
			time.Sleep(1500 * ms)
			return nil
		}))
		pass(6 * time.Second)
		assert.Equal(t, []int{0, 2500, 5000}, n.read(), "from the end")
	})
}

// An option that is nil is named.
func TestNilOptions(t *testing.T) {
	s := newTaskScheduler(t)
	p := newScheduled(t, 1)
	for _, err := range []error{
		func() error { _, err := s.At(time.Now(), noError, nil); return err }(),
		func() error { _, err := s.AtFixedRate(time.Hour, noError, executors.Forbid, nil); return err }(),
		func() error { _, err := p.AtFixedRate(0, time.Hour, noError, nil); return err }(),
	} {
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
		assert.ErrorContains(t, err, "option is nil")
	}
}

// A job whose only run is under way is cancelled, whatever that run returns.
func TestC28_ShutdownCancelsWhatRuns(t *testing.T) {
	for _, returned := range []error{nil, context.Canceled, errors.New("boom")} {
		modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
			s := newTaskScheduler(t, append(opts, quiet)...)
			var cause error
			job := accept[*executors.Job](t)(s.At(time.Now(), func(ctx context.Context) error {
				<-ctx.Done()
				cause = context.Cause(ctx)
				return returned
			}))
			synctest.Wait()
			assert.NoError(t, s.Shutdown())
			assert.NoError(t, s.Shutdown())
			assert.ErrorIs(t, job.Err(), executors.ErrCancelled, "at once")
			require.NoError(t, s.AwaitTermination(background))
			assert.ErrorIs(t, job.Err(), executors.ErrShutdown)
			assert.ErrorIs(t, cause, executors.ErrShutdown)
		})
	}
}

// A job that is over is not cancelled once more.
func TestJobsAreCancelledOnce(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		s := newTaskScheduler(t, opts...)
		j := accept[*executors.Job](t)(s.AtFixedRate(time.Hour, noError))
		first, second := errors.New("first"), errors.New("second")
		assert.True(t, j.Cancel(first))
		assert.False(t, j.Cancel(second))
		assert.ErrorIs(t, j.Err(), first)
		assert.NotErrorIs(t, j.Err(), second)
	})
}
