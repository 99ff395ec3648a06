// Package awake measures time without what the process has stood still for. A test that says how long something may take at
// most is not about the machine, which may be busy with something else, or be stopped for a second.
package awake

import (
	"sync/atomic"
	"testing"
	"time"
)

const (
	// step is how long the clock sleeps at a time.
	step = time.Millisecond
	// most is what it counts of that: sleeping takes a little longer than it was asked for, and much longer on a machine that
	// has no time.
	most = 2 * step
)

// Clock counts the time in which the process has run.
type Clock struct {
	begun time.Time
	ran   atomic.Int64
}

// Watch returns a clock that goes until the test ends.
func Watch(t testing.TB) *Clock {
	c, stop := Start()
	t.Cleanup(stop)
	return c
}

// Start returns a clock that goes until stop is called. It wakes the process every millisecond.
func Start() (c *Clock, stop func()) {
	c = &Clock{begun: time.Now()}
	stopping, stopped := make(chan struct{}), make(chan struct{})
	last := c.begun
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stopping:
				return
			default:
			}
			time.Sleep(step)
			now := time.Now()
			c.ran.Add(int64(counted(now.Sub(last))))
			last = now
		}
	}()
	return c, func() {
		close(stopping)
		<-stopped
	}
}

// counted is what counts of the time from one step to the next.
func counted(passed time.Duration) time.Duration { return min(passed, most) }

// Now returns how long the process has run since the clock was made: never more than what has passed.
func (c *Clock) Now() time.Duration { return time.Duration(c.ran.Load()) }

// Since returns how long the process has run since Now has returned begin.
func (c *Clock) Since(begin time.Duration) time.Duration { return c.Now() - begin }

// Still returns how long the process has stood still since the clock was made, give or take a step.
func (c *Clock) Still() time.Duration { return max(0, time.Since(c.begun)-c.Now()-most) }
