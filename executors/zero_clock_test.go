package executors_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/executors/cron"
	"github.com/stretchr/testify/assert"
)

// A clock may begin with the zero time, as one in a test does: the run that is due then is followed by the next one, not by itself.
func TestC25_ClockThatBeginsWithTheZeroTime(t *testing.T) {
	type fn = func(context.Context) error
	for name, add := range map[string]func(s *executors.TaskScheduler, run fn) (*executors.Job, error){
		"fixed rate": func(s *executors.TaskScheduler, run fn) (*executors.Job, error) {
			return s.AtFixedRate(time.Second, run)
		},
		"missed": func(s *executors.TaskScheduler, run fn) (*executors.Job, error) {
			return s.AtFixedRate(time.Second, run, executors.MissedSkip)
		},
		"fixed delay": func(s *executors.TaskScheduler, run fn) (*executors.Job, error) {
			return s.WithFixedDelay(time.Second, run)
		},
		"periodic": func(s *executors.TaskScheduler, run fn) (*executors.Job, error) {
			return s.On(executors.NewPeriodic(0, time.Second), run)
		},
		"periodic at a fixed rate": func(s *executors.TaskScheduler, run fn) (*executors.Job, error) {
			return s.On(executors.NewPeriodicAtFixedRate(0, time.Second), run)
		},
		"cron": func(s *executors.TaskScheduler, run fn) (*executors.Job, error) {
			return s.On(cron.Lenient(cron.MustParse("* * * * * *"), time.UTC), run)
		},
	} {
		t.Run(name, func(t *testing.T) {
			modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
				start := time.Now()
				s := newTaskScheduler(t, append(opts, executors.WallClock(func() time.Time { return time.Time{}.Add(time.Since(start)) }),
					executors.OnJobError(func(_ *executors.Job, err error) error { return err }))...)
				runs := 0
				accept[*executors.Job](t)(add(s, func(context.Context) error {
					if runs++; runs > 10 {
						return errors.New("enough")
					}
					return nil
				}))
				pass(3500 * ms)
				want := 4
				if name == "cron" {
					want = 3 // not at once
				}
				assert.Equal(t, want, runs)
			})
		})
	}
}
