package executors_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/goreactor/reactor/executors"
)

// handClock is a clock for tests: time passes when they say so.
type handClock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*handTimer
	armed  chan struct{} // gets something for every timer
}

type handTimer struct {
	at time.Time
	f  func()
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &handTimer{c.now.Add(d), f}
	c.timers = append(c.timers, t)
	c.armed <- struct{}{}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		active := t.f != nil
		t.f = nil
		return active
	}
}

func (c *handClock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for _, t := range c.timers {
		if t.f != nil && !t.at.After(c.now) {
			go t.f()
			t.f = nil
		}
	}
}

func ExampleWithClock() {
	clock := &handClock{now: time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC), armed: make(chan struct{}, 10)}
	pool, err := executors.NewScheduledPool(1, executors.WithClock(clock))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.ShutdownNow()
	run, _ := pool.After(time.Hour, func(context.Context) error {
		fmt.Println("it is", clock.Now().Format(time.Kitchen))
		return nil
	})
	<-clock.armed
	clock.pass(59 * time.Minute)
	fmt.Println(run.IsDone())
	clock.pass(time.Minute)
	fmt.Println(run.Wait(context.Background()))
	// Output:
	// false
	// it is 1:00PM
	// <nil>
}

// counts is a meter that adds up; of a timer it counts the recordings.
type counts struct {
	mu sync.Mutex
	of map[string]int64
}

func (c *counts) Counter(name string, tags ...string) func(int64) {
	return func(n int64) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.of[name] += n
	}
}

func (c *counts) Gauge(name string, tags ...string) func(int64) { return c.Counter(name, tags...) }

func (c *counts) Timer(name string, tags ...string) func(time.Duration) {
	add := c.Counter(name, tags...)
	return func(time.Duration) { add(1) }
}

func (c *counts) Remove(string) {}

func ExampleWithMeter() {
	meter := &counts{of: map[string]int64{}}
	pool, err := executors.NewThreadPool(1, 1, time.Minute, executors.Bounded(10), executors.WithMeter(meter, "shop", "region", "eu"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 5 {
		_ = pool.Execute(context.Background(), func(context.Context) {})
	}
	_ = pool.Close(context.Background())
	fmt.Println(pool.Execute(context.Background(), func(context.Context) {}) != nil)
	for _, name := range []string{"submitted", "rejected", "queued", "active", "lag", "completed"} {
		fmt.Println(name, meter.of["shop.executor."+name])
	}
	// Output:
	// true
	// submitted 5
	// rejected 1
	// queued 0
	// active 0
	// lag 5
	// completed 5
}

func ExamplePoolSize() {
	s := scheduler(executors.PoolSize(2))
	slow, quick := make(chan struct{}), make(chan struct{})
	first, _ := s.At(time.Now(), func(context.Context) error { <-slow; return nil })
	_, _ = s.At(time.Now(), func(context.Context) error { close(quick); return nil })
	<-quick // does not wait for the slow one
	fmt.Println(s.Stats().Core, "workers")
	close(slow)
	<-first.Done()
	_ = s.Shutdown()
	// Output: 2 workers
}

func ExamplePoolOptions() {
	s := scheduler(executors.PoolOptions(executors.WithName("jobs"), executors.WithHooks(executors.Hooks{
		After: func(ctx context.Context, err error) { fmt.Println(executors.WorkerName(ctx), "has done it") },
	})))
	job, _ := s.At(time.Now(), func(context.Context) error { return nil })
	<-job.Done()
	_ = s.Shutdown()
	_ = s.AwaitTermination(context.Background())
	// Output: jobs-1 has done it
}

// A wall clock may jump, and the monotonic one stands still while a machine sleeps. A
// job is late by no more than the time after which the scheduler looks again.
func ExampleRearmEvery() {
	var mu sync.Mutex
	jump := time.Duration(0)
	now := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return time.Now().Add(jump)
	}
	s := scheduler(executors.WallClock(now), executors.RearmEvery(10*time.Millisecond))
	job, _ := s.At(now().Add(8*time.Hour), func(context.Context) error {
		fmt.Println("good morning")
		return nil
	})
	mu.Lock()
	jump = 9 * time.Hour // the machine slept
	mu.Unlock()
	<-job.Done()
	_ = s.Shutdown()
	// Output: good morning
}
