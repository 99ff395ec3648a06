package executors_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/executors/cron"
)

func ExampleNewTaskScheduler() {
	s, err := executors.NewTaskScheduler(executors.PoolSize(2))
	if err != nil {
		fmt.Println(err)
		return
	}
	job, _ := s.On(cron.Lenient(cron.MustParse("0 30 9 ? * MON-FRI"), time.UTC), func(context.Context) error { return nil })
	fmt.Println(job.Stats().Next.Format("15:04"))
	fmt.Println(s.Shutdown())
	fmt.Println(job.Err())
	// Output:
	// 09:30
	// <nil>
	// cancelled: executor is shut down
}

// scheduler returns a task scheduler, which ends with the example.
func scheduler(opts ...executors.SchedulerOption) *executors.TaskScheduler {
	s, err := executors.NewTaskScheduler(opts...)
	if err != nil {
		panic(err)
	}
	return s
}

func ExampleOnJobError() {
	s := scheduler(executors.OnJobError(func(job *executors.Job, err error) error {
		fmt.Println(job.Name(), "failed:", err)
		return err // and that is its end
	}))
	job, _ := s.AtFixedRate(time.Millisecond, func(context.Context) error { return errors.New("no luck") }, executors.Named("poll"))
	<-job.Done()
	fmt.Println(job.Err())
	_ = s.Shutdown()
	// Output:
	// poll failed: no luck
	// no luck
}

func ExampleGoroutinePerRun() {
	s := scheduler(executors.GoroutinePerRun())
	two := make(chan struct{}, 2)
	job, _ := s.AtFixedRate(time.Millisecond, func(ctx context.Context) error {
		select {
		case two <- struct{}{}:
		default: // others run already
		}
		<-ctx.Done() // never ends by itself
		return nil
	}, executors.Allow)
	<-two
	<-two
	fmt.Println(job.Stats().Running >= 2)
	s.ShutdownNow()
	// Output: true
}

func ExampleQueued() {
	s := scheduler(executors.GoroutinePerRun())
	job, _ := s.AtFixedRate(time.Millisecond, func(context.Context) error { return nil }, executors.Queued(3))
	fmt.Println(job.Wait(context.Background()))
	_ = s.Shutdown()
	// Output: <nil>
}

func ExampleNamed() {
	s := scheduler()
	job, _ := s.At(time.Now(), func(context.Context) error { return nil }, executors.Named("clean-up"))
	fmt.Println(job.Name(), job.Wait(context.Background()))
	_ = s.Shutdown()
	// Output: clean-up <nil>
}

func ExampleStartAt() {
	s := scheduler()
	at := time.Now().Add(time.Hour)
	job, _ := s.AtFixedRate(time.Minute, func(context.Context) error { return nil }, executors.StartAt(at))
	fmt.Println(job.Stats().Next.Equal(at))
	_ = s.Shutdown()
	// Output: true
}

func ExampleJobOf() {
	s := scheduler()
	midnight := time.Now().UTC().Truncate(24 * time.Hour) // which has passed: the job runs at once
	job, _ := s.At(midnight, func(ctx context.Context) error {
		job, due := executors.JobOf(ctx)
		fmt.Println(job.Name(), "of what there was before", due.Format("15:04"))
		return nil
	}, executors.Named("report"))
	fmt.Println(job.Wait(context.Background()))
	_ = s.Shutdown()
	// Output:
	// report of what there was before 00:00
	// <nil>
}

func ExampleWaitOnShutdown() {
	s := scheduler(executors.WaitOnShutdown(time.Minute))
	started := make(chan struct{})
	_, _ = s.At(time.Now(), func(context.Context) error {
		close(started)
		time.Sleep(time.Millisecond)
		fmt.Println("finished")
		return nil
	})
	<-started
	fmt.Println(s.Shutdown())
	// Output:
	// finished
	// <nil>
}

func ExampleWallClock() {
	now := func() time.Time { return time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC) }
	s := scheduler(executors.WallClock(now), executors.RearmEvery(time.Second))
	job, _ := s.On(cron.Fixed(cron.MustParse("@daily"), time.UTC), func(context.Context) error { return nil })
	fmt.Println(job.Stats().Next)
	_ = s.Shutdown()
	// Output: 2030-01-02 00:00:00 +0000 UTC
}

func ExampleNewPeriodic() {
	last := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	c := executors.TriggerContext{LastScheduled: last, LastStart: last, LastEnd: last.Add(90 * time.Second)}
	next, _ := executors.NewPeriodic(0, time.Minute).Next(c)
	fmt.Println(next.Format(time.TimeOnly))
	// Output: 12:02:30
}

func ExampleNewPeriodicAtFixedRate() {
	last := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	c := executors.TriggerContext{LastScheduled: last, LastStart: last, LastEnd: last.Add(90 * time.Second)}
	next, _ := executors.NewPeriodicAtFixedRate(0, time.Minute).Next(c)
	fmt.Println(next.Format(time.TimeOnly))
	// Output: 12:01:00
}
