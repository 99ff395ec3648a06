package executors_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
)

// A clock that is set for the first time may jump over two thousand years, which no Duration can say: what was missed is one run, or none.
func TestC19_JumpOverCenturies(t *testing.T) {
	for _, c := range []struct {
		missed executors.Missed
		period time.Duration
		want   []int
	}{
		{executors.MissedOne, time.Hour, []int{0, 30_000}},
		{executors.MissedSkip, time.Hour, []int{0}},
		{executors.MissedOne, 200 * 365 * 24 * time.Hour, []int{0, 30_000}},
		{executors.MissedSkip, 200 * 365 * 24 * time.Hour, []int{0}},
	} {
		modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
			start := time.Now()
			s := newTaskScheduler(t, append(opts, executors.WallClock(func() time.Time {
				if time.Since(start) < 10*time.Second {
					return time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)
				}
				return time.Date(2026, 1, 1, 0, 30, 0, 0, time.UTC)
			}), executors.OnJobError(func(_ *executors.Job, err error) error { return err }))...)
			n := newRunNote()
			j := accept[*executors.Job](t)(s.AtFixedRate(c.period, func(context.Context) error {
				if n.now(); len(n.read()) > 10 {
					return errors.New("enough")
				}
				return nil
			}, c.missed))
			pass(time.Minute)
			assert.Equal(t, c.want, n.read(), "%v", c)
			next := j.Stats().Next
			assert.True(t, !next.Before(s.Now()) && next.Before(s.Now().Add(c.period+1)), "%v: %v", c, next)
		})
	}
}

// A job is asked what it missed before the run that it waits for, which is one of those: one run for all of them, or none.
func TestC19_JumpOverSeveralRuns(t *testing.T) {
	for _, c := range []struct {
		missed executors.Missed
		want   []int
	}{
		{executors.MissedAll, []int{0, 30, 30, 30, 30, 60}},
		{executors.MissedOne, []int{0, 30, 60}},
		{executors.MissedSkip, []int{0, 60}},
	} {
		modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
			clock := &wallClock{}
			s := newTaskScheduler(t, append(opts, executors.WallClock(clock.Now))...)
			start := time.Now()
			var n journal[int]
			j := accept[*executors.Job](t)(s.AtFixedRate(time.Minute, func(context.Context) error {
				n.note(int(time.Since(start) / time.Second))
				return nil
			}, c.missed, executors.Allow))
			synctest.Wait()
			clock.jump(4 * time.Minute) // and half a minute passes until somebody looks
			pass(80 * time.Second)
			assert.Equal(t, c.want, n.read())
			assert.Zero(t, j.Stats().Skipped)
		})
	}
}

// Who has to wait for a worker runs late, each time, and not never.
func TestC19_NoWorkerIsNoJump(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newTaskScheduler(t)
		accept[*executors.Job](t)(s.AtFixedRate(100*ms, func(context.Context) error { time.Sleep(100 * ms); return nil }))
		n := newRunNote()
		accept[*executors.Job](t)(s.AtFixedRate(30*ms, n.run, executors.MissedSkip, executors.StartAt(time.Now().Add(30*ms))))
		pass(time.Second)
		assert.GreaterOrEqual(t, len(n.read()), 8)
	})
}
