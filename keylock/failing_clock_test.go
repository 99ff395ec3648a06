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

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/locktest"
	"github.com/goreactor/reactor/mono"
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

// Do does not wait for a function that has outlived its lease if the clock ends the goroutine that sets the timer of its grace.
func TestAClockThatEndsTheGoroutineOfAGrace(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		c := &failingClock{}
		m := manager(t, keylock.WithClock(c), keylock.LeaseTime(time.Second), keylock.AtExpiry(keylock.ReleaseOnExpiry), keylock.Grace(time.Second), keylock.IdleTTL(0))
		run := make(chan struct{})
		told := make(chan error, 1)
		go func() {
			_, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) { <-run; return 0, nil })
			told <- err
		}()
		synctest.Wait()
		exit := func() { c.failTimer.Store(nil); runtime.Goexit() }
		c.failTimer.Store(&exit)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Len(t, told, 1)
		close(run)
		assert.ErrorIs(t, <-told, keylock.ErrLeaseExpired)
		synctest.Wait()
	})
}

// Who gets a key by its turn is told so, or why not, if the clock ends the goroutine that sets the timer of its lease; then the next one has its turn, and
// the key is forgotten behind the last one.
func TestAClockThatEndsTheGoroutineOfAGrant(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		c := &failingClock{}
		m := manager(t, keylock.WithClock(c), keylock.WaitTime(keylock.Forever), keylock.LeaseTime(time.Second), keylock.IdleTTL(time.Second))
		left := 2
		exit := func() {
			if left--; left == 0 {
				c.failTimer.Store(nil)
			}
			runtime.Goexit()
		}
		l := take(t, m, "k", keylock.LeaseTime(0))
		told := make(chan error, 3)
		for range 2 {
			go func() { told <- second(m.Acquire(t.Context(), "k")) }()
			synctest.Wait()
		}
		c.failTimer.Store(&exit)
		apart(func() { l.Release() })
		assert.ErrorIs(t, <-told, reactor.ErrGoexit)
		assert.ErrorIs(t, <-told, reactor.ErrGoexit)
		time.Sleep(time.Minute)
		assert.Zero(t, m.Stats().Keys)
		require.NoError(t, m.Shutdown(t.Context()))
	})
}

// Who can't hold a key, because the clock ends the goroutine of the grant, is told so even if the clock does that again where the place of the key is put aside.
func TestAClockThatEndsEachGoroutineOfAGrant(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		c := &failingClock{}
		m := manager(t, keylock.WithClock(c), keylock.WaitTime(keylock.Forever), keylock.LeaseTime(time.Second), keylock.IdleTTL(time.Second))
		l := take(t, m, "k", keylock.LeaseTime(0))
		told := make(chan error, 1)
		go func() { told <- second(m.Acquire(t.Context(), "k")) }()
		synctest.Wait()
		exit := runtime.Goexit
		c.failTimer.Store(&exit)
		apart(func() { l.Release() })
		synctest.Wait()
		c.failTimer.Store(nil)
		if assert.Len(t, told, 1) {
			assert.ErrorIs(t, <-told, reactor.ErrGoexit)
		}
	})
}

// A shutdown hears that the last one who waited can't hold its key, because the clock ends the goroutine of the grant: also if the
// goroutine that undoes the grant comes last, as it does now and then.
func TestAShutdownBehindAClockThatEndsTheGoroutineOfAGrant(t *testing.T) {
	for range 500 {
		reactortest.Bubble(t, func(t *testing.T) {
			c := &failingClock{}
			m := manager(t, keylock.WithClock(c), keylock.WaitTime(keylock.Forever), keylock.LeaseTime(time.Second), keylock.IdleTTL(0))
			l := take(t, m, "k", keylock.LeaseTime(0))
			told := make(chan error, 1)
			go func() { told <- second(m.Acquire(t.Context(), "k")) }()
			synctest.Wait()
			ended := make(chan error, 1)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			go func() { ended <- m.Shutdown(ctx, keylock.DrainWaiters()) }()
			synctest.Wait()
			exit := func() { c.failTimer.Store(nil); runtime.Goexit() }
			c.failTimer.Store(&exit)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the other goroutine comes behind this one
			apart(func() { l.Release() })
			assert.ErrorIs(t, <-told, reactor.ErrGoexit)
			assert.NoError(t, <-ended)
		})
	}
}

// A stream that is cancelled while it asks for the time has no key, and waits for none.
func TestAStreamThatIsCancelledWhileItAsksForTheTime(t *testing.T) {
	for _, held := range []bool{false, true} {
		for name, subscribe := range map[string]func(t *testing.T, m *keylock.Manager, c *failingClock){
			"Mono": func(t *testing.T, m *keylock.Manager, c *failingClock) {
				s := reactortest.NewTestSubscriber[int](t)
				cancelAtNow(c, s.Cancel)
				m.Mono("k", mono.Never[int]()).Subscribe(t.Context(), s)
			},
			"Grant": func(t *testing.T, m *keylock.Manager, c *failingClock) {
				s := reactortest.NewTestSubscriber[keylock.Lease](t)
				cancelAtNow(c, s.Cancel)
				m.Grant("k").Subscribe(t.Context(), s)
			},
		} {
			t.Run(name, func(t *testing.T) {
				reactortest.Bubble(t, func(t *testing.T) {
					c := &failingClock{}
					m := manager(t, keylock.WithClock(c), keylock.WaitTime(keylock.Forever))
					var l keylock.Lease
					if held {
						l = take(t, m, "k", keylock.LeaseTime(0))
					}
					subscribe(t, m, c)
					assert.Nil(t, c.failNow.Load(), "it has asked")
					st := m.Stats()
					assert.Zero(t, st.Waiters)
					assert.Equal(t, held, st.Holders == 1)
					l.Release()
					assert.Zero(t, m.Stats().Holders)
				})
			})
		}
	}
}

// cancelAtNow cancels when c is asked for the time.
func cancelAtNow(c *failingClock, cancel func()) {
	once := func() { c.failNow.Store(nil); cancel() }
	c.failNow.Store(&once)
}

// A call that was granted its key by the store is told so, or why not, if the clock ends the goroutine that sets the timer of its lease.
func TestAClockThatEndsTheGoroutineOfAGrantByTheStore(t *testing.T) {
	for name, get := range map[string]func(ctx context.Context, m *keylock.Manager) (keylock.Lease, error){
		"Acquire": func(ctx context.Context, m *keylock.Manager) (keylock.Lease, error) { return m.Acquire(ctx, "k") },
		"Grant":   func(ctx context.Context, m *keylock.Manager) (keylock.Lease, error) { return m.Grant("k").Block(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				c := &failingClock{}
				s := locktest.NewStream()
				once := func() { c.failTimer.Store(nil); runtime.Goexit() }
				b := locktest.Intercept(s, func(_ context.Context, op string, do func() error) error {
					err := do()
					if op == "TryAcquire" {
						c.failTimer.Store(&once)
					}
					return err
				})
				m := manager(t, keylock.WithClock(c), keylock.WithBackend(b, ttl), keylock.WaitTime(keylock.Forever), keylock.IdleTTL(0))
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				_, err := get(ctx, m)
				assert.ErrorIs(t, err, reactor.ErrGoexit)
				require.NoError(t, m.Shutdown(t.Context()))
				assert.Empty(t, nonceOf(t, s, "k"))
				time.Sleep(2 * time.Minute)
			})
		})
	}
}

// oldClock is the system's, but for a time that was before all others.
type oldClock struct{}

func (oldClock) Now() time.Time                                  { return time.Time{}.Add(time.Duration(time.Now().UnixNano())) }
func (oldClock) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }

// Times are those of the clock, however far that is from the system's.
func TestAClockOfAnotherTime(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l := take(t, m, "k")
		at, ok := l.Deadline()
		assert.True(t, ok)
		assert.Equal(t, time.Second, at.Sub(oldClock{}.Now()))
		time.Sleep(time.Second)
		synctest.Wait()
		assert.ErrorIs(t, context.Cause(l.Context()), keylock.ErrLeaseExpired)
		l.Release()
	}, keylock.WithClock(oldClock{}), keylock.LeaseTime(time.Second))
}
