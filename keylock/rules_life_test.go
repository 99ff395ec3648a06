package keylock_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

func TestD20_NoKeyIsLeft(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		before := runtime.NumGoroutine()
		for i := range 20_000 {
			_, err := m.Do(t.Context(), fmt.Sprint("key-", i), nothing, keylock.LeaseTime(0))
			require.NoError(t, err)
		}
		assert.Equal(t, 20_000, m.Stats().Keys)
		time.Sleep(time.Second)
		assert.Equal(t, 20_000, m.Stats().Keys, "kept for a while")
		time.Sleep(time.Second + time.Millisecond)
		synctest.Wait()
		assert.Zero(t, m.Stats().Keys)
		assert.LessOrEqual(t, runtime.NumGoroutine(), before)
	}, keylock.IdleTTL(time.Second))
}

func TestD20_WhatIsUsedStays(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l := take(t, m, "held", keylock.LeaseTime(0))
		for range 10 {
			_, _ = m.Do(t.Context(), "used", nothing)
			_, _ = m.Do(t.Context(), fmt.Sprint(time.Now()), nothing)
			time.Sleep(900 * time.Millisecond)
		}
		assert.LessOrEqual(t, m.Stats().Keys, 2+3)
		l.Release()
		time.Sleep(3 * time.Second)
		assert.Zero(t, m.Stats().Keys)
	}, keylock.IdleTTL(time.Second))
}

// D21: a key that was idle and is held again is not evicted.
func TestD21_WhatIsHeldAgainStays(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		take(t, m, "k").Release()
		l := take(t, m, "k", keylock.LeaseTime(0))
		time.Sleep(5 * time.Second)
		_, ok := m.TryAcquire("k")
		assert.False(t, ok, "it is held")
		assert.Equal(t, 1, m.Stats().Keys)
		l.Release()
		time.Sleep(3 * time.Second)
		assert.Zero(t, m.Stats().Keys)
	}, keylock.IdleTTL(time.Second))
}

func TestD20_AtOnceWithoutATTL(t *testing.T) {
	m := manager(t, keylock.IdleTTL(0))
	_, err := m.Do(t.Context(), "k", nothing)
	require.NoError(t, err)
	assert.Zero(t, m.Stats().Keys)
}

// TestD20_AClockThatIsTakenAway: a test may have replaced the shared schedulers, and their
// timers are gone with them.
func TestD20_AClockThatIsTakenAway(t *testing.T) {
	m := manager(t, keylock.IdleTTL(time.Second))
	t.Run("virtual", func(t *testing.T) {
		reactortest.UseVirtualTime(t)
		_, err := m.Do(t.Context(), "k", nothing)
		require.NoError(t, err)
	})
	vt := reactortest.UseVirtualTime(t)
	_, err := m.Do(t.Context(), "k", nothing)
	require.NoError(t, err)
	vt.AdvanceBy(2 * time.Second)
	assert.Zero(t, m.Stats().Keys)
}

// TestMapsShrink: a Go map keeps the size it had once.
func TestMapsShrink(t *testing.T) {
	m := manager(t, keylock.IdleTTL(0))
	var leases []keylock.Lease
	for i := range 100_000 {
		leases = append(leases, take(t, m, fmt.Sprint(i), keylock.LeaseTime(0)))
	}
	for _, l := range leases {
		l.Release()
	}
	assert.Less(t, m.Largest(), 40_000)
	assert.Zero(t, m.Stats().Keys)
}

func TestD22_ShutdownRefusesWhoWaits(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l := take(t, m, "k", keylock.LeaseTime(0))
		refused := make(chan error, 1)
		go func() { refused <- second(m.Do(t.Context(), "k", nothing)) }()
		synctest.Wait()
		ended := make(chan error, 1)
		go func() { ended <- m.Shutdown(t.Context()) }()
		synctest.Wait()
		assert.ErrorIs(t, <-refused, keylock.ErrLocksClosed, "at once")
		assert.ErrorIs(t, second(m.Do(t.Context(), "other", nothing)), keylock.ErrLocksClosed)
		assert.Empty(t, ended, "the holder is waited for")
		assert.NoError(t, l.Context().Err(), "and not disturbed")
		l.Release()
		assert.NoError(t, <-ended)
		assert.NoError(t, m.Shutdown(t.Context()), "again")
		assert.Zero(t, m.Stats().Keys)
		assert.Equal(t, uint64(2), m.Stats().Closed)
	})
}

func TestD22_ShutdownServesWhoWaits(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l := take(t, m, "k", keylock.LeaseTime(0))
		served := make(chan error, 1)
		go func() { served <- second(m.Do(t.Context(), "k", nothing)) }()
		synctest.Wait()
		go func() { time.Sleep(time.Second); l.Release() }()
		start := time.Now()
		assert.NoError(t, m.Shutdown(t.Context(), keylock.DrainWaiters()))
		assert.Equal(t, time.Second, time.Since(start))
		assert.NoError(t, <-served)
	})
}

func TestD22_ShutdownThatTakesTooLong(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l := take(t, m, "k", keylock.LeaseTime(0))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := m.Shutdown(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorIs(t, err, keylock.ErrLocksClosed)
		assert.EqualError(t, err, `keylock: Shutdown: 1 key is still held: "k": context deadline exceeded`)
		var e *keylock.ShutdownError
		require.ErrorAs(t, err, &e)
		assert.Equal(t, time.Second, e.Held[0].Age)
		<-l.Context().Done()
		assert.ErrorIs(t, context.Cause(l.Context()), keylock.ErrLocksClosed)
		assert.True(t, l.Valid(), "it holds the key until it returns")
		l.Release()
		assert.NoError(t, m.Shutdown(t.Context()))
	})
}

// A shutdown that gives up waiting removes the instruments as Close does, and only its own: another manager may have
// made those of the same names since.
func TestD22_ShutdownRemovesTheInstruments(t *testing.T) {
	r := &register{values: map[string]int64{}, times: map[string][]time.Duration{}}
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l := take(t, m, "k", keylock.LeaseTime(0))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var e *keylock.ShutdownError
		require.ErrorAs(t, m.Shutdown(ctx), &e)
		assert.ElementsMatch(t, slices.Collect(maps.Keys(r.made)), r.gone)
		l.Release()
		require.NoError(t, m.Shutdown(t.Context()))
		m.Close()
		assert.Len(t, r.gone, len(r.made), "once")
	}, keylock.WithMeter(r, "app"))
}

// TestD22_ServesNobodyWhenItHasGivenUp: who waited got the key afterwards, with a context
// that nothing ended any more.
func TestD22_ServesNobodyWhenItHasGivenUp(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l := take(t, m, "k", keylock.LeaseTime(0))
		refused := make(chan error, 1)
		go func() { refused <- second(m.Do(t.Context(), "k", nothing, keylock.WaitTime(keylock.Forever))) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var e *keylock.ShutdownError
		require.ErrorAs(t, m.Shutdown(ctx, keylock.DrainWaiters()), &e)
		assert.Equal(t, "k", e.Held[0].Key)
		l.Release()
		assert.ErrorIs(t, <-refused, keylock.ErrLocksClosed)
		assert.NoError(t, m.Shutdown(t.Context()))
	})
}

func TestD22_ShutdownRefusesANilOption(t *testing.T) {
	m := manager(t)
	assert.EqualError(t, m.Shutdown(t.Context(), keylock.DrainWaiters(), nil), "keylock: Shutdown: illegal argument: an option is nil")
	take(t, m, "k").Release() // nothing was shut down
}

func TestD22_Close(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		_, err := m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
			m.Close()
			<-ctx.Done()
			return 0, context.Cause(ctx)
		})
		assert.ErrorIs(t, err, keylock.ErrLocksClosed)
		m.Close()
		assert.NoError(t, m.Shutdown(t.Context()))
		//lint:ignore SA1012 what becomes of a nil context is the point
		assert.ErrorContains(t, m.Shutdown(nil), "the context is nil")
	})
}

// register is a meter that keeps what it is told.
type register struct {
	mu     sync.Mutex
	values map[string]int64
	times  map[string][]time.Duration
	made   map[string]bool // names of instruments
	gone   []string
}

func (r *register) make(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.made == nil {
		r.made = map[string]bool{}
	}
	r.made[name] = true
}

func (r *register) add(name string) func(int64) {
	return func(n int64) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.values[strings.TrimPrefix(name, "app.keylock.")] += n
	}
}
func (r *register) Counter(name string, _ ...string) func(int64) { r.make(name); return r.add(name) }
func (r *register) Gauge(name string, _ ...string) func(int64)   { r.make(name); return r.add(name) }
func (r *register) Timer(name string, _ ...string) func(time.Duration) {
	r.make(name)
	return func(d time.Duration) {
		r.mu.Lock()
		defer r.mu.Unlock()
		name = strings.TrimPrefix(name, "app.keylock.")
		r.times[name] = append(r.times[name], d)
	}
}
func (r *register) Remove(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone = append(r.gone, name)
}

func TestD23_Metrics(t *testing.T) {
	r := &register{values: map[string]int64{}, times: map[string][]time.Duration{}}
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		holder := take(t, m, "k", keylock.LeaseTime(0))
		go func() { _, _ = m.Do(t.Context(), "k", nothing, keylock.WaitTime(time.Second)) }()
		go func() { _, _ = m.Do(t.Context(), "k", nothing, keylock.WaitTime(time.Minute)) }()
		synctest.Wait()
		r.mu.Lock()
		assert.Equal(t, map[string]int64{"keys": 1, "holders": 1, "waiters": 2, "acquired": 1}, r.values)
		r.mu.Unlock()
		_, _ = m.Do(t.Context(), "k", nothing, keylock.MaxWaiters(2))
		time.Sleep(2 * time.Second)
		holder.Release()
		synctest.Wait()
		_, _ = m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
			time.Sleep(3 * time.Second)
			panic("x")
		}, keylock.LeaseTime(time.Second))
		_ = m.Job("k", func(context.Context) error { return nil })(t.Context())
		_, _ = m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
			_, _ = m.Do(ctx, "k", nothing)
			return 0, m.Job("k", func(context.Context) error { return nil })(context.WithoutCancel(t.Context()))
		})
		time.Sleep(time.Hour)
		m.Close()
		_, _ = m.Do(t.Context(), "k", nothing)
		r.mu.Lock()
		defer r.mu.Unlock()
		assert.Equal(t, map[string]int64{
			"keys": 0, "holders": 0, "waiters": 0, "acquired": 5, "queue_full": 1, "wait_timeout": 2, "lease_expired": 1,
			"overrun": 1, "panic": 1, "reentrant": 1, "skipped": 1, "closed": 1,
		}, r.values)
		assert.Equal(t, []time.Duration{0, 2 * time.Second, 0, 0, 0}, r.times["wait"])
		assert.Equal(t, []time.Duration{2 * time.Second, 0, 3 * time.Second, 0, 0}, r.times["hold"])
		assert.Equal(t, []time.Duration{2 * time.Second}, r.times["overrun_time"])
		assert.ElementsMatch(t, slices.Collect(maps.Keys(r.made)), r.gone)
	}, keylock.WithMeter(r, "app"))
}

// TestD23_KeysThatAreForgotten: the number of keys that is reported falls when they are, also where nothing else happens.
func TestD23_KeysThatAreForgotten(t *testing.T) {
	r := &register{values: map[string]int64{}, times: map[string][]time.Duration{}}
	keys := func() int64 {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.values["keys"]
	}
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		for i := range 1000 {
			_, err := m.Do(t.Context(), fmt.Sprint("key-", i), nothing)
			require.NoError(t, err)
		}
		assert.EqualValues(t, 1000, keys())
		time.Sleep(2*time.Second + time.Millisecond)
		synctest.Wait()
		assert.Zero(t, m.Stats().Keys)
		assert.Zero(t, keys())
	}, keylock.WithMeter(r, "app"), keylock.IdleTTL(time.Second))
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l := take(t, m, "k")
		assert.EqualValues(t, 1, keys())
		l.Release()
		assert.Zero(t, keys(), "at once")
	}, keylock.WithMeter(r, "app"), keylock.IdleTTL(0))
	t.Run("by who gives up its turn", func(t *testing.T) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // it has not run when the key is free
		bubble(t, func(t *testing.T, m *keylock.Manager) {
			holder := take(t, m, "k")
			ctx, cancel := context.WithCancel(t.Context())
			go func() { _, _ = m.Acquire(ctx, "k", keylock.WaitTime(keylock.Forever)) }()
			synctest.Wait()
			cancel()
			holder.Release()
			synctest.Wait()
			assert.Zero(t, m.Stats().Keys)
			assert.Zero(t, keys())
		}, keylock.WithMeter(r, "app"), keylock.IdleTTL(0), keylock.Barging())
	})
}

// Per-key tags, behind an option.
func TestD23_KeyTags(t *testing.T) {
	r := &tagged{values: map[string]int64{}}
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		for _, key := range []string{"order-1", "order-2", "user-1", "odd"} {
			take(t, m, key).Release()
		}
		take(t, m, "order-1").Release()
		m.Close()
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, name := range []string{"acquired", "wait", "hold"} {
			name = "app.keylock." + name + " manager locks zone a key "
			assert.EqualValues(t, 3, r.values[name+"order"])
			assert.EqualValues(t, 1, r.values[name+"user"])
			assert.EqualValues(t, 1, r.values[name+"unknown"])
		}
		assert.Contains(t, r.values, "app.keylock.holders manager locks zone a")
		assert.NotContains(t, r.values, "app.keylock.acquired manager locks zone a", "a sum beside its parts")
	}, keylock.WithMeter(r, "app", "zone", "a"), keylock.WithName("locks"), keylock.WithKeyTag(func(key string) string {
		kind, _, ok := strings.Cut(key, "-")
		if !ok {
			panic("an odd key")
		}
		return kind
	}))
}

// Without that option there is no tag for a key.
func TestD23_NoKeyTags(t *testing.T) {
	r := &tagged{values: map[string]int64{}}
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		take(t, m, "order-1").Release()
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, name := range []string{"acquired", "wait", "hold"} {
			assert.EqualValues(t, 1, r.values["app.keylock."+name+" manager locks"])
		}
	}, keylock.WithMeter(r, "app"), keylock.WithName("locks"))
}

// tagged counts calls of instruments by their names and tags.
type tagged struct {
	mu     sync.Mutex
	values map[string]int64
}

func (r *tagged) count(name string, tags []string) func(int64) {
	name = strings.Join(append([]string{name}, tags...), " ")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.values[name] += 0
	return func(int64) { r.mu.Lock(); defer r.mu.Unlock(); r.values[name]++ }
}

func (r *tagged) Counter(name string, tags ...string) func(int64) { return r.count(name, tags) }
func (r *tagged) Gauge(name string, tags ...string) func(int64)   { return r.count(name, tags) }
func (r *tagged) Timer(name string, tags ...string) func(time.Duration) {
	add := r.count(name, tags)
	return func(time.Duration) { add(1) }
}
func (r *tagged) Remove(string) {}

func TestD24_Snapshot(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		a := take(t, m, "a", keylock.LeaseTime(5*time.Second))
		time.Sleep(time.Second)
		b := take(t, m, "b", keylock.LeaseTime(0), keylock.AtExpiry(keylock.ReleaseOnExpiry))
		go func() { _, _ = m.Do(t.Context(), "a", nothing, keylock.WaitTime(2*time.Second)) }()
		synctest.Wait()
		assert.Equal(t, []keylock.Held{
			{Key: "a", Token: 1, Age: time.Second, Left: 4 * time.Second, Waiters: 1, Operation: "Acquire"},
			{Key: "b", Token: 2, Left: -1, Policy: keylock.ReleaseOnExpiry, Operation: "Acquire"},
		}, m.Snapshot())
		assert.Equal(t, `"a" [token 1, held 1s, left 4s, waiters 1]`, m.Snapshot()[0].String())
		assert.Equal(t, `"b" [token 2, held 0s, left ∞, waiters 0]`, m.Snapshot()[1].String())
		time.Sleep(5 * time.Second)
		assert.Zero(t, m.Snapshot()[0].Left)
		a.Release()
		b.Release()
		assert.Empty(t, m.Snapshot())
	})
}

func TestD24_SlowHolders(t *testing.T) {
	var slow []string
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		for _, d := range []time.Duration{time.Second, 3 * time.Second} {
			_, err := m.Do(t.Context(), d.String(), func(context.Context, keylock.Lease) (int, error) {
				time.Sleep(d)
				return 0, nil
			})
			require.NoError(t, err)
		}
		assert.Equal(t, []string{"3s after 2s"}, slow)
	}, keylock.WithSlowHolder(2*time.Second, func(h keylock.Held) { slow = append(slow, h.Key+" after "+h.Age.String()) }))
}

func TestD25_VirtualTime(t *testing.T) {
	m := manager(t)
	vt := reactortest.UseVirtualTime(t)
	l := take(t, m, "k", keylock.LeaseTime(time.Second))
	vt.AdvanceBy(time.Second - 1)
	assert.True(t, l.Valid())
	vt.AdvanceBy(1)
	assert.False(t, l.Valid())
	l.Release()
}

// handClock is a clock that is moved by hand.
type handClock struct {
	mu     sync.Mutex
	now    time.Time
	alarms map[int]func()
	at     map[int]time.Time
	n      int
}

func newHandClock() *handClock {
	return &handClock{now: time.Unix(1, 0), alarms: map[int]func(){}, at: map[int]time.Time{}}
}

func (c *handClock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *handClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	id := c.n
	c.alarms[id], c.at[id] = f, c.now.Add(d)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, ok := c.alarms[id]
		delete(c.alarms, id)
		return ok
	}
}

func (c *handClock) move(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []func()
	for id, f := range c.alarms {
		if !c.at[id].After(c.now) {
			due = append(due, f)
			delete(c.alarms, id)
		}
	}
	c.mu.Unlock()
	for _, f := range due {
		f()
	}
}

var _ executors.Clock = &handClock{}

func TestD25_AClockOfOnesOwn(t *testing.T) {
	c := newHandClock()
	m := manager(t, keylock.WithClock(c), keylock.IdleTTL(time.Minute))
	l := take(t, m, "k", keylock.LeaseTime(time.Second))
	at, _ := l.Deadline()
	assert.True(t, at.Equal(time.Unix(2, 0)))
	c.move(time.Second)
	assert.False(t, l.Valid())
	l.Release()
	c.move(time.Minute)
	c.move(time.Minute)
	assert.Zero(t, m.Stats().Keys)
	c.mu.Lock()
	defer c.mu.Unlock()
	assert.Empty(t, c.alarms, "no timer is left")
}

func TestD25_AClockThatRefuses(t *testing.T) {
	vt := reactortest.UseVirtualTime(t)
	m := manager(t)
	free := take(t, m, "k", keylock.LeaseTime(0))
	schedulers.Parallel() // what the manager finds
	vt.Dispose()
	_, err := m.Acquire(t.Context(), "other", keylock.LeaseTime(time.Second))
	assert.ErrorIs(t, err, reactor.ErrRejected)
	_, err = m.Acquire(t.Context(), "k", keylock.WaitTime(time.Second))
	assert.ErrorIs(t, err, reactor.ErrRejected)
	assert.Equal(t, 1, m.Stats().Holders)
	free.Release()
}

func TestD28_BlockingWhereOneMustNot(t *testing.T) {
	m := manager(t)
	s := schedulers.NewSingle("single")
	defer s.Dispose()
	run := func(fn func(ctx context.Context)) {
		done := make(chan struct{})
		require.NoError(t, s.Execute(func(ctx context.Context) { defer close(done); fn(ctx) }))
		<-done
	}
	run(func(ctx context.Context) {
		_, err := m.Do(ctx, "k", nothing)
		assert.NoError(t, err, "a free key takes no waiting")
	})
	l := take(t, m, "k")
	run(func(ctx context.Context) {
		_, err := m.Do(ctx, "k", nothing)
		assert.ErrorIs(t, err, reactor.ErrBlocking)
		assert.ErrorContains(t, err, "keylock.Do")
		_, err = m.Acquire(context.Background(), "k")
		assert.ErrorContains(t, err, "keylock.Acquire")
		assert.ErrorIs(t, err, reactor.ErrBlocking, "whatever the context")
	})
	assert.Zero(t, m.Stats().Waiters)
	l.Release()
}

// TestD31_NothingIsCalledUnderALock calls the manager from wherever it calls out.
func TestD31_NothingIsCalledUnderALock(t *testing.T) {
	var m *keylock.Manager
	use := func() {
		m.Stats()
		m.Snapshot()
		l, _ := m.TryAcquire("k2")
		l.Release()
	}
	c := &callingClock{handClock: newHandClock()}
	r := &callingMeter{}
	called := make(chan struct{}, 3)
	m = manager(t, keylock.WithClock(c), keylock.WithMeter(r, "app"), keylock.WithSlowHolder(time.Second, func(keylock.Held) { use() }), keylock.IdleTTL(time.Minute))
	c.use, r.use = use, use
	for range 3 {
		l := take(t, m, "k", keylock.LeaseTime(2*time.Second))
		context.AfterFunc(l.Context(), func() { use(); called <- struct{}{} })
		_, _ = m.TryAcquire("k")
		c.move(time.Second)
		c.move(time.Second)
		l.Release()
		<-called
	}
	c.move(time.Minute)
	c.move(time.Minute)
	require.NoError(t, m.Shutdown(t.Context()))
}

type callingClock struct {
	*handClock
	use    func()
	inside atomic.Bool
}

func (c *callingClock) call() {
	if c.use != nil && c.inside.CompareAndSwap(false, true) {
		c.use()
		c.inside.Store(false)
	}
}
func (c *callingClock) Now() time.Time { c.call(); return c.handClock.Now() }
func (c *callingClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.call()
	return c.handClock.AfterFunc(d, f)
}

type callingMeter struct {
	use    func()
	inside atomic.Bool
}

func (c *callingMeter) call() {
	if c.use != nil && c.inside.CompareAndSwap(false, true) {
		c.use()
		c.inside.Store(false)
	}
}
func (c *callingMeter) Counter(string, ...string) func(int64) { return func(int64) { c.call() } }
func (c *callingMeter) Gauge(string, ...string) func(int64)   { return func(int64) { c.call() } }
func (c *callingMeter) Timer(string, ...string) func(time.Duration) {
	return func(time.Duration) { c.call() }
}
func (c *callingMeter) Remove(string) {}

func TestD33_Jobs(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		s, err := executors.NewTaskScheduler(executors.PoolSize(2))
		require.NoError(t, err)
		var mu sync.Mutex
		running, most, runs := 0, 0, 0
		job := m.Job("nightly", func(ctx context.Context) error {
			mu.Lock()
			running++
			runs++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(700 * time.Millisecond)
			mu.Lock()
			running--
			mu.Unlock()
			return ctx.Err()
		})
		for range 2 {
			_, err := s.AtFixedRate(time.Second, job)
			require.NoError(t, err)
		}
		time.Sleep(10*time.Second - 1)
		s.ShutdownNow()
		require.NoError(t, s.AwaitTermination(t.Context()))
		assert.Equal(t, 1, most)
		assert.Equal(t, 10, runs)
		assert.Equal(t, uint64(10), m.Stats().Skipped)
		assert.Zero(t, m.Stats().Panics)
	})
	m := manager(t)
	assert.Equal(t, assert.AnError, m.Job("k", func(context.Context) error { return assert.AnError })(t.Context()))
	own := &keylock.Error{Op: "Do", Kind: keylock.ErrWaitTimeout, Key: "inner"}
	assert.Equal(t, own, m.Job("k", func(context.Context) error { return own })(t.Context()), "a failure of the job is no skip")
	assert.Panics(t, func() { m.Job("k", nil) })
	assert.Panics(t, func() { m.Job("k", func(context.Context) error { return nil }, keylock.LeaseTime(-1)) })
}

func TestConfig(t *testing.T) {
	env := map[string]string{}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	c, err := keylock.LoadConfig(lookup)
	assert.NoError(t, err)
	assert.Equal(t, keylock.Config{Wait: 3 * time.Second, Lease: 10 * time.Second, IdleTTL: time.Minute, MaxWaiters: keylock.Unlimited}, c)
	env = map[string]string{
		"REACTOR_LOCKS_WAIT": "0s", "REACTOR_LOCKS_LEASE": "1m", "REACTOR_LOCKS_IDLE_TTL": "1.5s", "REACTOR_LOCKS_MAX_WAITERS": "12",
	}
	c, err = keylock.LoadConfig(lookup)
	assert.NoError(t, err)
	assert.Equal(t, keylock.Config{Lease: time.Minute, IdleTTL: 1500 * time.Millisecond, MaxWaiters: 12}, c)
	env["REACTOR_LOCKS_MAX_WAITERS"] = "Unlimited"
	c, err = keylock.LoadConfig(lookup)
	assert.NoError(t, err)
	assert.Equal(t, keylock.Unlimited, c.MaxWaiters)
	env = map[string]string{
		"REACTOR_LOCKS_WAIT": "3", "REACTOR_LOCKS_LEASE": "-1s", "REACTOR_LOCKS_IDLE_TTL": "", "REACTOR_LOCKS_MAX_WAITERS": "0",
	}
	c, err = keylock.LoadConfig(lookup)
	assert.Equal(t, keylock.Config{Wait: 3 * time.Second, Lease: 10 * time.Second, IdleTTL: time.Minute, MaxWaiters: keylock.Unlimited}, c)
	assert.EqualError(t, err, `keylock: REACTOR_LOCKS_WAIT="3" is not a duration such as 5s, using 3s
keylock: REACTOR_LOCKS_LEASE=-1s must not be negative, using 10s
keylock: REACTOR_LOCKS_IDLE_TTL="" is not a duration such as 5s, using 1m0s
keylock: REACTOR_LOCKS_MAX_WAITERS=0 must be positive, using no limit`)
	env = map[string]string{"REACTOR_LOCKS_MAX_WAITERS": "many"}
	_, err = keylock.LoadConfig(lookup)
	assert.EqualError(t, err, `keylock: REACTOR_LOCKS_MAX_WAITERS="many" is not a decimal number, using no limit`)
	env = map[string]string{"REACTOR_LOCKS_MAX_WAITERS": "99999999999999999999"} // which no int holds
	_, err = keylock.LoadConfig(lookup)
	assert.EqualError(t, err, fmt.Sprintf("keylock: REACTOR_LOCKS_MAX_WAITERS=99999999999999999999 must be at most %d, using no limit", math.MaxInt))
	env = map[string]string{"REACTOR_LOCKS_MAX_WAITERS": "-99999999999999999999"}
	_, err = keylock.LoadConfig(lookup)
	assert.EqualError(t, err, "keylock: REACTOR_LOCKS_MAX_WAITERS=-99999999999999999999 must be positive, using no limit")
}

func TestD27_Barging(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		holder := take(t, m, "k", keylock.LeaseTime(0))
		got := make(chan uint64, 1)
		go func() {
			l, err := m.Acquire(t.Context(), "k", keylock.WaitTime(keylock.Forever))
			assert.NoError(t, err)
			got <- l.Token()
			l.Release()
		}()
		synctest.Wait()
		holder.Release()
		l, ok := m.TryAcquire("k", keylock.LeaseTime(0))
		synctest.Wait()
		if ok && l.Token() == 2 { // it came before the waiter had woken up
			assert.Empty(t, got)
		}
		l.Release()
		assert.GreaterOrEqual(t, <-got, uint64(2))
		synctest.Wait()
		lease := make(chan keylock.Lease, 1)
		holder = take(t, m, "k", keylock.LeaseTime(0))
		m.Grant("k").SubscribeFunc(t.Context(), func(l keylock.Lease) { lease <- l })
		holder.Release()
		(<-lease).Release()
	}, keylock.Barging())
}

// A caller that was told of the free key and gives up instead of taking it tells the next
// one, and one that nobody wants any more is not remembered for ever.
func TestD27_WhoGivesUpItsTurnTellsTheNext(t *testing.T) {
	for range 50 {
		bubble(t, func(t *testing.T, m *keylock.Manager) {
			holder := take(t, m, "k")
			ctx, cancel := context.WithCancel(t.Context())
			var first, second error
			go func() {
				var l keylock.Lease
				l, first = m.Acquire(ctx, "k")
				l.Release()
			}()
			synctest.Wait()
			got := false
			go func() {
				var l keylock.Lease
				l, second = m.Acquire(t.Context(), "k")
				got = l.Release()
			}()
			synctest.Wait()
			cancel()
			holder.Release() // the first call still stands in line, as it has not run since
			synctest.Wait()
			require.True(t, got, "the first call ended with %v", first)
			require.NoError(t, second)
			time.Sleep(time.Minute)
			synctest.Wait()
			require.Zero(t, m.Stats().Keys)
		}, keylock.Barging(), keylock.WaitTime(keylock.Forever), keylock.LeaseTime(0), keylock.IdleTTL(time.Second))
	}
}

// With nothing held there is nothing to wait for, also if there is no time to.
func TestShutdownWithoutTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		m := manager(t)
		take(t, m, "k").Release()
		require.NoError(t, m.Shutdown(ctx))
	}
	m := manager(t)
	l := take(t, m, "k")
	var held *keylock.ShutdownError
	require.ErrorAs(t, m.Shutdown(ctx), &held)
	assert.Len(t, held.Held, 1)
	l.Release()
}

// All who wait hear of the end, and all holders, also if a stream that hears of it ends the goroutine.
func TestCloseTellsAll(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		var holders []keylock.Lease
		told := 0
		for i := range 20 {
			key := strconv.Itoa(i)
			holders = append(holders, take(t, m, key, keylock.LeaseTime(0)))
			for range 2 {
				m.Mono(key, mono.Just(1)).SubscribeFunc(t.Context(), nil, mono.OnError(func(err error) {
					assert.ErrorIs(t, err, keylock.ErrLocksClosed)
					told++
					runtime.Goexit()
				}))
			}
		}
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			m.Close()
		}()
		<-closed
		assert.Equal(t, 40, told)
		for _, l := range holders {
			assert.ErrorIs(t, context.Cause(l.Context()), keylock.ErrLocksClosed)
			l.Release()
		}
	})
}
