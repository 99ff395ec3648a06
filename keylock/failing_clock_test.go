package keylock_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/reactortest"
)

// failingClock is the system's, and fails when it is told to.
type failingClock struct {
	failNow, failTimer atomic.Pointer[func()]
}

func (c *failingClock) Now() time.Time {
	if fail := c.failNow.Load(); fail != nil {
		(*fail)()
	}
	return time.Now()
}

func (c *failingClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	if fail := c.failTimer.Load(); fail != nil {
		(*fail)()
	}
	return time.AfterFunc(d, f).Stop
}

// clockFailures are how a clock may not return.
var clockFailures = map[string]func(){"panics": func() { panic("no time") }, "ends": runtime.Goexit}

// failing calls fn, whose clock does not return.
func failing(fn func()) {
	apart(func() {
		defer func() { _ = recover() }()
		fn()
	})
}

// A key that was granted is not lost if the clock does not return.
func TestAClockThatFailsAtTheGrant(t *testing.T) {
	for name, fail := range clockFailures {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				c := &failingClock{}
				m := manager(t, keylock.WithClock(c), keylock.LeaseTime(0), keylock.IdleTTL(0))
				c.failNow.Store(&fail)
				failing(func() { _, _ = m.Do(t.Context(), "k", nothing) })
				c.failNow.Store(nil)
				assert.Zero(t, m.Stats().Holders)
				_, err := m.Do(t.Context(), "k", nothing)
				assert.NoError(t, err)
			})
		})
	}
}

// Who has waited too long is told so, whatever the clock does then.
func TestAClockThatEndsTheGoroutineAtTheEndOfAWait(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		c := &failingClock{}
		m := manager(t, keylock.WithClock(c), keylock.LeaseTime(0), keylock.IdleTTL(0))
		l := take(t, m, "k")
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		told := make(chan error, 1)
		go func() {
			_, err := m.Acquire(ctx, "k", keylock.WaitTime(time.Second))
			told <- err
		}()
		synctest.Wait()
		exit := runtime.Goexit
		c.failNow.Store(&exit)
		err := <-told
		c.failNow.Store(nil)
		assert.ErrorIs(t, err, keylock.ErrWaitTimeout)
		l.Release()
	})
}

// Keys are forgotten although the clock has failed once to set the timer for that.
func TestAClockThatFailsWhenAKeyIsIdle(t *testing.T) {
	for name, fail := range clockFailures {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				c := &failingClock{}
				m := manager(t, keylock.WithClock(c), keylock.LeaseTime(0), keylock.IdleTTL(time.Second))
				l := take(t, m, "k")
				c.failTimer.Store(&fail)
				failing(func() { l.Release() })
				c.failTimer.Store(nil)
				take(t, m, "k").Release()
				time.Sleep(time.Minute)
				assert.Zero(t, m.Stats().Keys)
				require.NoError(t, m.Shutdown(t.Context()))
			})
		})
	}
}

// With Barging, those who wait for a key that is free are not forgotten.
func TestAClockThatFailsWhenAKeyIsFree(t *testing.T) {
	for name, fail := range clockFailures {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				c := &failingClock{}
				m := manager(t, keylock.WithClock(c), keylock.Barging(), keylock.LeaseTime(0), keylock.IdleTTL(0), keylock.WaitTime(keylock.Forever))
				l := take(t, m, "k")
				first := reactortest.Subscribe(t, m.Grant("k"))
				second := reactortest.Subscribe(t, m.Grant("k"))
				synctest.Wait()
				once := func() { c.failNow.Store(nil); fail() }
				c.failNow.Store(&once)
				failing(func() { l.Release() })
				synctest.Wait()
				assert.Equal(t, 1, m.Stats().Holders)
				first.Cancel()
				second.Cancel()
			})
		})
	}
}

// A lease ends although the clock ends the goroutine that looks whether it is over.
func TestAClockThatEndsTheGoroutineAtTheEndOfALease(t *testing.T) {
	for name, of := range map[string]func(c *failingClock) *atomic.Pointer[func()]{
		"now":   func(c *failingClock) *atomic.Pointer[func()] { return &c.failNow },
		"timer": func(c *failingClock) *atomic.Pointer[func()] { return &c.failTimer },
	} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				c := &failingClock{}
				m := manager(t, keylock.WithClock(c), keylock.LeaseTime(time.Second), keylock.AtExpiry(keylock.ReleaseOnExpiry), keylock.IdleTTL(0))
				l := take(t, m, "k")
				if name == "timer" {
					require.NoError(t, l.Extend(2*time.Second)) // its timer has to be set anew
				}
				fail := of(c)
				once := func() { fail.Store(nil); runtime.Goexit() }
				fail.Store(&once)
				time.Sleep(time.Minute)
				assert.Zero(t, m.Stats().Holders)
				assert.ErrorIs(t, context.Cause(l.Context()), keylock.ErrLeaseExpired)
				l.Release()
			})
		})
	}
}
