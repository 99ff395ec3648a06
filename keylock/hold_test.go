package keylock_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/locktest"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// The deadline of a lease's context is what comes first: the end of the lease, or that of the context it was acquired with.
func TestD7_TheDeadlineThatComesFirst(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		start := time.Now()
		for _, c := range []struct{ outer, lease, want time.Duration }{
			{time.Hour, time.Minute, time.Minute}, {time.Minute, time.Hour, time.Minute}, {0, time.Minute, time.Minute},
		} {
			ctx, cancel := t.Context(), context.CancelFunc(func() {})
			if c.outer > 0 {
				ctx, cancel = context.WithTimeout(ctx, c.outer)
			}
			l, err := m.Acquire(ctx, "k", keylock.LeaseTime(c.lease))
			require.NoError(t, err)
			at, ok := l.Context().Deadline()
			assert.True(t, ok)
			assert.Equal(t, c.want, at.Sub(start))
			l.Release()
			cancel()
		}
	})
}

// What listens to the end of a lease, and does not want to any more, is not called.
func TestD7_WhoStopsListening(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l, err := m.Acquire(context.Background(), "k")
		require.NoError(t, err)
		called := 0
		ctx := l.Context().(interface{ AfterFunc(func()) func() bool })
		stop := ctx.AfterFunc(func() { called++ })
		assert.True(t, stop())
		assert.False(t, stop())
		l.Release()
		synctest.Wait()
		assert.Zero(t, called)
	})
}

// The same key of another manager is another key.
func TestD14_AnotherManager(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		other := manager(t)
		held := take(t, other, "k")
		time.AfterFunc(time.Second, func() { held.Release() })
		n, err := m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
			return other.Do(ctx, "k", func(context.Context, keylock.Lease) (int, error) { return 1, nil })
		})
		assert.NoError(t, err)
		assert.Equal(t, 1, n)
	})
}

// lateClock is one whose timers are late.
type lateClock struct{ now atomic.Int64 }

func (c *lateClock) Now() time.Time                              { return time.Unix(1, c.now.Load()) }
func (c *lateClock) AfterFunc(time.Duration, func()) func() bool { return func() bool { return true } }

var _ executors.Clock = &lateClock{}

// A lease is over at its end, also where the timer is late.
func TestD7_TheEndOfALeaseWhoseTimerIsLate(t *testing.T) {
	c := &lateClock{}
	m := manager(t, keylock.WithClock(c))
	l := take(t, m, "k", keylock.LeaseTime(time.Second))
	c.now.Store(int64(time.Second) - 1)
	assert.True(t, l.Valid())
	c.now.Store(int64(time.Second))
	assert.False(t, l.Valid())
	assert.ErrorIs(t, l.Extend(time.Second), keylock.ErrLeaseExpired)
	l.Release()
}

// refusing is a scheduler that may take no timers.
type refusing struct {
	schedulers.Scheduler
	no    atomic.Bool
	first func() // what it does once before it refuses, and from then on nothing, or nil
}

func (s *refusing) ScheduleAfter(task schedulers.Task, d time.Duration) (schedulers.Disposable, error) {
	if s.no.Load() {
		if first := s.first; first != nil {
			s.first = nil
			s.no.Store(false)
			first()
		}
		return nil, reactor.ErrRejected
	}
	return s.Scheduler.ScheduleAfter(task, d)
}

func (s *refusing) SchedulePeriodically(task schedulers.Task, d, p time.Duration, o ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	if s.no.Load() {
		return nil, reactor.ErrRejected
	}
	return s.Scheduler.SchedulePeriodically(task, d, p, o...)
}

// refusable runs a test with such a scheduler as the clock.
func refusable(t *testing.T, fn func(t *testing.T, m *keylock.Manager, s *refusing), opts ...keylock.Option) {
	reactortest.Bubble(t, func(t *testing.T) {
		s := &refusing{Scheduler: schedulers.NewSingle("clock")}
		defer s.Dispose()
		m := manager(t, append([]keylock.Option{keylock.WithScheduler(s), keylock.WaitTime(keylock.Forever), keylock.LeaseTime(0)}, opts...)...)
		fn(t, m, s)
		assert.Zero(t, m.Stats().Holders)
		assert.Zero(t, m.Stats().Waiters)
	})
}

// Who gets a key by its turn, and no timer for its lease, is told, and the one after it gets the key.
func TestD25_AClockThatRefusesWhoseTurnItIs(t *testing.T) {
	refusable(t, func(t *testing.T, m *keylock.Manager, s *refusing) {
		holder := take(t, m, "k")
		var first, second error
		go func() { _, first = m.Acquire(t.Context(), "k", keylock.LeaseTime(time.Second)) }()
		synctest.Wait()
		go func() {
			var l keylock.Lease
			l, second = m.Acquire(t.Context(), "k")
			l.Release()
		}()
		synctest.Wait()
		s.no.Store(true)
		holder.Release()
		synctest.Wait()
		assert.ErrorIs(t, first, reactor.ErrRejected)
		assert.NoError(t, second)
	})
}

// A clock that refuses once keeps idle keys until the next release, and no longer.
func TestD25_AClockThatRefusesARound(t *testing.T) {
	refusable(t, func(t *testing.T, m *keylock.Manager, s *refusing) {
		s.no.Store(true)
		take(t, m, "k").Release()
		time.Sleep(time.Minute)
		s.no.Store(false)
		assert.Equal(t, 1, m.Stats().Keys)
		take(t, m, "k").Release()
		time.Sleep(time.Minute)
		assert.Zero(t, m.Stats().Keys)
	}, keylock.IdleTTL(time.Second))
}

// A lease that was extended ends at its first end if the clock refuses the timer for the second one.
func TestD25_AClockThatRefusesToExtend(t *testing.T) {
	refusable(t, func(t *testing.T, m *keylock.Manager, s *refusing) {
		l := take(t, m, "k", keylock.LeaseTime(time.Second))
		require.NoError(t, l.Extend(time.Minute))
		s.no.Store(true)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.ErrorIs(t, context.Cause(l.Context()), keylock.ErrLeaseExpired)
		assert.True(t, l.Release())
	})
}

// A release does not wait for a store that can't be waited for.
func TestD25_AClockThatRefusesARelease(t *testing.T) {
	refusable(t, func(t *testing.T, m *keylock.Manager, s *refusing) {
		l := take(t, m, "k")
		s.no.Store(true)
		assert.True(t, l.Release())
		synctest.Wait()
	}, keylock.WithBackend(locktest.NewTree(), ttl))
}

// Without a timer nobody hears of a slow holder, who has its key all the same.
func TestD25_AClockThatRefusesToLookAtSlowHolders(t *testing.T) {
	refusable(t, func(t *testing.T, m *keylock.Manager, s *refusing) {
		s.no.Store(true)
		l := take(t, m, "k")
		time.Sleep(time.Minute)
		assert.True(t, l.Release())
	}, keylock.WithSlowHolder(time.Second, func(keylock.Held) { t.Error("heard") }))
}

// Who gives the key back while the clock is about to refuse its timer counts as one who had it.
func TestD23_WhoGivesUpWhatTheClockRefuses(t *testing.T) {
	for name, shared := range map[string]bool{"alone": false, "with a store": true} {
		t.Run(name, func(t *testing.T) {
			r := &register{values: map[string]int64{}, times: map[string][]time.Duration{}}
			var s *refusing
			b := locktest.Intercept(locktest.NewTree(), func(_ context.Context, op string, do func() error) error {
				err := do()
				s.no.Store(s.first != nil && op == "TryAcquire" && err == nil)
				return err
			})
			opts := []keylock.Option{keylock.WithMeter(r, "app"), keylock.IdleTTL(0)}
			if shared {
				opts = append(opts, keylock.WithBackend(b, ttl))
			}
			refusable(t, func(t *testing.T, m *keylock.Manager, of *refusing) {
				s = of
				holder := take(t, m, "k")
				ctx, cancel := context.WithCancel(t.Context())
				left := make(chan error)
				go func() { left <- second(m.Acquire(ctx, "k", keylock.LeaseTime(time.Second))) }()
				synctest.Wait()
				s.first = func() { cancel(); assert.ErrorIs(t, <-left, context.Canceled) }
				s.no.Store(!shared)
				holder.Release()
				synctest.Wait()
				r.mu.Lock()
				assert.Zero(t, r.values["holders"])
				assert.EqualValues(t, m.Stats().Acquired, r.values["acquired"])
				r.mu.Unlock()
				require.NoError(t, m.Shutdown(t.Context()))
			}, opts...)
		})
	}
}

// A stream that gets no timer for its wait does not wait.
func TestD25_AClockThatRefusesAStream(t *testing.T) {
	r := &register{values: map[string]int64{}, times: map[string][]time.Duration{}}
	refusable(t, func(t *testing.T, m *keylock.Manager, s *refusing) {
		holder := take(t, m, "k")
		s.no.Store(true)
		reactortest.Subscribe(t, m.Mono("k", mono.Just(1), keylock.WaitTime(time.Second))).ExpectErrorIs(reactor.ErrRejected)
		r.mu.Lock()
		assert.Zero(t, r.values["waiters"])
		r.mu.Unlock()
		holder.Release()
	}, keylock.WithMeter(r, "app"))
}

// A stream that is cancelled while it waits does not count any more, and leaves no timer.
func TestD26_ACancelledWaitLeavesNothing(t *testing.T) {
	clock := &counting{}
	r := &register{values: map[string]int64{}, times: map[string][]time.Duration{}}
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l := take(t, m, "k", keylock.LeaseTime(0))
		s := reactortest.Subscribe(t, m.Mono("k", mono.Just(1), keylock.WaitTime(time.Hour)))
		assert.EqualValues(t, 1, clock.set.Load())
		s.Cancel()
		assert.Zero(t, clock.set.Load())
		r.mu.Lock()
		assert.Zero(t, r.values["waiters"])
		r.mu.Unlock()
		l.Release()
	}, keylock.WithClock(clock), keylock.WithMeter(r, "app"), keylock.IdleTTL(0))
}

// The timer of the grace goes with the function that has used it.
func TestD11_AGraceThatIsNotUsedUp(t *testing.T) {
	clock := &counting{}
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		_, err := m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
			<-ctx.Done()
			return 0, nil
		}, keylock.LeaseTime(time.Second), keylock.AtExpiry(keylock.ReleaseOnExpiry), keylock.Grace(time.Hour))
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		assert.Zero(t, clock.set.Load())
	}, keylock.WithClock(clock), keylock.IdleTTL(0))
}

// A function that ends its goroutine after the lease has not only done that.
func TestD17_GoexitAfterTheLease(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		_, err := m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
			<-ctx.Done()
			runtime.Goexit()
			return 0, nil
		}, keylock.LeaseTime(time.Second), keylock.AtExpiry(keylock.ReleaseOnExpiry), keylock.Grace(time.Hour))
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		assert.ErrorIs(t, err, reactor.ErrGoexit)
	})
}

// A meter hears of functions that have outlived their callers, and of keys that nobody holds any more.
func TestD23_WhatOutlivesItsLease(t *testing.T) {
	r := &register{values: map[string]int64{}, times: map[string][]time.Duration{}}
	values := func() [2]int64 {
		r.mu.Lock()
		defer r.mu.Unlock()
		return [2]int64{r.values["late"], r.values["holders"]}
	}
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		gate := make(chan struct{})
		_, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
			<-gate
			return 0, nil
		}, keylock.LeaseTime(time.Second), keylock.AtExpiry(keylock.ReleaseOnExpiry))
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		assert.Equal(t, [2]int64{1, 0}, values())
		close(gate)
		synctest.Wait()
		assert.Equal(t, [2]int64{0, 0}, values())
	}, keylock.WithMeter(r, "app"))
}

// A manager that is closed forgets the keys that nobody holds.
func TestD22_CloseForgetsIdleKeys(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		take(t, m, "k").Release()
		held := take(t, m, "held")
		assert.Equal(t, 2, m.Stats().Keys)
		m.Close()
		assert.Equal(t, 1, m.Stats().Keys)
		held.Release()
		assert.Zero(t, m.Stats().Keys)
	})
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		take(t, m, "k").Release()
		assert.NoError(t, m.Shutdown(t.Context(), keylock.DrainWaiters()))
		assert.Zero(t, m.Stats().Keys)
	})
}

// Who gives up its turn to take the key, and is the last one, leaves nothing: the key is idle, and a shutdown that serves those
// who wait is over.
func TestD27_WhoGivesUpItsTurnAsTheLast(t *testing.T) {
	for i := range 100 {
		r := &register{values: map[string]int64{}, times: map[string][]time.Duration{}}
		idle := time.Duration(i%2) * time.Second
		bubble(t, func(t *testing.T, m *keylock.Manager) {
			holder := take(t, m, "k")
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				l, _ := m.Acquire(ctx, "k")
				l.Release()
			}()
			synctest.Wait()
			var end error
			if i%4 >= 2 {
				go func() {
					patience, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					end = m.Shutdown(patience, keylock.DrainWaiters())
				}()
				synctest.Wait()
			}
			cancel()
			holder.Release()
			time.Sleep(time.Hour)
			synctest.Wait()
			require.NoError(t, end)
			require.Zero(t, m.Stats().Keys)
			r.mu.Lock()
			defer r.mu.Unlock()
			require.Zero(t, r.values["keys"])
		}, keylock.Barging(), keylock.WaitTime(keylock.Forever), keylock.LeaseTime(0), keylock.IdleTTL(idle), keylock.WithMeter(r, "app"))
	}
}

// The record of a key that somebody else has by now is no renewal of one's own.
func TestK6_ARecordOfSomebodyElse(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		s := locktest.NewTree()
		l := &line{store: s, calls: map[string]int{}, start: time.Now()}
		m := manager(t, keylock.WithBackend(l.backend(), ttl), keylock.LeaseTime(0))
		l.disturb(func(_ context.Context, op string, do func() error) error {
			if op == "Renew" {
				return locktest.ErrLost
			}
			return do()
		})
		lease := take(t, m, "k")
		s.Expire("k")
		other, err := s.TryAcquire(t.Context(), keylock.Request{Key: "k", Nonce: "another", TTL: time.Hour})
		require.NoError(t, err)
		<-lease.Context().Done()
		assert.ErrorIs(t, context.Cause(lease.Context()), keylock.ErrLeaseLost)
		assert.Less(t, time.Since(l.start), 2*time.Second, "at the first renewal")
		lease.Release()
		require.NoError(t, m.Shutdown(t.Context()))
		assert.Equal(t, "another", nonceOf(t, s, "k"))
		require.NoError(t, s.Release(context.WithoutCancel(t.Context()), other))
		time.Sleep(2 * time.Minute)
	})
}

// A store that will never renew a record may have it still: it is released.
func TestK9_ARecordThatCanNotBeRenewed(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, s store, la, _ *line) {
		la.disturb(func(_ context.Context, op string, do func() error) error {
			if op == "Renew" {
				return reactor.ErrIllegalArgument
			}
			return do()
		})
		l := take(t, a, "k")
		<-l.Context().Done()
		assert.ErrorIs(t, context.Cause(l.Context()), keylock.ErrLeaseLost)
		l.Release()
		synctest.Wait()
		assert.Empty(t, nonceOf(t, s, "k"))
	})
}

// A call that does not wait asks a store once more at most, whatever that says.
func TestK7_AStoreThatContradictsItself(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, _ store, la, _ *line) {
		la.disturb(func(_ context.Context, op string, do func() error) error {
			if op == "TryAcquire" {
				return keylock.ErrHeld
			}
			return do()
		})
		_, ok := a.TryAcquire("k")
		assert.False(t, ok)
		assert.Equal(t, 2, la.count("TryAcquire"))
	})
}

// A watch ends when the key is granted, and not with that hold.
func TestK11_AWatchEndsWithTheWait(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		s := locktest.NewTree()
		w := &watching{Backend: s}
		m := manager(t, keylock.WithBackend(w, ttl), keylock.LeaseTime(0), keylock.WaitTime(time.Minute))
		g, err := s.TryAcquire(t.Context(), keylock.Request{Key: "k", Nonce: "another", TTL: time.Hour})
		require.NoError(t, err)
		got := make(chan keylock.Lease, 1)
		go func() {
			l, err := m.Acquire(t.Context(), "k")
			assert.NoError(t, err)
			got <- l
		}()
		synctest.Wait()
		assert.EqualValues(t, 1, w.open.Load())
		require.NoError(t, s.Release(t.Context(), g))
		l := <-got
		synctest.Wait()
		assert.Zero(t, w.open.Load())
		l.Release()
		require.NoError(t, m.Shutdown(t.Context()))
		time.Sleep(2 * time.Minute)
	})
}

// watching counts the watches that are open.
type watching struct {
	keylock.Backend
	open atomic.Int64
}

func (w *watching) Watch(ctx context.Context, key string) (<-chan keylock.Event, error) {
	w.open.Add(1)
	context.AfterFunc(ctx, func() { w.open.Add(-1) })
	return w.Backend.Watch(ctx, key)
}

// Each request has a nonce of its own, also where the one before was granted and of no use.
func TestK6_NoNonceIsUsedTwice(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		n := &nonces{Backend: locktest.NewTree(), seen: map[string]bool{}}
		m := manager(t, keylock.WithBackend(n, ttl), keylock.LeaseTime(0), keylock.WaitTime(time.Minute))
		l, err := m.Acquire(t.Context(), "k")
		require.NoError(t, err)
		l.Release()
		assert.False(t, n.twice)
		assert.Len(t, n.seen, 2)
		require.NoError(t, m.Shutdown(t.Context()))
		time.Sleep(2 * time.Minute)
	})
}

// nonces is a store whose first answer is late.
type nonces struct {
	keylock.Backend
	seen  map[string]bool // by one request at a time
	twice bool
}

func (n *nonces) TryAcquire(ctx context.Context, r keylock.Request) (keylock.Grant, error) {
	n.twice = n.twice || n.seen[r.Nonce]
	n.seen[r.Nonce] = true
	if len(n.seen) == 1 {
		time.Sleep(ttl - 300*time.Millisecond) // as long as it is relied on
	}
	return n.Backend.TryAcquire(context.WithoutCancel(ctx), r)
}

// A renewal may be carried out as late as the release: then that has not removed the record, and is repeated.
func TestK9_ARenewalThatOvertakesTheRelease(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		s := locktest.NewStream()
		l := &line{store: s, calls: map[string]int{}, start: time.Now()}
		m := manager(t, keylock.WithBackend(l.backend(), ttl), keylock.LeaseTime(0))
		var late func() error
		l.disturb(func(_ context.Context, op string, do func() error) error {
			switch {
			case op == "Renew":
				late = do
				return locktest.ErrLost
			case op == "Release" && late != nil:
				assert.NoError(t, late())
				late = nil
			}
			return do()
		})
		lease := take(t, m, "k")
		time.Sleep(time.Second + 50*time.Millisecond)
		lease.Release()
		synctest.Wait()
		assert.Nil(t, late)
		assert.Empty(t, nonceOf(t, s, "k"))
		require.NoError(t, m.Shutdown(t.Context()))
		time.Sleep(2 * time.Minute)
	})
}

var errLate = errors.New("late")

// What comes beside the error of a mono under a key, and is not delivered, is discarded.
func TestD26_AnElementBeforeAnError(t *testing.T) {
	var discarded atomic.Int64
	ctx := reactor.AddDiscard(t.Context(), func(any) { discarded.Add(1) })
	m := manager(t)
	source := mono.FromDirect[int](elementAndError{})
	reactortest.Subscribe(t, m.Mono("k", source).ContextWrite(func(context.Context) context.Context { return ctx })).ExpectErrorIs(errLate)
	assert.EqualValues(t, 1, discarded.Load())
}

// elementAndError sends both.
type elementAndError struct{}

func (elementAndError) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	s.OnSubscribe(nobody{})
	s.OnNext(1)
	s.OnError(errLate)
}

type nobody struct{}

func (nobody) Request(int64) {}
func (nobody) Cancel()       {}
