package keylock_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
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
	"github.com/goreactor/reactor/schedulers"
)

func TestD1_OneFunctionPerKey(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		log := newLog()
		for i, key := range []string{"a", "a", "b"} {
			go func() {
				_, err := m.Do(t.Context(), key, func(context.Context, keylock.Lease) (int, error) {
					log.add(fmt.Sprint("begin ", key, i))
					time.Sleep(time.Second)
					log.add(fmt.Sprint("end ", key, i))
					return 0, nil
				})
				assert.NoError(t, err)
			}()
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"begin a0@0s", "begin b2@0s", "end a0@1s", "begin a1@1s", "end b2@1s", "end a1@2s"}, sortedByTime(log.all()))
	})
}

// sortedByTime orders what happened at the same moment on several goroutines.
func sortedByTime(lines []string) []string {
	order := map[string]int{"begin a0@0s": 0, "begin b2@0s": 1, "end a0@1s": 2, "begin a1@1s": 3, "end b2@1s": 4, "end a1@2s": 5}
	out := make([]string, len(lines))
	for _, l := range lines {
		if i, ok := order[l]; ok && i < len(out) {
			out[i] = l
		}
	}
	return out
}

func TestD2_FirstInFirstOut(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		holder := take(t, m, "k", keylock.LeaseTime(0))
		log := newLog()
		var cancels []context.CancelFunc
		for i := range 6 {
			ctx, cancel := context.WithCancel(t.Context())
			cancels = append(cancels, cancel)
			go func() {
				opts := []keylock.CallOption{keylock.WaitTime(time.Minute)}
				if i == 3 {
					opts = []keylock.CallOption{keylock.WaitTime(time.Second)}
				}
				l, err := m.Acquire(ctx, "k", opts...)
				switch {
				case err == nil:
					log.add(fmt.Sprint("got ", i))
				case errors.Is(err, keylock.ErrWaitTimeout):
					log.add(fmt.Sprint("late ", i))
				default:
					log.add(fmt.Sprint("cancelled ", i))
				}
				l.Release()
			}()
			synctest.Wait()
		}
		assert.Equal(t, 6, m.Stats().Waiters)
		cancels[1]()
		synctest.Wait()
		assert.Equal(t, 5, m.Stats().Waiters, "a cancelled one leaves at once")
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, 4, m.Stats().Waiters, "and so does one whose time is over")
		time.Sleep(time.Second)
		holder.Release()
		synctest.Wait()
		assert.Equal(t, []string{"cancelled 1@0s", "late 3@1s", "got 0@2s", "got 2@2s", "got 4@2s", "got 5@2s"}, log.all())
		for _, cancel := range cancels {
			cancel()
		}
	})
}

func TestD3_OneDeadlineFixedAtTheCall(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		holder := take(t, m, "k", keylock.LeaseTime(0))
		start := time.Now()
		_, err := m.Do(t.Context(), "k", nothing, keylock.WaitTime(1500*time.Millisecond))
		assert.Equal(t, 1500*time.Millisecond, time.Since(start), "to the millisecond, however long the holder takes")
		assert.ErrorIs(t, err, keylock.ErrWaitTimeout)

		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, assert.AnError)
		defer cancel()
		start = time.Now()
		_, err = m.Do(ctx, "k", nothing, keylock.WaitTime(2*time.Second))
		assert.Equal(t, time.Second, time.Since(start))
		assert.Equal(t, assert.AnError, err, "the context ended first: its cause")

		start = time.Now()
		_, err = m.Do(t.Context(), "k", nothing, keylock.WaitTime(0))
		assert.Zero(t, time.Since(start), "0 tries")
		assert.ErrorIs(t, err, keylock.ErrWaitTimeout)

		ctx, cancel = context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err = m.Do(ctx, "k", nothing, keylock.WaitTime(keylock.Forever))
		assert.Equal(t, time.Hour, time.Since(start), "Forever leaves it to the context")
		assert.Equal(t, context.DeadlineExceeded, err)
		holder.Release()
	})
}

func TestD3_TheDeadlineCoversAllHoldersBefore(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		for range 3 { // each holds for a second: one that waits 2.5 s outlasts two of them, not three
			go func() {
				_, _ = m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
					time.Sleep(time.Second)
					return 0, nil
				}, keylock.WaitTime(keylock.Forever))
			}()
			synctest.Wait()
		}
		start := time.Now()
		_, err := m.Do(t.Context(), "k", nothing, keylock.WaitTime(2500*time.Millisecond))
		assert.ErrorIs(t, err, keylock.ErrWaitTimeout)
		assert.Equal(t, 2500*time.Millisecond, time.Since(start))
		time.Sleep(time.Second)
	})
}

func TestD4_NothingStartsAfterTheReturn(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		holder := take(t, m, "k", keylock.LeaseTime(0))
		ran := false
		_, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
			ran = true
			return 0, nil
		}, keylock.WaitTime(time.Second))
		require.ErrorIs(t, err, keylock.ErrWaitTimeout)
		holder.Release()
		time.Sleep(time.Hour)
		assert.False(t, ran)
		assert.Equal(t, uint64(1), m.Stats().Acquired)
	})
}

func TestD4_AContextThatHasEndedStartsNothing(t *testing.T) {
	m := manager(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(assert.AnError)
	_, err := m.Do(ctx, "k", func(context.Context, keylock.Lease) (int, error) {
		t.Error("ran")
		return 0, nil
	})
	assert.Equal(t, assert.AnError, err)
	assert.Zero(t, m.Stats().Keys)
}

func TestD5_ABoundedQueue(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		holder := take(t, m, "k", keylock.LeaseTime(0))
		for range 2 {
			go func() { _, _ = m.Do(t.Context(), "k", nothing, keylock.WaitTime(time.Minute)) }()
		}
		synctest.Wait()
		start := time.Now()
		_, err := m.Do(t.Context(), "k", nothing)
		assert.ErrorIs(t, err, keylock.ErrQueueFull)
		assert.ErrorIs(t, err, reactor.ErrRejected)
		assert.EqualError(t, err, `keylock: Do "k": too many wait for the key: 2 wait already`)
		assert.Zero(t, time.Since(start))
		l, err := m.Acquire(t.Context(), "other")
		assert.NoError(t, err)
		l.Release()
		holder.Release()
	}, keylock.MaxWaiters(2))
}

func TestD6_KeysAreExact(t *testing.T) {
	m := manager(t)
	keys := []string{"", " ", "a", "A", "a\x00", "\xff", "\u00e4", "a\u0308"}
	for _, key := range keys {
		defer take(t, m, key).Release()
	}
	assert.Equal(t, len(keys), m.Stats().Holders)
	_, ok := m.TryAcquire("")
	assert.False(t, ok)
}

// TestLimitsThatAreNone: the words mean what they mean elsewhere in the library.
func TestLimitsThatAreNone(t *testing.T) {
	assert.Equal(t, mono.Forever, keylock.Forever)
	assert.EqualValues(t, executors.Unlimited, keylock.Unlimited)
	synctest.Test(t, func(t *testing.T) {
		m := manager(t)
		l, err := m.Acquire(t.Context(), "k", keylock.LeaseTime(keylock.Forever))
		require.NoError(t, err)
		_, limited := l.Deadline()
		assert.False(t, limited)
		ctx, cancel := context.WithTimeout(t.Context(), 1000*time.Hour)
		defer cancel()
		start := time.Now()
		assert.ErrorIs(t, second(m.Acquire(ctx, "k", keylock.WaitTime(keylock.Forever), keylock.MaxWaiters(keylock.Unlimited))), context.DeadlineExceeded)
		assert.Equal(t, 1000*time.Hour, time.Since(start))
		assert.True(t, l.Valid())
		l.Release()
	})
}

func TestBadInput(t *testing.T) {
	m := manager(t)
	ctx := t.Context()
	for want, err := range map[string]error{
		`keylock: Do "k": illegal argument: the function is nil`:                                second(m.Do[int](ctx, "k", nil)),
		`keylock: Do "k": illegal argument: WaitTime: d ≥ 0 required but it was -2ns`:           second(m.Do(ctx, "k", nothing, keylock.WaitTime(-2))),
		`keylock: Do "k": illegal argument: LeaseTime: d ≥ 0 required but it was -1ns`:          second(m.Do(ctx, "k", nothing, keylock.LeaseTime(-1))),
		`keylock: Acquire "k": illegal argument: MaxWaiters: n > 0 required but it was 0`:       second(m.Acquire(ctx, "k", keylock.MaxWaiters(0))),
		`keylock: Do "k": illegal argument: Grace: d ≥ 0 required but it was -1s`:               second(m.Do(ctx, "k", nothing, keylock.Grace(-time.Second))),
		`keylock: Do "k": illegal argument: AtExpiry: unknown policy Policy(7)`:                 second(m.Do(ctx, "k", nothing, keylock.AtExpiry(7))),
		`keylock: Do "k": illegal argument: On: the scheduler is nil`:                           second(m.Do(ctx, "k", nothing, keylock.On(nil))),
		`keylock: DoAll "a, b": illegal argument: the function is nil`:                          second(m.DoAll[int](ctx, []string{"a", "b"}, nil)),
		`keylock: DoAll "a": illegal argument: WaitTime: d ≥ 0 required but it was -2ns`:        second(m.DoAll(ctx, []string{"a"}, func(context.Context, []keylock.Lease) (int, error) { return 0, nil }, keylock.WaitTime(-2))),
		`keylock: DoAll "a": illegal argument: Grace: DoAll waits for its function in any case`: second(m.DoAll(ctx, []string{"a"}, func(context.Context, []keylock.Lease) (int, error) { return 0, nil }, keylock.Grace(1))),
		`keylock: Acquire "k": illegal argument: Grace: Acquire runs no function`:               second(m.Acquire(ctx, "k", keylock.Grace(1))),
		`keylock: Acquire "k": illegal argument: Repanic: Acquire runs no function`:             second(m.Acquire(ctx, "k", keylock.Repanic())),
		`keylock: Acquire "k": illegal argument: On: Acquire runs no function`:                  second(m.Acquire(ctx, "k", keylock.On(schedulers.Immediate()))),
	} {
		require.Error(t, err, want)
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument, want)
		assert.Contains(t, err.Error(), want)
	}
	//lint:ignore SA1012 what becomes of a nil context is the point
	_, err := m.Acquire(nil, "k")
	assert.ErrorContains(t, err, "the context is nil")
	assert.Zero(t, m.Stats().Keys)

	for want, opt := range map[string]keylock.Option{
		"IdleTTL: d ≥ 0 required but it was -1ns":                   keylock.IdleTTL(-1),
		"WithClock: the clock is nil":                               keylock.WithClock(nil),
		"WithScheduler: the scheduler is nil":                       keylock.WithScheduler(nil),
		"WithMeter: the meter is nil":                               keylock.WithMeter(nil, ""),
		"WithMeter: tags are pairs of key and value, got 1 strings": keylock.WithMeter(&callingMeter{}, "", "zone"),
		"WithKeyTag: the function is nil":                           keylock.WithKeyTag(nil),
		"WithLogger: the logger is nil":                             keylock.WithLogger(nil),
		"WithSlowHolder: after > 0 required but it was 0s":          keylock.WithSlowHolder(0, func(keylock.Held) {}),
		"WithSlowHolder: the function is nil":                       keylock.WithSlowHolder(1, nil),
		"WithBackend: the backend is nil":                           keylock.WithBackend(nil, time.Second),
		"LockDelay: d ≥ 0 required but it was -1ns":                 keylock.LockDelay(-1),
		"WaitTime: d ≥ 0 required but it was -5s":                   keylock.WaitTime(-5 * time.Second),
		"an option is nil":                                          nil,
	} {
		_, err := keylock.New(opt)
		require.Error(t, err, want)
		assert.ErrorContains(t, err, "keylock: New: "+want)
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	}
	_, err = keylock.New(keylock.IdleTTL(0), keylock.LeaseTime(0), keylock.WaitTime(0), keylock.Grace(0), keylock.MaxWaiters(1), keylock.LockDelay(0))
	assert.NoError(t, err, "0 is no negative number")
	_, err = keylock.New(keylock.IdleTTL(-1), keylock.LeaseTime(-2))
	assert.ErrorContains(t, err, "IdleTTL")
	assert.ErrorContains(t, err, "LeaseTime", "all that is wrong at once")
}

func second[T any](_ T, err error) error { return err }

// What has no error to return panics, instead of looking as if the key were taken.
func TestBadInputThatPanics(t *testing.T) {
	m := manager(t)
	//reactorvet:ignore they panic
	for want, call := range map[string]func(){
		`keylock: TryAcquire "k": illegal argument: LeaseTime: d ≥ 0 required but it was -1ns`: func() { m.TryAcquire("k", keylock.LeaseTime(-1)) },
		`keylock: TryAcquire "k": illegal argument: On: TryAcquire runs no function`:           func() { m.TryAcquire("k", keylock.On(schedulers.Immediate())) },
		`keylock: Grant "k": illegal argument: Grace: Grant runs no function`:                  func() { m.Grant("k", keylock.Grace(1)) },
		`keylock: Grant "k": illegal argument: Repanic: Grant runs no function`:                func() { m.Grant("k", keylock.Repanic()) },
	} {
		func() {
			defer func() { assert.Contains(t, recover(), want) }()
			call()
		}()
	}
}

// As defaults of a manager they are for the methods that run a function.
func TestDefaultsAreForThoseWhoCanUseThem(t *testing.T) {
	m := manager(t, keylock.Grace(time.Second), keylock.Repanic(), keylock.On(schedulers.Immediate()))
	take(t, m, "k").Release()
	lease, ok := m.TryAcquire("k")
	require.True(t, ok)
	lease.Release()
	lease, err := m.Grant("k").Block(t.Context())
	require.NoError(t, err)
	lease.Release()
}

// On is for the methods that can run their function elsewhere; DoAll runs it where it is called.
func TestDoAllUnderAManagerWithOn(t *testing.T) {
	s := schedulers.NewSingle("s")
	s.Dispose()
	m := manager(t, keylock.On(s))
	v, err := m.DoAll(t.Context(), []string{"a", "b"}, func(context.Context, []keylock.Lease) (int, error) { return 7, nil })
	require.NoError(t, err)
	assert.Equal(t, 7, v)
	assert.ErrorIs(t, second(m.Do(t.Context(), "a", nothing)), reactor.ErrRejected)
}

func TestAZeroManagerSaysThatItIsOne(t *testing.T) {
	var m keylock.Manager
	ctx := t.Context()
	all := func(context.Context, []keylock.Lease) (int, error) { return 0, nil }
	for want, err := range map[string]error{
		`keylock: Acquire "k": illegal state: the manager was not made by New`: second(m.Acquire(ctx, "k")),
		`keylock: Do "k": illegal state: the manager was not made by New`:      second(m.Do(ctx, "k", nothing)),
		`keylock: DoAll "k": illegal state: the manager was not made by New`:   second(m.DoAll(ctx, []string{"k"}, all)),
		`keylock: Shutdown: illegal state: the manager was not made by New`:    m.Shutdown(ctx),
	} {
		assert.EqualError(t, err, want)
		assert.ErrorIs(t, err, reactor.ErrIllegalState)
	}
	//reactorvet:ignore it panics
	assert.PanicsWithValue(t, `keylock: Grant "k": illegal state: the manager was not made by New`, func() { m.Grant("k") })
	assert.Zero(t, m.Stats())
	assert.Empty(t, m.Snapshot())
	m.Close()
}

// Each error names the method and the key, and says what was wrong.
func TestD30_Texts(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		ctx := t.Context()
		l := take(t, m, "k", keylock.LeaseTime(time.Second))
		assert.EqualError(t, second(m.Acquire(ctx, "k", keylock.WaitTime(0))),
			`keylock: Acquire "k": the key was not free in time: it is held, and the call does not wait`)
		assert.EqualError(t, second(m.Acquire(l.Context(), "k")), `keylock: Acquire "k": the caller holds the key already`)
		all := func(context.Context, []keylock.Lease) (int, error) { return 0, nil }
		assert.EqualError(t, second(m.DoAll(l.Context(), []string{"a", "k"}, all)), `keylock: DoAll "k": the caller holds the key already`)
		assert.NoError(t, second(m.DoAll(ctx, []string{"a", "b", "a"}, all)), "a key that is named twice is acquired once")
		time.Sleep(time.Second)
		synctest.Wait()
		assert.EqualError(t, context.Cause(l.Context()), `keylock: Acquire "k": the lease has expired: token 1: held 1s`)
		assert.EqualError(t, l.Extend(time.Second), `keylock: Extend "k": the lease has expired: token 1`)
		assert.True(t, l.Release())
		assert.False(t, l.Release(), "the second one does nothing")
		next := take(t, m, "k", keylock.LeaseTime(0))
		assert.False(t, l.Release(), "nor does that of a lease that is over")
		assert.True(t, next.Valid())
		assert.EqualError(t, next.Extend(-time.Second), `keylock: Extend "k": illegal argument: d > 0 required but it was -1s`)
		failed := make(chan error)
		go func() { failed <- second(m.Acquire(ctx, "k", keylock.WaitTime(2*time.Second))) }()
		synctest.Wait()
		assert.EqualError(t, second(m.Acquire(ctx, "k", keylock.MaxWaiters(1))), `keylock: Acquire "k": too many wait for the key: 1 wait already`)
		assert.EqualError(t, <-failed, `keylock: Acquire "k": the key was not free in time: waited 2s`)
		next.Release()
		assert.EqualError(t, next.Extend(time.Second), `keylock: Extend "k": the lease is released: token 5`)
		m.Close()
		assert.EqualError(t, second(m.Acquire(ctx, "k")), `keylock: Acquire "k": the manager is closed`)
		assert.Equal(t, "HoldUntilReturn ReleaseOnExpiry Policy(7)", fmt.Sprint(keylock.HoldUntilReturn, " ", keylock.ReleaseOnExpiry, " ", keylock.Policy(7)))
		assert.Equal(t, "vacant occupied released expired unknown", fmt.Sprint(keylock.Vacant, keylock.Occupied, keylock.Released, keylock.Expired, keylock.EventKind(4)))
	})
}

// With one processor the goroutine that was woken can run only if the other one steps back.
// It does not always come first: the runtime looks at what was put back every now and then.
func TestWhoPassesAKeyOnStepsBack(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m := manager(t, keylock.LeaseTime(0), keylock.WaitTime(keylock.Forever))
	const rounds = 40
	first := 0
	for range rounds {
		var began atomic.Bool
		var all sync.WaitGroup
		_, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
			all.Go(func() {
				_, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
					began.Store(true)
					return 0, nil
				})
				assert.NoError(t, err)
			})
			for m.Stats().Waiters == 0 {
				runtime.Gosched()
			}
			return 0, nil
		})
		if began.Load() {
			first++
		}
		require.NoError(t, err)
		all.Wait()
	}
	assert.Greater(t, first, rounds/2)
}
