package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/executors/cron"
)

// jobs are the jobs of the upper table.
type jobs struct {
	pool   *executors.TaskScheduler // two workers share the work
	perRun *executors.TaskScheduler // a goroutine for every run
	list   []job
}

type job struct {
	*executors.Job
	when string
}

var errOutOfCoffee = errors.New("out of coffee")

// startJobs starts one job of each kind.
func startJobs() (*jobs, error) {
	quiet := executors.OnJobError(func(*executors.Job, error) error { return nil }) // the table shows it
	patient := executors.WaitOnShutdown(10 * time.Second)
	pool, err := executors.NewTaskScheduler(executors.PoolSize(2), quiet, patient)
	if err != nil {
		return nil, err
	}
	perRun, err := executors.NewTaskScheduler(executors.GoroutinePerRun(), quiet, patient)
	if err != nil {
		return nil, err
	}
	j := &jobs{pool: pool, perRun: perRun}

	for _, expression := range []string{"* * * * * *", "*/5 * * * * *", "0 * * * * *", "0 30 9 ? * MON-FRI", "0 0 0 13 * FRI"} {
		e := cron.MustParse(expression)
		added, err := pool.On(cron.Lenient(e, time.Local), work(5*time.Millisecond), executors.Named("cron"))
		if err := j.add(added, err, expression); err != nil {
			return nil, err
		}
	}
	for _, c := range []struct {
		name, when string
		start      func() (*executors.Job, error)
	}{
		{"rate", "every 200ms", func() (*executors.Job, error) {
			return pool.AtFixedRate(200*time.Millisecond, work(10*time.Millisecond), executors.Named("rate"))
		}},
		{"delay", "300ms after the last", func() (*executors.Job, error) {
			return pool.WithFixedDelay(300*time.Millisecond, work(200*time.Millisecond), executors.Named("delay"))
		}},
		{"once", "2s after the start", func() (*executors.Job, error) {
			return pool.At(pool.Now().Add(2*time.Second), work(time.Millisecond), executors.Named("once"))
		}},
		{"failing", "every 500ms", func() (*executors.Job, error) {
			return pool.AtFixedRate(500*time.Millisecond, func(context.Context) error { return errOutOfCoffee }, executors.Named("failing"))
		}},
		{"panicking", "every 700ms", func() (*executors.Job, error) {
			return pool.AtFixedRate(700*time.Millisecond, func(context.Context) error { panic("spilt milk") }, executors.Named("panicking"))
		}},
		{"slow, forbid", "every 400ms, takes 1s", slow(perRun, executors.Forbid, "slow, forbid")},
		{"slow, allow", "every 400ms, takes 1s", slow(perRun, executors.Allow, "slow, allow")},
		{"slow, queue 2", "every 400ms, takes 1s", slow(perRun, executors.Queued(2), "slow, queue 2")},
	} {
		added, err := c.start()
		if err := j.add(added, err, c.when); err != nil {
			return nil, err
		}
	}
	return j, nil
}

func slow(s *executors.TaskScheduler, overlap executors.Overlap, name string) func() (*executors.Job, error) {
	return func() (*executors.Job, error) {
		return s.AtFixedRate(400*time.Millisecond, work(time.Second), overlap, executors.Named(name))
	}
}

func (j *jobs) add(added *executors.Job, err error, when string) error {
	if err != nil {
		return fmt.Errorf("%s: %w", when, err)
	}
	j.list = append(j.list, job{added, when})
	return nil
}

// stop ends the jobs; those that run come to their end.
func (j *jobs) stop() error { return errors.Join(j.pool.Shutdown(), j.perRun.Shutdown()) }

// work returns a function that is busy for some time, or until it is to end.
func work(d time.Duration) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
