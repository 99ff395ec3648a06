package operators

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/schedulers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inBubble runs f with a scheduler of its own under a fake clock.
func inBubble(t *testing.T, f func(t *testing.T, s schedulers.Scheduler)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := schedulers.NewSingle("trigger")
		defer s.Dispose()
		f(t, s)
		assert.Zero(t, s.Stats().Queued, "no timer is left")
	})
}

func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestCronEmitsTimes(t *testing.T) {
	inBubble(t, func(t *testing.T, s schedulers.Scheduler) { // the bubble begins at midnight
		start := time.Now()
		p := probeOf[time.Time](2)
		Cron("0 */5 * * * *", On(s), InZone(time.UTC)).Subscribe(context.Background(), p)
		minute := func(n int) time.Time { return start.Add(time.Duration(n) * time.Minute).UTC() }
		sleep(5*time.Minute - 1)
		p.Open(t)
		sleep(1)
		p.Open(t, minute(5))
		sleep(5 * time.Minute)
		p.Open(t, minute(5), minute(10))
		sleep(5 * time.Minute)
		p.Failed(t, reactor.ErrOverflow, minute(5), minute(10))
	})
	assert.PanicsWithValue(t, `reactor: cron: "x": an expression has 6 fields, separated by spaces, but there are 1`, func() { Cron("x") })
	assert.PanicsWithValue(t, "reactor: onTrigger: trigger is nil", func() { OnTrigger(nil) })
}

func TestCronCancel(t *testing.T) {
	inBubble(t, func(t *testing.T, s schedulers.Scheduler) {
		p := probeOf[time.Time](reactor.Unbounded)
		Cron("0 0 0 * * *", On(s)).Subscribe(context.Background(), p)
		sleep(time.Hour)
		p.Cancel()
		p.Cancel()
		sleep(72 * time.Hour)
		p.Open(t)
	})
}

// triggerFunc is a function as a trigger.
type triggerFunc func(executors.TriggerContext) (time.Time, bool)

func (f triggerFunc) Next(c executors.TriggerContext) (time.Time, bool) { return f(c) }

func TestOnTriggerCompletesAndFails(t *testing.T) {
	inBubble(t, func(t *testing.T, s schedulers.Scheduler) {
		start := time.Now()
		asked := 0
		p := probeOf[time.Time](reactor.Unbounded)
		OnTrigger(triggerFunc(func(c executors.TriggerContext) (time.Time, bool) {
			asked++
			assert.Equal(t, asked > 1, !c.LastScheduled.IsZero())
			return start.Add(time.Duration(asked) * time.Minute), asked < 3
		}), On(s)).Subscribe(context.Background(), p)
		sleep(time.Hour)
		p.Done(t, start.Add(time.Minute), start.Add(2*time.Minute))

		boom := errors.New("boom")
		p = probeOf[time.Time](reactor.Unbounded)
		OnTrigger(triggerFunc(func(executors.TriggerContext) (time.Time, bool) { panic(boom) }), On(s)).Subscribe(context.Background(), p)
		p.Failed(t, boom)
		p = probeOf[time.Time](reactor.Unbounded)
		OnTrigger(triggerFunc(func(executors.TriggerContext) (time.Time, bool) { return start, false }), On(s)).Subscribe(context.Background(), p)
		p.Done(t)
	})
}

func TestOnTriggerOnADisposedScheduler(t *testing.T) {
	s := schedulers.NewSingle("gone")
	s.Dispose()
	p := probeOf[time.Time](reactor.Unbounded)
	OnTrigger(executors.NewPeriodic(0, time.Second), On(s)).Subscribe(context.Background(), p)
	p.Failed(t, reactor.ErrRejected)
	q := probeOf[time.Time](reactor.Unbounded)
	At(time.Now(), On(s)).Subscribe(context.Background(), q)
	q.Failed(t, reactor.ErrRejected)
}

// A Flux on pools behaves as on the built-in schedulers.
func TestFluxOnPools(t *testing.T) {
	for name, build := range map[string]func(t *testing.T) schedulers.Scheduler{
		"single": func(*testing.T) schedulers.Scheduler { return schedulers.NewSingle("x") },
		"thread pool": func(t *testing.T) schedulers.Scheduler {
			p, err := executors.NewThreadPool(2, 4, time.Minute, executors.Bounded(100))
			require.NoError(t, err)
			return schedulers.FromExecutor(p)
		},
		"trampoline": func(t *testing.T) schedulers.Scheduler {
			p, err := executors.NewThreadPool(2, 4, time.Minute, executors.Unbounded())
			require.NoError(t, err)
			t.Cleanup(func() { p.ShutdownNow() })
			return schedulers.FromExecutor(p, schedulers.Trampoline())
		},
		"caller runs": func(t *testing.T) schedulers.Scheduler {
			p, err := executors.NewThreadPool(1, 1, time.Minute, executors.Direct(), executors.WithPolicy(executors.CallerRuns))
			require.NoError(t, err)
			return schedulers.FromExecutor(p)
		},
		"scheduled pool": func(t *testing.T) schedulers.Scheduler {
			p, err := executors.NewScheduledPool(4)
			require.NoError(t, err)
			return schedulers.FromScheduledPool(p)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := build(t)
			defer s.Dispose()
			ctx := context.Background()
			const n = 20_000
			next := 0
			err := ForEach(ctx, PublishOn(SubscribeOn(Range(0, n), s), s), func(v int) {
				assert.Equal(t, next, v)
				next++
			})
			assert.NoError(t, err)
			assert.Equal(t, n, next)
			if name == "single" || name == "scheduled pool" {
				ticks, err := Collect(ctx, Take(Interval(time.Millisecond, On(s)), 5))
				assert.NoError(t, err)
				assert.Equal(t, []int64{0, 1, 2, 3, 4}, ticks)
				at, err := Collect(ctx, At(time.Now().Add(time.Millisecond), On(s)))
				assert.NoError(t, err)
				assert.Len(t, at, 1)
			}
		})
	}
}
