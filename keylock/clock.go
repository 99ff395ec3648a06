package keylock

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/schedulers"
)

// clock is where a call gets its time from. Times are nanoseconds since base, and are
// compared with those of the same clock only.
type clock struct {
	base   time.Time
	system bool                 // now is the system's
	sched  schedulers.Scheduler // nil if there is own
	own    executors.Clock      // nil if there is sched
}

// clocks hands out the clock of a call.
type clocks struct {
	base time.Time
	own  *clock                // of WithClock or WithScheduler, or nil
	last atomic.Pointer[clock] // on the scheduler that was found last
}

func newClocks(own executors.Clock, sched schedulers.Scheduler) *clocks {
	c := &clocks{base: time.Now()}
	switch {
	case own != nil:
		c.base = own.Now()
		c.own = &clock{base: c.base, own: own}
	case sched != nil:
		c.base = sched.Now()
		c.own = onScheduler(c.base, sched)
	}
	return c
}

func onScheduler(base time.Time, s schedulers.Scheduler) *clock {
	on, ok := s.(interface{ OnSystemClock() bool })
	return &clock{base: base, sched: s, system: ok && on.OnSystemClock()}
}

// current returns the clock for a call that comes now.
func (c *clocks) current() *clock {
	if c.own != nil {
		return c.own
	}
	s := schedulers.Parallel()
	if last := c.last.Load(); last != nil && last.sched == s {
		return last
	}
	made := onScheduler(c.base, s)
	c.last.Store(made)
	return made
}

// now returns the time.
func (c *clock) now() int64 {
	switch {
	case c.system:
		return int64(time.Since(c.base)) // half the price
	case c.own != nil:
		return int64(c.own.Now().Sub(c.base))
	}
	return int64(c.sched.Now().Sub(c.base))
}

// time returns the time that at stands for.
func (c *clock) time(at int64) time.Time { return c.base.Add(time.Duration(at)) }

// after calls fn when d has passed, unless stop is called before.
func (c *clock) after(d time.Duration, fn func()) (stop func(), err error) {
	t, err := c.timer(d, func(context.Context) { fn() })
	if err != nil {
		return nil, err
	}
	return t.stop, nil
}

// round is after for what nobody waits for: schedulers that are shut down wait for delayed tasks, but
// not for periodic ones. Unless stop is called, fn may be called again.
func (c *clock) round(d time.Duration, fn func()) (stop func(), err error) {
	if c.own != nil {
		return c.after(d, fn)
	}
	set, err := c.sched.SchedulePeriodically(func(context.Context) { fn() }, d, d)
	if err != nil {
		return nil, err
	}
	return set.Dispose, nil
}

// timer is after without allocations of its own on a scheduler, for calls that wait.
func (c *clock) timer(d time.Duration, task schedulers.Task) (timer, error) {
	if c.own != nil {
		return timer{halt: c.own.AfterFunc(d, func() { task(context.Background()) })}, nil
	}
	set, err := c.sched.ScheduleAfter(task, d)
	return timer{set: set}, err
}

// timer is one that was set: one of the two is not nil. The zero timer is none.
type timer struct {
	set  schedulers.Disposable
	halt func() bool
}

func (t timer) stop() {
	switch {
	case t.halt != nil:
		t.halt()
	case t.set != nil:
		t.set.Dispose()
	}
}

// stops are timers to be stopped.
type stops struct {
	lease timer
	slow  func() // or nil
}

func (s stops) all() {
	s.lease.stop()
	if s.slow != nil {
		s.slow()
	}
}

// unset takes out what stops the timer of the lease, and if the key is passed on the look at slow
// holders. The caller holds s.mu, and calls them when it has given that back.
func (h *hold) unset(passedOn bool) (s stops) {
	if h.extra == nil {
		return s
	}
	s.lease, h.leaseTimer = h.leaseTimer, timer{}
	if passedOn {
		s.slow, h.stopSlow = h.stopSlow, nil
	}
	return s
}
