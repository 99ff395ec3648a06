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

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/locktest"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// counting is a clock that knows how many timers are set.
type counting struct{ set atomic.Int64 }

func (c *counting) Now() time.Time { return time.Now() }

func (c *counting) AfterFunc(d time.Duration, f func()) func() bool {
	c.set.Add(1)
	timer := time.AfterFunc(d, func() {
		c.set.Add(-1)
		f()
	})
	return func() bool {
		stopped := timer.Stop()
		if stopped {
			c.set.Add(-1)
		}
		return stopped
	}
}

// Streams whose wait has ended without the key don't count as waiting any more, and leave no timer.
func TestStreamsThatDoNotGetTheKey(t *testing.T) {
	clock := &counting{}
	r := &register{values: map[string]int64{}, times: map[string][]time.Duration{}}
	waiters := func() int64 {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.values["waiters"]
	}
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l := take(t, m, "k", keylock.LeaseTime(0))
		wait := func(d time.Duration, want error, end func()) {
			a := reactortest.Subscribe(t, m.Mono("k", mono.Just(1), keylock.WaitTime(d)))
			b := reactortest.Subscribe(t, m.Flux("k", flux.Just(1), keylock.WaitTime(d)))
			c := reactortest.Subscribe(t, m.Grant("k", keylock.WaitTime(d)))
			assert.EqualValues(t, 3, waiters())
			end()
			a.ExpectErrorIs(want)
			b.ExpectErrorIs(want)
			c.ExpectErrorIs(want)
			synctest.Wait()
			assert.Zero(t, waiters(), "%v", want)
			assert.Zero(t, clock.set.Load(), "%v", want)
		}
		wait(time.Second, keylock.ErrWaitTimeout, func() { time.Sleep(2 * time.Second) })
		wait(time.Hour, keylock.ErrLocksClosed, m.Close)
		l.Release()
	}, keylock.WithMeter(r, "app"), keylock.WithClock(clock), keylock.IdleTTL(0))
}

// A lease that is over leaves no timer.
func TestTimersOfALeaseThatIsOver(t *testing.T) {
	clock := &counting{}
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		_, err := m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
			<-ctx.Done()
			return 0, nil
		}, keylock.LeaseTime(time.Second), keylock.AtExpiry(keylock.ReleaseOnExpiry))
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		synctest.Wait()
		assert.Zero(t, clock.set.Load())
	}, keylock.WithClock(clock), keylock.IdleTTL(0), keylock.WithSlowHolder(time.Hour, func(keylock.Held) {}))
}

// Nor does one that is lost before its time, under either policy.
func TestTimersOfALeaseThatIsLost(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		for _, policy := range []keylock.Policy{keylock.HoldUntilReturn, keylock.ReleaseOnExpiry} {
			clock, store := &counting{}, locktest.NewStream()
			m := manager(t, keylock.WithClock(clock), keylock.IdleTTL(0), keylock.WithBackend(store, ttl), keylock.AtExpiry(policy))
			l := take(t, m, "k", keylock.LeaseTime(time.Hour))
			store.Expire("k")
			<-l.Context().Done()
			synctest.Wait()
			assert.ErrorIs(t, context.Cause(l.Context()), keylock.ErrLeaseLost)
			assert.Zero(t, clock.set.Load(), "%v", policy)
			l.Release()
			require.NoError(t, m.Shutdown(t.Context()))
		}
	})
}

// Keys that are only remembered don't hold up a program that lets the schedulers run out, and are forgotten
// all the same when it goes on.
func TestIdleKeysDoNotHoldUpTheSchedulers(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		start := time.Now()
		for range 2 {
			for _, key := range []string{"a", "b", "c"} {
				take(t, m, key).Release()
			}
			assert.Equal(t, 3, m.Stats().Keys)
			require.NoError(t, schedulers.Shutdown(t.Context()))
			assert.Zero(t, time.Since(start))
		}
		for _, key := range []string{"a", "b", "c"} {
			take(t, m, key).Release()
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		assert.Zero(t, m.Stats().Keys)
		assert.Zero(t, schedulers.Parallel().Stats().Delayed)
	})
}

// Nor does a grant that is undone because the clock refuses the timer of its lease.
func TestTimersOfAGrantThatIsUndone(t *testing.T) {
	for name, opts := range map[string][]keylock.Option{"alone": nil, "with a store": {keylock.WithBackend(locktest.NewStream(), ttl)}} {
		t.Run(name, func(t *testing.T) {
			clock := &countingAndFailing{}
			bubble(t, func(t *testing.T, m *keylock.Manager) {
				l := take(t, m, "k")
				told := make(chan error, 1)
				go func() {
					told <- second(m.Acquire(t.Context(), "k", keylock.WaitTime(keylock.Forever), keylock.LeaseTime(leaseWithoutTimer)))
				}()
				synctest.Wait()
				failing(func() { l.Release() })
				assert.Error(t, <-told)
				time.Sleep(2 * ttl)
				assert.Zero(t, clock.set.Load())
			}, append(opts, keylock.WithClock(clock), keylock.IdleTTL(0), keylock.LeaseTime(0), keylock.WithSlowHolder(time.Hour, func(keylock.Held) {}))...)
		})
	}
}

// leaseWithoutTimer is shorter than what else there is a timer for.
const leaseWithoutTimer = time.Millisecond

// countingAndFailing is a clock that ends the goroutine that sets a timer for that lease.
type countingAndFailing struct{ counting }

func (c *countingAndFailing) AfterFunc(d time.Duration, f func()) func() bool {
	if d > 0 && d <= leaseWithoutTimer {
		runtime.Goexit()
	}
	return c.counting.AfterFunc(d, f)
}
