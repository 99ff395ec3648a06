package keylock_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/locktest"
)

// only disturbs one kind of requests.
func only(op string, around locktest.Around) locktest.Around {
	return func(ctx context.Context, which string, do func() error) error {
		if which == op {
			return around(ctx, which, do)
		}
		return do()
	}
}

var errAway = errors.New("connection refused")

func away(context.Context, string, func() error) error { return errAway }

// doing returns a job for the key k, and how often it has run.
func doing(m *keylock.Manager, wait time.Duration) (job func(context.Context) error, ran *int) {
	ran = new(int)
	return m.Job("k", func(context.Context) error { *ran++; return nil }, keylock.WaitTime(wait)), ran
}

// A store that answers questions and carries nothing out has not said that somebody else has the key.
func TestAJobThatTheStoreDoesNotCarryOutFails(t *testing.T) {
	for _, wait := range []time.Duration{0, 2 * time.Second} {
		t.Run(wait.String(), func(t *testing.T) {
			distributed(t, func(t *testing.T, a, _ *keylock.Manager, _ store, la, _ *line) {
				job, ran := doing(a, wait)
				la.disturb(only("TryAcquire", away))
				assert.ErrorIs(t, job(t.Context()), errAway)
				assert.Zero(t, a.Stats().Skipped)
				assert.Zero(t, *ran)
				time.Sleep(ttl)
			})
		})
	}
}

// Nor does a call of the same process that has no answer either.
func TestAJobBehindACallWithoutAnAnswerFails(t *testing.T) {
	for _, wait := range []time.Duration{0, 2 * time.Second} {
		t.Run(wait.String(), func(t *testing.T) {
			distributed(t, func(t *testing.T, a, b *keylock.Manager, _ store, la, _ *line) {
				la.disturb(away)
				ctx, cancel := context.WithCancel(t.Context())
				first := make(chan error, 1)
				go func() { first <- second(a.Acquire(ctx, "k", keylock.WaitTime(keylock.Forever))) }()
				synctest.Wait()
				job, ran := doing(a, wait)
				err := job(t.Context())
				assert.ErrorIs(t, err, errAway)
				if wait == 0 {
					assert.ErrorContains(t, err, "no answer from the backend to a call of this process")
				}
				assert.Zero(t, a.Stats().Skipped)
				la.disturb(nil)
				l := take(t, b, "k", keylock.WaitTime(time.Second))
				time.Sleep(ttl) // the call has an answer now: it is held
				assert.NoError(t, job(t.Context()))
				assert.Equal(t, uint64(1), a.Stats().Skipped)
				cancel()
				assert.ErrorIs(t, <-first, context.Canceled)
				l.Release()
				time.Sleep(ttl)
				assert.NoError(t, job(t.Context()))
				assert.Equal(t, 1, *ran)
			})
		})
	}
}

// That the key was held says nothing any more when it has become free and the store has not answered since.
func TestAJobWithoutAnAnswerAboutAFreeKeyFails(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, _ store, la, _ *line) {
		l := take(t, b, "k")
		job, _ := doing(a, 2*time.Second)
		failed := make(chan error, 1)
		go func() { failed <- job(t.Context()) }()
		synctest.Wait()
		la.disturb(only("TryAcquire", hang))
		l.Release()
		err := <-failed
		assert.ErrorIs(t, err, keylock.ErrWaitTimeout)
		assert.Zero(t, a.Stats().Skipped)
		time.Sleep(ttl)
	})
}

// Failures with successes in between don't add up: who waits looks as soon after the last as after the first.
func TestFailuresThatAreOverDoNotSlowDownWhoWaits(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, la, _ *line) {
		l := take(t, b, "k")
		got := make(chan time.Duration, 1)
		start := time.Now()
		go func() {
			own, err := a.Acquire(t.Context(), "k", keylock.WaitTime(keylock.Forever))
			assert.NoError(t, err)
			got <- time.Since(start)
			own.Release()
		}()
		synctest.Wait()
		for range 20 { // the key becomes free, and is taken again before the store answers
			la.disturb(only("TryAcquire", away))
			l.Release()
			synctest.Wait()
			l = take(t, b, "k")
			la.disturb(nil)
			time.Sleep(time.Minute)
		}
		la.disturb(only("TryAcquire", away))
		l.Release()
		synctest.Wait()
		la.disturb(nil)
		free := time.Since(start)
		assert.Less(t, <-got-free, 100*time.Millisecond, "the pause after a first failure")
	})
}

// So do watches that break off one at a time.
func TestWatchesThatHaveBrokenOffDoNotSlowDownTheNext(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, la, _ *line) {
		l := take(t, b, "k")
		broken := &breaking{Backend: la.backend()}
		m := manager(t, keylock.WithBackend(broken, ttl), keylock.LeaseTime(0), keylock.LockDelay(0))
		got := make(chan time.Duration, 1)
		start := time.Now()
		go func() {
			own, err := m.Acquire(t.Context(), "k", keylock.WaitTime(keylock.Forever))
			assert.NoError(t, err)
			got <- time.Since(start)
			own.Release()
		}()
		synctest.Wait()
		for range 20 {
			broken.end()
			time.Sleep(time.Minute)
		}
		broken.end()
		synctest.Wait()
		l.Release() // nobody watches
		free := time.Since(start)
		assert.Less(t, <-got-free, 100*time.Millisecond, "the pause before the first new watch")
	})
}

// breaking is a backend whose watch end ends.
type breaking struct {
	keylock.Backend
	cancel atomic.Pointer[context.CancelFunc]
}

func (b *breaking) end() { (*b.cancel.Load())() }

func (b *breaking) Watch(ctx context.Context, key string) (<-chan keylock.Event, error) {
	ctx, cancel := context.WithCancel(ctx)
	b.cancel.Store(&cancel)
	return b.Backend.Watch(ctx, key)
}

// A store that forgets an expiry before the lock delay is over is refused: who comes after that would take the key at once.
func TestK8_AStoreThatForgetsTooSoonIsRefused(t *testing.T) {
	for _, direct := range []bool{true, false} {
		var backend keylock.Backend = &locktest.Stream{MarkTTL: 2 * time.Second}
		if !direct {
			backend = locktest.Intercept(backend, func(_ context.Context, _ string, do func() error) error { return do() })
		}
		_, err := keylock.New(keylock.WithBackend(backend, ttl), keylock.LockDelay(2*time.Second+1))
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
		assert.ErrorContains(t, err, "LockDelay: 2.000000001s")
		m, err := keylock.New(keylock.WithBackend(backend, ttl), keylock.LockDelay(2*time.Second))
		require.NoError(t, err)
		m.Close()
	}
	m, err := keylock.New(keylock.WithBackend(locktest.NewTree(), ttl), keylock.LockDelay(time.Hour))
	require.NoError(t, err, "one that can't tell is not asked")
	m.Close()
}

// A call that does not wait has no answer yet when the manager is closed: it counts as refused, and not as one that was too late as well.
func TestCallWithoutAnAnswerAtTheEndCountsOnce(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		go m.TryAcquire("k")
		synctest.Wait()
		m.Close()
		time.Sleep(time.Hour)
		s := m.Stats()
		assert.Equal(t, [2]uint64{1, 0}, [2]uint64{s.Closed, s.WaitTimeouts})
	}, keylock.WithBackend(locktest.Intercept(locktest.NewTree(), func(_ context.Context, op string, do func() error) error {
		time.Sleep(time.Second)
		return locktest.ErrLost
	}), ttl))
}
