package keylock_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/schedulers"
)

func TestD14_NotReentrant(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		start := time.Now()
		_, err := m.Do(t.Context(), "a", func(ctx context.Context, _ keylock.Lease) (int, error) {
			return m.Do(ctx, "b", func(ctx context.Context, _ keylock.Lease) (int, error) {
				deep, cancel := context.WithCancel(ctx)
				defer cancel()
				return m.Do(deep, "a", nothing)
			})
		})
		assert.ErrorIs(t, err, keylock.ErrReentrant)
		assert.Zero(t, time.Since(start), "at once, not when the wait is over")
		for _, opt := range []keylock.CallOption{keylock.WaitTime(0), keylock.MaxWaiters(1), keylock.WaitTime(keylock.Forever)} {
			_, err = m.Do(t.Context(), "a", func(ctx context.Context, _ keylock.Lease) (int, error) { return m.Do(ctx, "a", nothing, opt) })
			assert.ErrorIs(t, err, keylock.ErrReentrant)
		}
		assert.Equal(t, uint64(4), m.Stats().Reentrant)
		assert.Zero(t, m.Stats().WaitTimeouts, "a failure counts once")
		_, err = m.Do(t.Context(), "a", func(ctx context.Context, _ keylock.Lease) (int, error) {
			ended, cancel := context.WithCancel(context.Background())
			defer cancel()
			go func() { _, _ = m.Do(ended, "a", nothing) }()
			synctest.Wait()
			return m.Do(ctx, "a", nothing, keylock.MaxWaiters(1))
		})
		assert.ErrorIs(t, err, keylock.ErrReentrant)
		assert.Zero(t, m.Stats().QueueFull, "a failure counts once")
		other := manager(t)
		_, err = m.Do(t.Context(), "a", func(ctx context.Context, _ keylock.Lease) (int, error) { return other.Do(ctx, "a", nothing) })
		assert.NoError(t, err, "of another manager")
	})
}

// TestD14_NotReentrantAfterTheLease: a hold keeps its key until it returns, also when its
// lease is over, and would wait for itself until then.
func TestD14_NotReentrantAfterTheLease(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		nested := func(inner func(ctx context.Context) error, opts ...keylock.CallOption) error {
			_, err := m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
				time.Sleep(2 * time.Second)
				return 0, inner(context.WithoutCancel(ctx))
			}, opts...)
			return err
		}
		for name, inner := range map[string]func(ctx context.Context) error{
			"Do":        func(ctx context.Context) error { return second(m.Do(ctx, "k", nothing)) },
			"Reentrant": func(ctx context.Context) error { return second(m.Do(ctx, "k", nothing, keylock.Reentrant())) },
			"DoAll": func(ctx context.Context) error {
				return second(m.DoAll(ctx, []string{"k"}, func(context.Context, []keylock.Lease) (int, error) { return 0, nil }, keylock.Reentrant()))
			},
			"Flux": func(ctx context.Context) error {
				return second(m.Flux("k", flux.Just(1), keylock.Reentrant()).BlockLast(ctx))
			},
		} {
			start := time.Now()
			err := nested(inner)
			assert.ErrorIs(t, err, keylock.ErrLeaseExpired, name)
			assert.ErrorIs(t, err, keylock.ErrReentrant, name)
			assert.Equal(t, 2*time.Second, time.Since(start), "%s: at once", name)
		}
		assert.NotErrorIs(t, nested(func(ctx context.Context) error {
			assert.NoError(t, second(m.Do(ctx, "k", nothing)), "the key was passed on")
			return nil
		}, keylock.AtExpiry(keylock.ReleaseOnExpiry), keylock.Grace(time.Minute)), keylock.ErrReentrant)
	}, keylock.LeaseTime(time.Second), keylock.WaitTime(time.Minute))
}

func TestD14_Reentrant(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		v, err := m.Do(t.Context(), "a", func(ctx context.Context, outer keylock.Lease) (string, error) {
			v, err := m.Do(ctx, "a", func(inside context.Context, inner keylock.Lease) (string, error) {
				assert.Equal(t, outer, inner)
				assert.Equal(t, ctx, inside)
				return "inner", nil
			}, keylock.Reentrant())
			assert.True(t, outer.Valid(), "the inner call does not release")
			_, free := m.TryAcquire("a")
			assert.False(t, free)
			return v, err
		})
		assert.Equal(t, "inner", v)
		assert.NoError(t, err)
		_, err = m.Do(t.Context(), "a", func(ctx context.Context, _ keylock.Lease) (string, error) {
			return m.Do(ctx, "a", func(context.Context, keylock.Lease) (string, error) { panic("inner") }, keylock.Reentrant())
		})
		assert.ErrorContains(t, err, "inner")
	}, keylock.LeaseTime(0))
}

func TestD14_AContextThatIsKeptIsNoHold(t *testing.T) {
	m := manager(t)
	var kept context.Context
	_, err := m.Do(t.Context(), "a", func(ctx context.Context, _ keylock.Lease) (int, error) {
		kept = context.WithoutCancel(ctx)
		return 0, nil
	})
	require.NoError(t, err)
	_, err = m.Do(kept, "a", nothing)
	assert.NoError(t, err)
}

func TestD15_SeveralKeys(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		log := newLog()
		v, err := m.DoAll(t.Context(), []string{"c", "a", "b", "a"}, func(ctx context.Context, leases []keylock.Lease) (int, error) {
			var keys []string
			for _, l := range leases {
				keys = append(keys, fmt.Sprint(l.Key(), l.Token()))
				assert.True(t, l.Valid())
			}
			assert.Equal(t, []string{"c3", "a1", "b2", "a1"}, keys, "acquired in sorted order, each once")
			for _, l := range leases {
				context.AfterFunc(l.Context(), func() { log.add(l.Key()) })
			}
			_, err := m.Do(ctx, "b", nothing)
			assert.ErrorIs(t, err, keylock.ErrReentrant)
			return 9, nil
		})
		assert.Equal(t, 9, v)
		assert.NoError(t, err)
		synctest.Wait()
		assert.Zero(t, m.Stats().Holders)
	})
}

func TestD15_OneDeadlineForAll(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		a, b := take(t, m, "a", keylock.LeaseTime(0)), take(t, m, "b", keylock.LeaseTime(0))
		go func() { time.Sleep(2 * time.Second); a.Release() }()
		start := time.Now()
		_, err := m.DoAll(t.Context(), []string{"b", "a"}, func(context.Context, []keylock.Lease) (int, error) {
			t.Error("ran")
			return 0, nil
		}, keylock.WaitTime(3*time.Second))
		assert.ErrorIs(t, err, keylock.ErrWaitTimeout)
		assert.ErrorContains(t, err, `"b"`)
		assert.Equal(t, 3*time.Second, time.Since(start))
		assert.Equal(t, 1, m.Stats().Holders, "what was acquired is given back")
		b.Release()
	})
}

func TestD15_OppositeOrdersDoNotDeadlock(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		start := time.Now()
		done := make(chan error, 2)
		for _, keys := range [][]string{{"a", "b"}, {"b", "a"}} {
			go func() {
				_, err := m.DoAll(t.Context(), keys, func(context.Context, []keylock.Lease) (int, error) {
					time.Sleep(time.Second)
					return 0, nil
				})
				done <- err
			}()
		}
		assert.NoError(t, <-done)
		assert.NoError(t, <-done)
		assert.Equal(t, 2*time.Second, time.Since(start))
	})
}

func TestD15_OnceOneLeaseEndsTheContextDoes(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		b := take(t, m, "b", keylock.LeaseTime(0))
		go func() { time.Sleep(time.Second); b.Release() }()
		_, err := m.DoAll(t.Context(), []string{"a", "b"}, func(ctx context.Context, leases []keylock.Lease) (int, error) {
			<-ctx.Done()
			assert.False(t, leases[0].Valid())
			assert.True(t, leases[1].Valid())
			return 0, nil
		}, keylock.LeaseTime(2*time.Second))
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
	})
}

func TestD15_BadInput(t *testing.T) {
	m := manager(t)
	s := schedulers.NewSingle("s")
	defer s.Dispose()
	fn := func(context.Context, []keylock.Lease) (int, error) { return 1, nil }
	_, err := m.DoAll(t.Context(), []string{"a"}, fn, keylock.On(s))
	assert.ErrorContains(t, err, `keylock: DoAll "a": illegal argument: On: DoAll runs its function on the goroutine of the caller`)
	v, err := m.DoAll(t.Context(), nil, fn)
	assert.Equal(t, 1, v)
	assert.NoError(t, err, "no keys, nothing to wait for")
	_, err = m.Do(t.Context(), "a", func(ctx context.Context, _ keylock.Lease) (int, error) { return m.DoAll(ctx, []string{"a", "b"}, fn) })
	assert.ErrorIs(t, err, keylock.ErrReentrant)
	_, err = m.Do(t.Context(), "b", func(ctx context.Context, _ keylock.Lease) (int, error) { return m.DoAll(ctx, []string{"a", "b"}, fn) })
	assert.ErrorIs(t, err, keylock.ErrReentrant)
	assert.Zero(t, m.Stats().Holders)
	v, err = m.Do(t.Context(), "b", func(ctx context.Context, outer keylock.Lease) (int, error) {
		return m.DoAll(ctx, []string{"a", "b"}, func(_ context.Context, leases []keylock.Lease) (int, error) {
			assert.Equal(t, outer, leases[1])
			return 2, nil
		}, keylock.Reentrant())
	})
	assert.Equal(t, 2, v)
	assert.NoError(t, err)
}

func TestD16_ReleaseIsIdempotentAndOnlyOfItsOwn(t *testing.T) {
	m := manager(t)
	first := take(t, m, "k")
	copied := first
	assert.True(t, first.Release())
	second := take(t, m, "k")
	assert.False(t, first.Release())
	assert.False(t, copied.Release())
	assert.True(t, second.Valid(), "a stale release takes nothing from the next holder")
	_, ok := m.TryAcquire("k")
	assert.False(t, ok)
	assert.True(t, second.Release())
}

func TestD16_AnExpiredLeaseIsStale(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		first := take(t, m, "k", keylock.LeaseTime(time.Second))
		time.Sleep(time.Second)
		synctest.Wait()
		second := take(t, m, "k")
		assert.False(t, first.Release())
		assert.True(t, second.Valid())
		second.Release()
	}, keylock.AtExpiry(keylock.ReleaseOnExpiry))
}

func TestD17_Panics(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		got := make(chan struct{})
		_, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
			go func() {
				_, err := m.Do(t.Context(), "k", nothing)
				assert.NoError(t, err, "the next one proceeds")
				close(got)
			}()
			synctest.Wait()
			panic(assert.AnError)
		})
		var p *reactor.PanicError
		require.ErrorAs(t, err, &p)
		assert.ErrorIs(t, err, assert.AnError)
		assert.Contains(t, string(p.Stack), "TestD17_Panics")
		<-got
		assert.PanicsWithValue(t, "again", func() {
			_, _ = m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) { panic("again") }, keylock.Repanic())
		})
		assert.Equal(t, uint64(2), m.Stats().Panics)
	})
}

func TestD17_Goexit(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
				runtime.Goexit()
				return 0, nil
			})
			t.Error("returned")
		}()
		<-ended
		take(t, m, "k").Release()
		s := schedulers.NewSingle("s")
		defer s.Dispose()
		_, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
			runtime.Goexit()
			return 0, nil
		}, keylock.On(s))
		assert.ErrorIs(t, err, reactor.ErrGoexit)
		take(t, m, "k").Release()
	})
}

func TestD17_ElsewhereToo(t *testing.T) {
	m := manager(t, keylock.AtExpiry(keylock.ReleaseOnExpiry))
	boom := func(context.Context, keylock.Lease) (int, error) { panic("boom") }
	_, err := m.Do(t.Context(), "k", boom)
	assert.ErrorContains(t, err, "boom")
	assert.Panics(t, func() { _, _ = m.Do(t.Context(), "k", boom, keylock.Repanic()) })
	assert.Zero(t, m.Stats().Holders)
}

func TestD18_ResultsAreTyped(t *testing.T) {
	m := manager(t)
	v, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (error, error) { return assert.AnError, nil })
	assert.Equal(t, assert.AnError, v, "a value, although it is an error")
	assert.NoError(t, err)
}

func TestD19_FnRunsOnTheCallersGoroutine(t *testing.T) {
	m := manager(t)
	var here, there string
	here = goroutine()
	_, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
		there = goroutine()
		return 0, nil
	})
	require.NoError(t, err)
	assert.Equal(t, here, there)
	s := schedulers.NewSingle("elsewhere")
	defer s.Dispose()
	name, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (string, error) { return goroutine(), nil }, keylock.On(s))
	require.NoError(t, err)
	assert.NotEqual(t, here, name)
	s.Dispose()
	_, err = m.Do(t.Context(), "k", nothing, keylock.On(s))
	assert.ErrorIs(t, err, reactor.ErrRejected)
	assert.Zero(t, m.Stats().Holders)
}

// goroutine returns the first line of the stack, which names the goroutine.
func goroutine() string {
	var buf [32]byte
	n := runtime.Stack(buf[:], false)
	var id int
	_, _ = fmt.Sscanf(string(buf[:n]), "goroutine %d", &id)
	return fmt.Sprint(id)
}

// TestD19_ATaskThatIsDroppedDoesNotHang: the scheduler is disposed while fn waits in it.
func TestD19_ATaskThatIsDroppedDoesNotHang(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		s := schedulers.NewSingle("s")
		block := make(chan struct{})
		require.NoError(t, s.Execute(func(context.Context) { <-block }))
		synctest.Wait()
		go func() { time.Sleep(time.Second); s.Dispose() }()
		_, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
			t.Error("ran")
			return 0, nil
		}, keylock.On(s), keylock.LeaseTime(5*time.Second))
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		close(block)
	})
}

// Without a lease the drop itself ends the call.
func TestD19_ATaskThatIsDroppedDoesNotHangWithoutALease(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		for _, inner := range []bool{false, true} {
			s := schedulers.NewSingle("s")
			block := make(chan struct{})
			require.NoError(t, s.Execute(func(context.Context) { <-block }))
			synctest.Wait()
			go func() { time.Sleep(time.Minute + time.Millisecond); s.Dispose() }()
			call := func(ctx context.Context, opts ...keylock.CallOption) {
				_, err := m.Do(ctx, "k", func(context.Context, keylock.Lease) (int, error) {
					t.Error("ran")
					return 0, nil
				}, append(opts, keylock.On(s))...)
				assert.ErrorIs(t, err, reactor.ErrRejected)
				assert.ErrorIs(t, err, schedulers.ErrTaskDisposed)
			}
			begin := time.Now()
			if inner {
				_, err := m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
					call(ctx, keylock.Reentrant())
					return 0, nil
				}, keylock.LeaseTime(0))
				assert.NoError(t, err)
			} else {
				call(t.Context(), keylock.LeaseTime(0))
			}
			assert.LessOrEqual(t, time.Since(begin), time.Minute+time.Second)
			assert.Zero(t, m.Stats().Holders)
			close(block)
			synctest.Wait()
		}
	})
}

// A lease is never handed out twice.
func TestReentrantHasNoLeaseOfItsOwn(t *testing.T) {
	m := manager(t)
	_, err := m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
		_, err := m.Acquire(ctx, "k", keylock.Reentrant())
		assert.ErrorIs(t, err, keylock.ErrReentrant)
		_, err = m.Grant("k", keylock.Reentrant()).Block(ctx)
		assert.ErrorIs(t, err, keylock.ErrReentrant)
		return 0, nil
	})
	assert.NoError(t, err)
}

// On decides where the function of a call runs that is inside another hold, too.
func TestReentrantOnAScheduler(t *testing.T) {
	m := manager(t)
	s := schedulers.NewSingle("own")
	defer s.Dispose()
	inside := func(fn func(context.Context, keylock.Lease) (uint64, error)) (uint64, error) {
		return m.Do(t.Context(), "k", func(ctx context.Context, outer keylock.Lease) (uint64, error) {
			here := goroutine()
			token, err := m.Do(ctx, "k", func(ctx context.Context, l keylock.Lease) (uint64, error) {
				assert.NotEqual(t, here, goroutine())
				assert.Equal(t, outer, l)
				return fn(ctx, l)
			}, keylock.Reentrant(), keylock.On(s))
			assert.True(t, outer.Valid(), "the outer hold keeps the key")
			return token, err
		})
	}
	token, err := inside(func(_ context.Context, l keylock.Lease) (uint64, error) { return l.Token(), nil })
	assert.NoError(t, err)
	assert.EqualValues(t, 1, token)
	_, err = inside(func(context.Context, keylock.Lease) (uint64, error) { panic("boom") })
	assert.EqualError(t, err, "reactor: keylock: panic: boom")
	s.Dispose()
	_, err = inside(func(context.Context, keylock.Lease) (uint64, error) { return 0, nil })
	assert.ErrorIs(t, err, reactor.ErrRejected)
	assert.Zero(t, m.Stats().Holders)
}
