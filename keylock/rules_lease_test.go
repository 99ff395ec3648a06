package keylock_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/mono"
)

func TestD7_TheLeaseBeginsAtTheGrant(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		holder := take(t, m, "k", keylock.LeaseTime(0))
		go func() {
			time.Sleep(2 * time.Second)
			holder.Release()
		}()
		start, ran := time.Now(), false
		_, err := m.Do(t.Context(), "k", func(ctx context.Context, l keylock.Lease) (int, error) {
			ran = true
			granted := time.Since(start)
			assert.Equal(t, 2*time.Second, granted)
			deadline, ok := ctx.Deadline()
			assert.True(t, ok)
			assert.Equal(t, time.Second, time.Until(deadline))
			at, ok := l.Deadline()
			assert.True(t, ok)
			assert.Equal(t, deadline, at)
			assert.NoError(t, ctx.Err())
			<-ctx.Done()
			assert.Equal(t, 3*time.Second, time.Since(start))
			assert.Equal(t, context.Canceled, ctx.Err())
			assert.ErrorIs(t, context.Cause(ctx), keylock.ErrLeaseExpired)
			return 0, nil
		}, keylock.LeaseTime(time.Second))
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		assert.True(t, ran, "the lease was not over when it began")
	})
}

func TestD7_WithoutALease(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		_, err := m.Do(t.Context(), "k", func(ctx context.Context, l keylock.Lease) (int, error) {
			_, ok := ctx.Deadline()
			assert.False(t, ok)
			_, ok = l.Deadline()
			assert.False(t, ok)
			time.Sleep(24 * time.Hour)
			assert.NoError(t, ctx.Err())
			assert.True(t, l.Valid())
			return 0, nil
		}, keylock.LeaseTime(0))
		assert.NoError(t, err)
	})
}

func TestD7_TheContextIsDerivedFromTheCallers(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		type key struct{}
		ctx, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, "v"))
		_, err := m.Do(ctx, "k", func(inner context.Context, l keylock.Lease) (int, error) {
			assert.Equal(t, "v", inner.Value(key{}))
			child, stop := context.WithCancel(inner)
			defer stop()
			cancel(assert.AnError)
			<-inner.Done()
			<-child.Done()
			assert.Equal(t, assert.AnError, context.Cause(inner))
			assert.Equal(t, assert.AnError, context.Cause(child))
			assert.True(t, l.Valid(), "the key is held all the same")
			return 0, nil
		})
		assert.NoError(t, err)
	})
}

func TestD7_TheContextEndsWithTheRelease(t *testing.T) {
	for name, look := range map[string]bool{"asked before": true, "asked after": false} {
		t.Run(name, func(t *testing.T) {
			m := manager(t)
			var kept context.Context
			_, err := m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
				kept = ctx
				if look {
					select {
					case <-ctx.Done():
						t.Error("done")
					default:
					}
				}
				return 0, nil
			})
			require.NoError(t, err)
			<-kept.Done()
			assert.Equal(t, context.Canceled, kept.Err())
			assert.Equal(t, context.Canceled, context.Cause(kept))
		})
	}
}

func TestD8_AnErrorOfTheFunctionIsItsOwn(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		_, err := m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
			inner, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			<-inner.Done()
			return 0, inner.Err()
		}, keylock.LeaseTime(time.Minute))
		assert.Equal(t, context.DeadlineExceeded, err)
		assert.Zero(t, m.Stats().LeasesExpired)
	})
}

func TestD9_AValueThatComesAfterTheLease(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		late := func(err error) (int, error) {
			return m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
				time.Sleep(3 * time.Second)
				return 42, err
			}, keylock.LeaseTime(time.Second))
		}
		v, err := late(nil)
		assert.Equal(t, 42, v)
		var e *keylock.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, keylock.Error{Op: "Do", Kind: keylock.ErrLeaseExpired, Key: "k", Token: 1, Held: time.Second}, *e)

		v, err = late(assert.AnError)
		assert.Equal(t, 42, v)
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		assert.ErrorIs(t, err, assert.AnError)
		s := m.Stats()
		assert.Equal(t, [2]uint64{2, 2}, [2]uint64{s.Overruns, s.LeasesExpired})

		_, err = m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
			<-ctx.Done()
			return 0, context.Cause(ctx)
		}, keylock.LeaseTime(time.Second))
		_, single := err.(*keylock.Error)
		assert.True(t, single, "the cause of the context is not joined with itself")
	})
}

func TestD10_Extend(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l := take(t, m, "k", keylock.LeaseTime(2*time.Second))
		time.Sleep(time.Second)
		require.NoError(t, l.Extend(3*time.Second))
		at, _ := l.Deadline()
		assert.Equal(t, 3*time.Second, time.Until(at))
		require.NoError(t, l.Extend(time.Second), "it does not shorten")
		at, _ = l.Deadline()
		assert.Equal(t, 3*time.Second, time.Until(at))
		err := l.Extend(0)
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
		assert.ErrorContains(t, err, "d > 0 required but it was 0s")
		time.Sleep(3*time.Second - 1)
		assert.True(t, l.Valid())
		assert.NoError(t, l.Context().Err())
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		assert.False(t, l.Valid())
		assert.ErrorIs(t, context.Cause(l.Context()), keylock.ErrLeaseExpired)
		assert.ErrorIs(t, l.Extend(time.Second), keylock.ErrLeaseExpired)
		_, ok := l.Deadline()
		assert.False(t, ok)
		assert.True(t, l.Release(), "the key was held until now")
		assert.ErrorIs(t, l.Extend(time.Second), keylock.ErrLeaseExpired)

		free := take(t, m, "k", keylock.LeaseTime(0))
		assert.NoError(t, free.Extend(time.Second))
		assert.True(t, free.Release())
		assert.ErrorIs(t, free.Extend(time.Second), keylock.ErrReleased)
	})
}

func TestD11_HoldUntilReturn(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		log := newLog()
		go func() {
			_, _ = m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
				time.Sleep(5 * time.Second) // looks at nothing
				log.add("first ends")
				return 0, nil
			}, keylock.LeaseTime(time.Second))
			log.add("first returned")
		}()
		synctest.Wait()
		_, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
			log.add("second begins")
			return 0, nil
		}, keylock.WaitTime(time.Minute))
		require.NoError(t, err)
		synctest.Wait()
		lines := log.all()
		assert.Equal(t, "first ends@5s", lines[0])
		assert.ElementsMatch(t, []string{"first returned@5s", "second begins@5s"}, lines[1:])
	})
}

func TestD11_ReleaseOnExpiry(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		log := newLog()
		go func() {
			v, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
				time.Sleep(5 * time.Second)
				log.add("first ends")
				return 7, nil
			}, keylock.LeaseTime(time.Second), keylock.Grace(2*time.Second))
			assert.Zero(t, v)
			assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
			log.add("first returned")
		}()
		synctest.Wait()
		_, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
			log.add("second begins")
			return 0, nil
		}, keylock.WaitTime(time.Minute))
		require.NoError(t, err)
		time.Sleep(2500 * time.Millisecond)
		assert.Equal(t, 1, m.Stats().Late, "it runs although its Do has returned")
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"second begins@1s", "first returned@3s", "first ends@5s"}, log.all())
		assert.Zero(t, m.Stats().Late)
		assert.Equal(t, uint64(1), m.Stats().Overruns)
	}, keylock.AtExpiry(keylock.ReleaseOnExpiry))
}

func TestD11_ReleaseOnExpiryWithinTheGrace(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		v, err := m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			return 7, nil
		}, keylock.LeaseTime(time.Second), keylock.Grace(2*time.Second))
		assert.Equal(t, 7, v)
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		v, err = m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) { return 8, nil }, keylock.LeaseTime(time.Second))
		assert.Equal(t, 8, v)
		assert.NoError(t, err)
		time.Sleep(time.Hour)
	}, keylock.AtExpiry(keylock.ReleaseOnExpiry))
}

// TestD11_WhatComesTooLateIsReported: nobody waits for the function any more, but what it
// returned is not lost in silence.
func TestD11_WhatComesTooLateIsReported(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		var mu sync.Mutex // what reports is not the goroutine that looks
		var dropped []any
		var failed []error
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
			NextDropped:  func(_ context.Context, v any) { mu.Lock(); defer mu.Unlock(); dropped = append(dropped, v) },
			ErrorDropped: func(_ context.Context, err error) { mu.Lock(); defer mu.Unlock(); failed = append(failed, err) },
		})
		for _, crash := range []bool{false, true} {
			_, err := m.Do(ctx, "k", func(context.Context, keylock.Lease) (string, error) {
				time.Sleep(time.Minute)
				if crash {
					panic("late")
				}
				return "late", nil
			}, keylock.LeaseTime(time.Second))
			assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
			time.Sleep(time.Hour)
		}
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		assert.Equal(t, []any{"late"}, dropped)
		require.Len(t, failed, 1)
		assert.ErrorContains(t, failed[0], "late")
	}, keylock.AtExpiry(keylock.ReleaseOnExpiry))
}

func TestD12_TokensRiseAndSurviveEviction(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		last := uint64(0)
		for range 5 {
			l := take(t, m, "k")
			assert.Greater(t, l.Token(), last)
			last = l.Token()
			l.Release()
			time.Sleep(time.Hour) // the place of the key is evicted
			assert.Zero(t, m.Stats().Keys)
		}
	})
}

func TestD12_NoncesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for range 3 { // as a program that is started again
		m := manager(t)
		for range 3 {
			l := take(t, m, "k")
			assert.False(t, seen[l.Nonce()])
			seen[l.Nonce()] = true
			l.Release()
		}
	}
}

func TestTheZeroLease(t *testing.T) {
	var l keylock.Lease
	assert.False(t, l.Valid())
	assert.False(t, l.Release())
	assert.ErrorIs(t, l.Extend(time.Second), keylock.ErrReleased)
	assert.ErrorIs(t, context.Cause(l.Context()), keylock.ErrReleased)
	_, ok := l.Deadline()
	assert.False(t, ok)
	assert.Equal(t, [3]any{"", uint64(0), ""}, [3]any{l.Key(), l.Token(), l.Nonce()})
	assert.Equal(t, "no lease", l.String())
	l.Discarded()
}

func TestD30_Errors(t *testing.T) {
	e := &keylock.Error{Op: "Do", Kind: keylock.ErrWaitTimeout, Key: "k", Waited: 3 * time.Second}
	assert.EqualError(t, e, `keylock: Do "k": the key was not free in time: waited 3s`)
	assert.ErrorIs(t, e, reactor.ErrTimeout)
	assert.True(t, e.Timeout())
	var timeout interface{ Timeout() bool }
	assert.True(t, errors.As(error(e), &timeout) && timeout.Timeout())
	full := &keylock.Error{Op: "Do", Kind: keylock.ErrQueueFull, Key: "k"}
	assert.ErrorIs(t, full, reactor.ErrRejected)
	assert.False(t, full.Timeout())
	caused := &keylock.Error{Op: "Do", Kind: keylock.ErrLeaseLost, Key: "k", Token: 3, Held: time.Second, Cause: assert.AnError}
	assert.ErrorIs(t, caused, assert.AnError)
	assert.EqualError(t, caused, `keylock: Do "k": the lease is lost: token 3: held 1s: `+assert.AnError.Error())
}

// Under ReleaseOnExpiry the next one has the key whatever becomes of the stream that has lost it.
func TestNextOneAfterAStreamThatIsInTheWay(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		got := make(chan struct{})
		m.Mono("waits", mono.Never[int]()).SubscribeFunc(t.Context(), nil, mono.OnError(func(error) { <-got }))
		m.Mono("ends", mono.Never[int]().DoOnCancel(runtime.Goexit)).SubscribeFunc(t.Context(), nil, mono.OnError(func(error) {}))
		for _, key := range []string{"waits", "ends"} {
			l, err := m.Acquire(t.Context(), key, keylock.WaitTime(time.Minute))
			require.NoError(t, err, key)
			l.Release()
			if key == "waits" {
				close(got)
			}
		}
	}, keylock.AtExpiry(keylock.ReleaseOnExpiry), keylock.LeaseTime(time.Second))
}
