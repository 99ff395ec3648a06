package keylock_test

import (
	"context"
	"crypto/rand"
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
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/locktest"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

const ttl = 3 * time.Second // margin 300 ms, renewals each second

// store is what both stores in memory can do.
type store interface {
	keylock.Backend
	Expire(key string) bool
}

// line is the way to a store, which a test can disturb.
type line struct {
	store
	mu     sync.Mutex
	around locktest.Around
	calls  map[string]int
	log    []string
	start  time.Time
}

func (l *line) disturb(around locktest.Around) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.around = around
}

func (l *line) backend() keylock.Backend {
	return locktest.Intercept(l.store, func(ctx context.Context, op string, do func() error) error {
		l.mu.Lock()
		around := l.around
		l.calls[op]++
		if op != "Watch" {
			l.log = append(l.log, fmt.Sprint(op, "@", time.Since(l.start).Round(100*time.Millisecond)))
		}
		l.mu.Unlock()
		if around != nil {
			return around(ctx, op, do)
		}
		return do()
	})
}

func (l *line) count(op string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls[op]
}

// distributed runs a test on both stores, with two managers, each on a line of its own.
func distributed(t *testing.T, fn func(t *testing.T, a, b *keylock.Manager, s store, la, lb *line), opts ...keylock.Option) {
	for name, open := range map[string]func() store{
		"stream": func() store { return locktest.NewStream() },
		"tree":   func() store { return locktest.NewTree() },
	} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				s := open()
				lines, managers := make([]*line, 2), make([]*keylock.Manager, 2)
				for i := range lines {
					lines[i] = &line{store: s, calls: map[string]int{}, start: time.Now()}
					managers[i] = manager(t, append([]keylock.Option{
						keylock.WithBackend(lines[i].backend(), ttl), keylock.WaitTime(time.Minute), keylock.LeaseTime(0),
					}, opts...)...)
				}
				fn(t, managers[0], managers[1], s, lines[0], lines[1])
				for i, m := range managers {
					lines[i].disturb(nil)
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					assert.NoError(t, m.Shutdown(ctx))
					cancel()
					st := m.Stats()
					assert.Equal(t, [3]int{}, [3]int{st.Keys, st.Holders, st.Waiters})
				}
				time.Sleep(2 * time.Minute) // marks disappear
			})
		})
	}
}

// nonceOf returns the nonce of the record of a key, or "".
func nonceOf(t *testing.T, s store, key string) string {
	ev, err := s.Read(context.WithoutCancel(t.Context()), key)
	require.NoError(t, err)
	if ev.Kind != keylock.Occupied {
		return ""
	}
	return ev.Grant.Nonce
}

func hang(ctx context.Context, _ string, _ func() error) error { <-ctx.Done(); return ctx.Err() }

// A caller that has given up keeps nobody of its process waiting for what the store says about
// its request: the next one asks by itself.
func TestK7_WhoGivesUpWaitsForNoAnswer(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, s store, la, _ *line) {
		la.disturb(func(ctx context.Context, op string, do func() error) error {
			if op == "TryAcquire" {
				_ = do() // the answer is lost
			}
			return hang(ctx, op, do)
		})
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() {
			_, err := a.Acquire(ctx, "k")
			failed <- err
		}()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-failed, context.Canceled)
		synctest.Wait()
		assert.Zero(t, a.Stats().Holders, "the key is free in this process")
		require.NotEmpty(t, nonceOf(t, s, "k"))
		la.disturb(nil)
		start := time.Now()
		l, err := a.Acquire(t.Context(), "k")
		require.NoError(t, err)
		assert.Less(t, time.Since(start), ttl, "what was left behind was removed")
		l.Release()
	})
}

func TestK2_OneRequestForAFreeKey(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, s store, la, _ *line) {
		l := take(t, a, "k")
		assert.Equal(t, 1, la.count("TryAcquire"))
		assert.Zero(t, la.count("Read"))
		assert.Zero(t, la.count("Watch"))
		assert.Equal(t, l.Nonce(), nonceOf(t, s, "k"))
		ev, err := s.Read(t.Context(), "k")
		require.NoError(t, err)
		assert.Contains(t, ev.Grant.Owner, a.String()+"/")
		l.Release()
		assert.Empty(t, nonceOf(t, s, "k"))
		assert.Equal(t, 1, la.count("Release"))
	})
}

func TestK3_RenewalsKeepTheTokenAndTheKey(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, la, _ *line) {
		l := take(t, a, "k")
		token := l.Token()
		time.Sleep(10 * ttl)
		assert.True(t, l.Valid())
		assert.NoError(t, l.Context().Err())
		assert.Equal(t, token, l.Token())
		assert.InDelta(t, 30, la.count("Renew"), 4, "each third of the time to live")
		_, ok := b.TryAcquire("k")
		assert.False(t, ok)
		l.Release()
		renewals := la.count("Renew")
		time.Sleep(10 * ttl)
		assert.Equal(t, renewals, la.count("Renew"), "K9: none after the release")
	})
}

func TestK6_TheLocalDeadlineComesFirst(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, la, _ *line) {
		l := take(t, a, "k")
		start := time.Now()
		at, ok := l.Deadline()
		assert.True(t, ok)
		assert.Equal(t, ttl-300*time.Millisecond, time.Until(at))
		la.disturb(hang) // the holder is cut off
		waited := make(chan time.Duration, 1)
		go func() {
			next, err := b.Acquire(t.Context(), "k")
			assert.NoError(t, err)
			assert.Greater(t, next.Token(), l.Token())
			waited <- time.Since(start)
			next.Release()
		}()
		<-l.Context().Done()
		assert.Equal(t, ttl-300*time.Millisecond, time.Since(start), "before the store can free the key")
		assert.ErrorIs(t, context.Cause(l.Context()), keylock.ErrLeaseLost)
		assert.False(t, l.Valid())
		assert.ErrorIs(t, l.Extend(time.Second), keylock.ErrLeaseLost)
		assert.Equal(t, ttl+300*time.Millisecond, <-waited, "K8: and the next one waits a little longer")
		assert.Equal(t, uint64(1), a.Stats().LeasesLost)
		assert.Zero(t, a.Stats().LeasesExpired)
		la.disturb(nil)
		l.Release()
	})
}

func TestK6_ALateAnswerIsNoGrant(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, s store, la, _ *line) {
		late := true
		la.disturb(func(ctx context.Context, op string, do func() error) error {
			if op != "TryAcquire" || !late {
				return do()
			}
			late = false
			err := do()
			time.Sleep(ttl - 200*time.Millisecond) // it ignores its context
			return err
		})
		l, err := a.Acquire(t.Context(), "k")
		require.NoError(t, err)
		at, _ := l.Deadline()
		assert.Equal(t, ttl-300*time.Millisecond, time.Until(at), "asked again")
		assert.Equal(t, l.Nonce(), nonceOf(t, s, "k"))
		l.Release()
	})
}

func TestK6_ARecordThatIsGone(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, _, _ *line) {
		v, err := a.Do(t.Context(), "k", func(ctx context.Context, l keylock.Lease) (string, error) {
			assert.True(t, s.Expire("k"))
			<-ctx.Done()
			assert.ErrorIs(t, context.Cause(ctx), keylock.ErrLeaseLost)
			assert.ErrorIs(t, context.Cause(ctx), keylock.ErrHeld, "and says why")
			other := take(t, b, "k", keylock.WaitTime(time.Minute))
			assert.Greater(t, other.Token(), l.Token())
			other.Release()
			return "late", nil
		})
		assert.Equal(t, "late", v)
		assert.ErrorIs(t, err, keylock.ErrLeaseLost)
	})
}

// TestK6_AHolderThatHasLostItsRecordKeepsTheKeyOfItsProcess: others may have it, and nobody beside it here.
func TestK6_AHolderThatHasLostItsRecordKeepsTheKeyOfItsProcess(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, s store, _, _ *line) {
		l := take(t, a, "k")
		next := reactortest.Subscribe(t, a.Grant("k"))
		s.Expire("k")
		<-l.Context().Done()
		time.Sleep(2 * ttl)
		assert.Empty(t, next.Values())
		l.Release()
		time.Sleep(ttl)
		assert.Len(t, next.Values(), 1)
		next.Values()[0].Release()
	})
}

// TestK6_NoRenewalOfARecordThatIsLost: it is over, however long its holder goes on.
func TestK6_NoRenewalOfARecordThatIsLost(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, _ store, la, _ *line) {
		l := take(t, a, "k")
		la.disturb(hang)
		<-l.Context().Done()
		time.Sleep(ttl)
		renewals := la.count("Renew")
		la.disturb(nil)
		time.Sleep(10 * ttl)
		assert.Equal(t, renewals, la.count("Renew"))
		l.Release()
	})
}

// TestK9_ADoubtfulRecordOfSomebodyElse: who does not know what became of a renewal looks before it removes what may be the record of another one by now.
func TestK9_ADoubtfulRecordOfSomebodyElse(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, s store, la, _ *line) {
		var back atomic.Bool
		la.disturb(func(_ context.Context, op string, do func() error) error {
			if op == "Renew" || op == "Read" && !back.Load() {
				return locktest.ErrLost
			}
			return do()
		})
		l := take(t, a, "k")
		time.Sleep(1100 * time.Millisecond) // no renewal has an answer
		require.True(t, l.Valid())
		s.Expire("k")
		mark, err := s.Read(t.Context(), "k")
		require.NoError(t, err)
		other, err := s.TryAcquire(t.Context(), keylock.Request{Key: "k", Nonce: "another", TTL: time.Hour, Revision: mark.Revision})
		require.NoError(t, err)
		back.Store(true)
		l.Release()
		synctest.Wait()
		assert.Equal(t, "another", nonceOf(t, s, "k"))
		assert.Zero(t, la.count("Release"))
		require.NoError(t, s.Release(context.WithoutCancel(t.Context()), other))
	})
}

// TestK9_AReleaseWhoseAnswerIsLost: when the record is seen to be gone nobody looks any more.
func TestK9_AReleaseWhoseAnswerIsLost(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, _ store, la, _ *line) {
		la.disturb(func(_ context.Context, op string, do func() error) error {
			if err := do(); op != "Release" {
				return err
			}
			return locktest.ErrLost
		})
		l := take(t, a, "k")
		start := time.Now()
		l.Release()
		require.NoError(t, a.Shutdown(t.Context()))
		assert.Zero(t, time.Since(start))
	})
}

// TestK6_ADoubtfulRenewal: the answer to a renewal was lost, and a look at the store later
// shows that it was carried out. The record lives from the renewal on, not from the look.
func TestK6_ADoubtfulRenewal(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		s := locktest.NewStream()
		l := &line{store: s, calls: map[string]int{}, start: time.Now()}
		m := manager(t, keylock.WithBackend(l.backend(), ttl), keylock.LeaseTime(0))
		var sent time.Time
		l.disturb(func(ctx context.Context, op string, do func() error) error {
			switch {
			case op == "Renew" && sent.IsZero():
				sent = time.Now()
				_ = do()
				return locktest.ErrLost
			case op == "Renew":
				return hang(ctx, op, do)
			case op == "Read":
				time.Sleep(400 * time.Millisecond)
			}
			return do()
		})
		lease := take(t, m, "k")
		<-lease.Context().Done()
		assert.Equal(t, ttl-300*time.Millisecond, time.Since(sent))
		l.disturb(nil)
		lease.Release()
		require.NoError(t, m.Shutdown(t.Context()))
		time.Sleep(2 * time.Minute)
	})
}

// TestK7_AnAnswerThatIsLost: each request is carried out, and its answer is lost.
func TestK7_AnAnswerThatIsLost(t *testing.T) {
	for _, lost := range []string{"TryAcquire", "Renew", "Release"} {
		t.Run(lost, func(t *testing.T) {
			distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, la, _ *line) {
				la.disturb(func(_ context.Context, op string, do func() error) error {
					err := do()
					if op == lost && la.count(op) == 1 {
						return locktest.ErrLost
					}
					return err
				})
				l, err := a.Acquire(t.Context(), "k")
				require.NoError(t, err)
				assert.Equal(t, l.Nonce(), nonceOf(t, s, "k"))
				assert.Equal(t, 1, la.count("TryAcquire"), "what was granted is not asked for again")
				time.Sleep(2 * ttl)
				assert.True(t, l.Valid())
				l.Release()
				start := time.Now()
				next, err := b.Acquire(t.Context(), "k")
				require.NoError(t, err)
				assert.Less(t, time.Since(start), time.Second, "no record is orphaned")
				next.Release()
			})
		})
	}
}

// TestK7_ARequestThatIsCarriedOutLater: it was on its way when the caller looked.
func TestK7_ARequestThatIsCarriedOutLater(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, la, _ *line) {
		la.disturb(func(ctx context.Context, op string, do func() error) error {
			if op == "TryAcquire" && la.count(op) == 1 {
				time.AfterFunc(500*time.Millisecond, func() { _ = do() })
				return locktest.ErrLost
			}
			if op == "TryAcquire" {
				return errors.Join(locktest.ErrLost) // and the rest gets nowhere
			}
			return do()
		})
		ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
		defer cancel()
		_, err := a.Acquire(ctx, "k")
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		time.Sleep(200 * time.Millisecond)
		start := time.Now()
		next, err := b.Acquire(t.Context(), "k")
		require.NoError(t, err)
		assert.Less(t, time.Since(start), ttl, "what nobody wants is removed before its time to live is over")
		next.Release()
	})
}

func TestK7_WithoutAnyAnswer(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, la, _ *line) {
		la.disturb(hang)
		start := time.Now()
		_, err := a.Acquire(t.Context(), "k", keylock.WaitTime(2*time.Second))
		assert.ErrorIs(t, err, keylock.ErrWaitTimeout)
		assert.Equal(t, 2*time.Second, time.Since(start), "D3 holds here too")
		_, ok := a.TryAcquire("k")
		assert.False(t, ok)
		la.disturb(nil)
		time.Sleep(ttl)
		take(t, a, "k").Release()
	})
}

// TestK7_AJobWithoutAnAnswerFails: nobody is known to hold the key, and yet the runs were
// counted as left out.
func TestK7_AJobWithoutAnAnswerFails(t *testing.T) {
	away := errors.New("connection refused")
	for name, around := range map[string]locktest.Around{
		"refused": func(context.Context, string, func() error) error { return away },
		"silent":  hang,
	} {
		for _, wait := range []time.Duration{0, 2 * time.Second} {
			t.Run(fmt.Sprint(name, "/", wait), func(t *testing.T) {
				distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, la, _ *line) {
					ran := 0
					job := a.Job("k", func(context.Context) error { ran++; return nil }, keylock.WaitTime(wait))
					la.disturb(around)
					err := job(t.Context())
					assert.ErrorIs(t, err, keylock.ErrWaitTimeout)
					if name == "refused" {
						assert.ErrorIs(t, err, away)
					}
					assert.Zero(t, a.Stats().Skipped)
					la.disturb(nil)
					time.Sleep(ttl)
					l := take(t, b, "k")
					assert.NoError(t, job(t.Context()))
					assert.Equal(t, uint64(1), a.Stats().Skipped, "it is held")
					l.Release()
					assert.NoError(t, job(t.Context()))
					assert.Equal(t, 1, ran)
				})
			})
		}
	}
}

func TestK7_AnswersThatSayNothing(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, la, _ *line) {
		// Every third request fails before it was carried out, every third one after that.
		var n atomic.Int32
		la.disturb(func(_ context.Context, op string, do func() error) error {
			switch n.Add(1) % 3 {
			case 0:
				return locktest.ErrLost
			case 1:
				_ = do()
				return locktest.ErrLost
			}
			return do()
		})
		for range 50 {
			_, err := a.Do(t.Context(), "k", func(ctx context.Context, l keylock.Lease) (int, error) {
				assert.Equal(t, l.Nonce(), nonceOf(t, s, "k"), "no false grant")
				return 0, nil
			}, keylock.WaitTime(time.Hour))
			assert.NoError(t, err)
		}
	})
}

func TestK8_LockDelay(t *testing.T) {
	for _, delay := range []time.Duration{0, 5 * time.Second} {
		t.Run(delay.String(), func(t *testing.T) {
			distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, la, _ *line) {
				l := take(t, a, "k")
				waited := make(chan time.Duration, 1)
				start := time.Now()
				go func() {
					next, err := b.Acquire(t.Context(), "k")
					assert.NoError(t, err)
					waited <- time.Since(start)
					next.Release()
				}()
				synctest.Wait()
				s.Expire("k")
				assert.Equal(t, delay, <-waited, "after an expiry")
				l.Release()
				l = take(t, a, "k", keylock.WaitTime(time.Minute))
				start = time.Now()
				go func() {
					next, err := b.Acquire(t.Context(), "k")
					assert.NoError(t, err)
					waited <- time.Since(start)
					next.Release()
				}()
				synctest.Wait()
				l.Release()
				assert.Zero(t, <-waited, "not after a release")
			}, keylock.LockDelay(delay))
		})
	}
}

// TestK8_WhoDoesNotWaitGoesOnAfterTheLockDelay: it used to fail until the mark that the
// record had left behind was gone.
func TestK8_WhoDoesNotWaitGoesOnAfterTheLockDelay(t *testing.T) {
	const delay = 500 * time.Millisecond
	for name, hide := range map[string]bool{"the store knows the age": false, "it does not": true} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				store := locktest.NewStream()
				var backend keylock.Backend = store
				if hide {
					backend = ageless{store}
				}
				m := manager(t, keylock.WithBackend(backend, ttl), keylock.LockDelay(delay))
				for range 2 { // what is remembered is that of the mark
					dead := keylock.Request{Key: "k", Owner: "dead", Nonce: rand.Text(), TTL: ttl}
					mark, err := store.Read(t.Context(), "k")
					require.NoError(t, err)
					dead.Revision = mark.Revision
					_, err = store.TryAcquire(t.Context(), dead)
					require.NoError(t, err)
					time.Sleep(ttl + delay - time.Millisecond)
					_, ok := m.TryAcquire("k")
					assert.False(t, ok, "its holder may not know yet")
					time.Sleep(time.Millisecond)
					if hide {
						_, ok = m.TryAcquire("k")
						assert.False(t, ok, "it counts from when it was seen")
						time.Sleep(delay - time.Millisecond)
					}
					l, ok := m.TryAcquire("k")
					assert.True(t, ok)
					ran := 0
					assert.True(t, l.Release())
					assert.NoError(t, m.Job("k", func(context.Context) error { ran++; return nil })(t.Context()))
					assert.Equal(t, 1, ran)
				}
			})
		})
	}
}

// TestK8_TheLockDelayCountsFromTheExpiry: who waits does so for what is left of it.
func TestK8_TheLockDelayCountsFromTheExpiry(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		store := locktest.NewStream()
		m := manager(t, keylock.WithBackend(store, ttl), keylock.LockDelay(5*time.Second))
		_, err := store.TryAcquire(t.Context(), keylock.Request{Key: "k", Owner: "dead", Nonce: "dead", TTL: ttl})
		require.NoError(t, err)
		time.Sleep(ttl + 3*time.Second)
		start := time.Now()
		take(t, m, "k", keylock.WaitTime(keylock.Forever)).Release()
		assert.Equal(t, 2*time.Second, time.Since(start))
	})
}

// ageless is a store that can't tell how long ago a record expired.
type ageless struct{ *locktest.Stream }

func (a ageless) Read(ctx context.Context, key string) (keylock.Event, error) {
	ev, err := a.Stream.Read(ctx, key)
	ev.Age = 0
	return ev, err
}

// TestK8_AMarkOfItsOwnForEachExpiry: who has seen one expiry waits as long after the next one.
func TestK8_AMarkOfItsOwnForEachExpiry(t *testing.T) {
	const delay = 500 * time.Millisecond
	reactortest.Bubble(t, func(t *testing.T) {
		store := locktest.NewStream()
		m := manager(t, keylock.WithBackend(ageless{store}, ttl), keylock.LockDelay(delay))
		for range 2 {
			mark, err := store.Read(t.Context(), "k")
			require.NoError(t, err)
			_, err = store.TryAcquire(t.Context(), keylock.Request{Key: "k", Owner: "dead", Nonce: rand.Text(), TTL: ttl, Revision: mark.Revision})
			require.NoError(t, err)
			time.Sleep(ttl + delay)
			_, ok := m.TryAcquire("k")
			assert.False(t, ok, "it counts from when it was seen")
		}
		time.Sleep(delay)
		take(t, m, "k").Release()
		require.NoError(t, m.Shutdown(t.Context()))
		time.Sleep(2 * time.Minute)
	})
}

// TestK8_AKeyWithoutAMark: where a record has been and nothing is left, it may have expired just now.
func TestK8_AKeyWithoutAMark(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		store := locktest.NewTree()
		m := manager(t, keylock.WithBackend(forgetful{store}, ttl), keylock.LockDelay(500*time.Millisecond), keylock.WaitTime(keylock.Forever))
		_, err := store.TryAcquire(t.Context(), keylock.Request{Key: "k", Owner: "dead", Nonce: "dead", TTL: time.Hour})
		require.NoError(t, err)
		got := make(chan keylock.Lease)
		go func() { l, _ := m.Acquire(t.Context(), "k"); got <- l }()
		synctest.Wait()
		require.True(t, store.Expire("k"))
		start := time.Now()
		l := <-got
		assert.Equal(t, 500*time.Millisecond, time.Since(start))
		l.Release()
		require.NoError(t, m.Shutdown(t.Context()))
		time.Sleep(2 * time.Minute)
	})
}

// forgetful is a store that says of a record that has expired just that there is none.
type forgetful struct{ *locktest.Tree }

func (f forgetful) Watch(ctx context.Context, key string) (<-chan keylock.Event, error) {
	in, err := f.Tree.Watch(ctx, key)
	out := make(chan keylock.Event)
	go func() {
		defer close(out)
		for ev := range in {
			if ev.Kind == keylock.Expired {
				ev = keylock.Event{}
			}
			select {
			case out <- ev:
			case <-ctx.Done():
			}
		}
	}()
	return out, err
}

func TestK9_AReleaseThatFailsIsTriedAgain(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, la, _ *line) {
		l := take(t, a, "k")
		la.disturb(func(_ context.Context, op string, do func() error) error {
			if op == "Release" && la.count(op) <= 3 {
				return locktest.ErrLost
			}
			return do()
		})
		l.Release()
		assert.False(t, l.Valid(), "here it is released")
		start := time.Now()
		next, err := b.Acquire(t.Context(), "k")
		require.NoError(t, err)
		assert.Less(t, time.Since(start), ttl)
		next.Release()
	})
}

func TestK9_ReleaseIsOrderedWithRenewal(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, la, _ *line) {
		l := take(t, a, "k")
		// A renewal is on its way for half a second, whatever its context says.
		la.disturb(func(_ context.Context, op string, do func() error) error {
			if op == "Renew" {
				time.Sleep(500 * time.Millisecond)
			}
			return do()
		})
		time.Sleep(ttl/3 + 200*time.Millisecond)
		l.Release()
		next, err := b.Acquire(t.Context(), "k")
		require.NoError(t, err)
		time.Sleep(ttl)
		assert.True(t, next.Valid(), "the renewal of the old holder changes nothing")
		next.Release()
	})
}

func TestK11_AWatchThatBreaks(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, _, lb *line) {
		l := take(t, a, "k")
		broken := true
		lb.disturb(func(ctx context.Context, op string, do func() error) error {
			if op == "Watch" && broken {
				return locktest.ErrLost
			}
			return do()
		})
		got := make(chan keylock.Lease, 1)
		go func() {
			next, err := b.Acquire(t.Context(), "k")
			assert.NoError(t, err)
			got <- next
		}()
		time.Sleep(ttl)
		start := time.Now()
		l.Release()
		next := <-got
		assert.LessOrEqual(t, time.Since(start), ttl/2, "it looks by itself")
		next.Release()
		broken = false
	})
}

func TestG6_ATokenThatFallsBack(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		s := locktest.NewStream()
		m := manager(t, keylock.WithBackend(s, ttl))
		for range 3 {
			take(t, m, "k").Release()
		}
		s.Forget() // restored from nothing
		_, err := m.Acquire(t.Context(), "k")
		assert.ErrorIs(t, err, keylock.ErrTokenRegressed)
		assert.ErrorContains(t, err, "token 1")
		assert.Equal(t, uint64(1), m.Stats().TokenRegressed)
		ev, err := s.Read(t.Context(), "k")
		require.NoError(t, err)
		assert.Equal(t, keylock.Released, ev.Kind, "the record is not kept")
		for range 2 { // up to the one that was seen last
			_, err = m.Acquire(t.Context(), "k")
			assert.ErrorIs(t, err, keylock.ErrTokenRegressed)
		}
		assert.ErrorContains(t, err, "token 5: token 5 was seen before")
		take(t, m, "k").Release()
		time.Sleep(2 * time.Minute)
	})
}

func TestBackendFIFOWithinAProcess(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, s store, la, _ *line) {
		l := take(t, a, "k")
		var order []int
		var all sync.WaitGroup
		for i := range 10 {
			ctx, cancel := context.WithCancel(t.Context())
			all.Go(func() {
				defer cancel()
				_, _ = a.Do(ctx, "k", func(context.Context, keylock.Lease) (int, error) { order = append(order, i); return 0, nil })
			})
			synctest.Wait()
			if i == 4 {
				cancel()
			}
		}
		assert.Equal(t, 1, la.count("TryAcquire"), "one process contends once")
		l.Release()
		all.Wait()
		assert.Equal(t, []int{0, 1, 2, 3, 5, 6, 7, 8, 9}, order)
	})
}

func TestBackendGiveUpWhileContending(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, _, lb *line) {
		l := take(t, a, "k")
		ctx, cancel := context.WithCancelCause(t.Context())
		failed := make(chan error, 2)
		go func() { _, err := b.Acquire(ctx, "k"); failed <- err }()
		synctest.Wait()
		go func() { failed <- second(b.Do(t.Context(), "k", nothing)) }()
		synctest.Wait()
		cancel(assert.AnError)
		assert.Equal(t, assert.AnError, <-failed)
		synctest.Wait()
		l.Release()
		assert.NoError(t, <-failed, "the next one contends")
		start := time.Now()
		l = take(t, a, "k")
		_, err := b.Acquire(t.Context(), "k", keylock.WaitTime(1500*time.Millisecond))
		assert.ErrorIs(t, err, keylock.ErrWaitTimeout)
		assert.Equal(t, 1500*time.Millisecond, time.Since(start))
		l.Release()
	})
}

// TestBackendTriesFollowOneAnother: a try that has failed leaves nothing behind that the
// next one could take for a holder.
func TestBackendTriesFollowOneAnother(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, _, _ *line) {
		for range 100 {
			l := take(t, a, "k")
			_, ok := b.TryAcquire("k")
			require.False(t, ok)
			l.Release()
			l, ok = b.TryAcquire("k")
			require.True(t, ok)
			l.Release()
		}
		assert.EqualValues(t, 100, b.Stats().WaitTimeouts)
	})
}

func TestBackendLeaseTimeLimitsTheHold(t *testing.T) {
	for _, policy := range []keylock.Policy{keylock.HoldUntilReturn, keylock.ReleaseOnExpiry} {
		t.Run(policy.String(), func(t *testing.T) {
			distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, _, _ *line) {
				start := time.Now()
				go func() {
					_, err := a.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
						time.Sleep(20 * time.Second)
						return 0, nil
					}, keylock.LeaseTime(10*time.Second), keylock.AtExpiry(policy))
					assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
				}()
				synctest.Wait()
				l, err := b.Acquire(t.Context(), "k")
				require.NoError(t, err)
				want := 20 * time.Second
				if policy == keylock.ReleaseOnExpiry {
					want = 10 * time.Second
				}
				assert.Equal(t, want, time.Since(start))
				l.Release()
				time.Sleep(time.Minute)
			})
		})
	}
}

func TestBackendStreams(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, la, _ *line) {
		v, err := a.Mono("k", mono.FromSupplier(func() string { return nonceOf(t, s, "k") })).
			DoOnNext(func(string) { assert.Empty(t, nonceOf(t, s, "k"), "released before the element is passed on") }).Block(t.Context())
		require.NoError(t, err)
		assert.NotEmpty(t, v)
		failed := make(chan error, 1)
		a.Mono("k", mono.Never[int]()).SubscribeFunc(t.Context(), nil, mono.OnError(func(err error) { failed <- err }))
		synctest.Wait()
		got := make(chan keylock.Lease, 1)
		b.Grant("k").SubscribeFunc(t.Context(), func(l keylock.Lease) { got <- l })
		synctest.Wait()
		s.Expire("k")
		assert.ErrorIs(t, <-failed, keylock.ErrLeaseLost)
		l := <-got
		assert.True(t, l.Valid())
		sub := reactortest.Subscribe(t, a.Mono("k", mono.Just(1)))
		synctest.Wait()
		sub.Cancel()
		l.Release()
		synctest.Wait()
	})
}

func TestBackendReentranceAndBlocking(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, s store, _, _ *line) {
		start := time.Now()
		_, err := a.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) { return a.Do(ctx, "k", nothing) })
		assert.ErrorIs(t, err, keylock.ErrReentrant)
		assert.Zero(t, time.Since(start))
		blocked := make(chan error, 1)
		require.NoError(t, schedulers.Parallel().Execute(func(ctx context.Context) { blocked <- second(a.Do(ctx, "k", nothing)) }))
		assert.ErrorIs(t, <-blocked, reactor.ErrBlocking)
	})
}

func TestBackendBadInput(t *testing.T) {
	stream := locktest.NewStream()
	_, err := keylock.New(keylock.WithBackend(stream, 500*time.Millisecond))
	assert.ErrorContains(t, err, "keylock: New: WithBackend: ttl 500ms: locktest: ttl ≥ 1s required but it was 500ms")
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	_, err = keylock.New(keylock.WithBackend(locktest.NewTree(), 200*time.Millisecond))
	assert.ErrorContains(t, err, "WithBackend: ttl > 250ms required but it was 200ms")
	_, err = keylock.New(keylock.WithBackend(stream, 0))
	assert.ErrorContains(t, err, "ttl > 0 required but it was 0s")
	stream.MaxKey = 3
	m := manager(t, keylock.WithBackend(stream, ttl), keylock.IdleTTL(0))
	_, err = m.Acquire(t.Context(), "long")
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	assert.ErrorContains(t, err, `keylock: Acquire "long": illegal argument: locktest: a key of at most 3 bytes required but it had 4`)
	require.NoError(t, m.Shutdown(t.Context()))
	assert.Zero(t, m.Stats().Keys)
}

func TestBackendThatPanics(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		n := 0
		b := locktest.Intercept(locktest.NewTree(), func(_ context.Context, _ string, do func() error) error {
			if n++; n == 1 {
				panic("backend")
			}
			return do()
		})
		m := manager(t, keylock.WithBackend(b, ttl))
		l, err := m.Acquire(t.Context(), "k")
		assert.NoError(t, err, "what it has done is found out")
		l.Release()
		require.NoError(t, m.Shutdown(t.Context()))
	})
}

func TestBackendClose(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, _, _ *line) {
		l := take(t, a, "k")
		failed := make(chan error, 2)
		for range 2 {
			go func() { failed <- second(b.Do(t.Context(), "k", nothing)) }()
		}
		synctest.Wait()
		b.Close()
		assert.ErrorIs(t, <-failed, keylock.ErrLocksClosed)
		assert.ErrorIs(t, <-failed, keylock.ErrLocksClosed)
		a.Close()
		assert.ErrorIs(t, context.Cause(l.Context()), keylock.ErrLocksClosed)
		time.Sleep(3 * ttl)
		assert.Equal(t, l.Nonce(), nonceOf(t, s, "k"), "it is renewed until its holder returns")
		l.Release()
		assert.Empty(t, nonceOf(t, s, "k"))
	})
}

// TestBackendCrowd: nobody ever holds a key beside somebody else, though a third of all
// requests fail before or after they were carried out.
func TestBackendCrowd(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, la, lb *line) {
		var n atomic.Uint32
		unreliable := func(_ context.Context, op string, do func() error) error {
			switch n.Add(1) * 2654435761 >> 16 % 6 {
			case 0:
				return locktest.ErrLost
			case 1:
				_ = do()
				return locktest.ErrLost
			}
			time.Sleep(time.Millisecond)
			return do()
		}
		la.disturb(unreliable)
		lb.disturb(unreliable)
		inside := map[string]*atomic.Int32{"x": {}, "y": {}, "z": {}}
		last := map[string]*uint64{"x": new(uint64), "y": new(uint64), "z": new(uint64)} // each under its key
		var all sync.WaitGroup
		for i := range 12 {
			m := []*keylock.Manager{a, b}[i%2]
			key := []string{"x", "y", "z"}[i%3]
			all.Go(func() {
				for range 20 {
					_, err := m.Do(t.Context(), key, func(ctx context.Context, l keylock.Lease) (int, error) {
						if inside[key].Add(1) != 1 {
							t.Error("two hold the key")
						}
						if l.Token() <= *last[key] {
							t.Errorf("token %d came after %d", l.Token(), *last[key])
						}
						*last[key] = l.Token()
						time.Sleep(10 * time.Millisecond)
						inside[key].Add(-1)
						return 0, nil
					}, keylock.WaitTime(24*time.Hour))
					assert.NoError(t, err)
				}
			})
		}
		all.Wait()
	})
}

// Without a clock nobody can say how long to wait for the backend: the call fails, and does not ask
// again and again.
func TestBackendWithoutAClock(t *testing.T) {
	s := schedulers.NewSingle("clock")
	s.Dispose()
	l := &line{store: locktest.NewTree(), calls: map[string]int{}}
	m := manager(t, keylock.WithBackend(l.backend(), ttl), keylock.WithScheduler(s), keylock.WaitTime(keylock.Forever))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := m.Acquire(ctx, "k")
	assert.ErrorIs(t, err, reactor.ErrRejected)
	assert.ErrorContains(t, err, `keylock: Acquire "k": `)
	assert.Empty(t, l.calls, "nothing was asked for")
	require.NoError(t, m.Shutdown(t.Context()))
}

// The key is free in the store as well when a failure arrives, as it is at a completion.
func TestBackendIsFreeWhenAFailureArrives(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, s store, _, _ *line) {
		var left []string
		see := func(error) { left = append(left, nonceOf(t, s, "k")) }
		_, err := a.Mono("k", mono.Error[int](assert.AnError)).DoOnError(see).Block(t.Context())
		assert.ErrorIs(t, err, assert.AnError)
		_, err = a.Flux("k", flux.Just(1).ConcatWith(flux.Error[int](assert.AnError))).DoOnError(see).Collect(t.Context())
		assert.ErrorIs(t, err, assert.AnError)
		assert.Equal(t, []string{"", ""}, left)
	})
}

// Who waits for another process is one who waits, and no holder.
func TestBackendStatsOfWhoWaits(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, _ store, _, _ *line) {
		l := take(t, a, "k")
		waiting := reactortest.Subscribe(t, b.Mono("k", mono.Just(1)))
		behind := reactortest.Subscribe(t, b.Mono("k", mono.Just(2)))
		synctest.Wait()
		st := b.Stats()
		assert.Equal(t, [3]int{1, 0, 2}, [3]int{st.Keys, st.Holders, st.Waiters})
		assert.Empty(t, b.Snapshot())
		st = a.Stats()
		assert.Equal(t, [3]int{1, 1, 0}, [3]int{st.Keys, st.Holders, st.Waiters})
		l.Release()
		waiting.ExpectNext(1)
		behind.ExpectNext(2)
		synctest.Wait()
	}, keylock.IdleTTL(0))
}

// A shutdown that waits for the backend alone says so.
func TestBackendThatHoldsUpAShutdown(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, _ store, la, _ *line) {
		l := take(t, a, "k")
		la.disturb(hang)
		l.Discarded()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := a.Shutdown(ctx)
		assert.EqualError(t, err, "keylock: Shutdown: no key is held, but the backend is yet to answer: context deadline exceeded")
		assert.ErrorIs(t, err, keylock.ErrLocksClosed)
	})
}

// A stream whose record is lost is in nobody's way, whatever it does when it hears of that.
func TestBackendAfterAStreamThatIsInTheWay(t *testing.T) {
	for _, policy := range []keylock.Policy{keylock.HoldUntilReturn, keylock.ReleaseOnExpiry} {
		distributed(t, func(t *testing.T, a, _ *keylock.Manager, s store, _, _ *line) {
			got := make(chan struct{})
			waits := mono.OnError(func(error) { <-got })
			a.Mono("waits", mono.Never[int]()).SubscribeFunc(t.Context(), nil, waits)
			a.Mono("ends", mono.Never[int]().DoOnCancel(runtime.Goexit)).SubscribeFunc(t.Context(), nil, mono.OnError(func(error) {}))
			synctest.Wait()
			for _, key := range []string{"waits", "ends"} {
				s.Expire(key)
				l, err := a.Acquire(t.Context(), key)
				require.NoError(t, err, "%s %v", key, policy)
				l.Release()
			}
			close(got)
			synctest.Wait()
		}, keylock.AtExpiry(policy))
	}
}

// A source that runs where it is subscribed does not keep its record from being renewed.
func TestBackendOnImmediate(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, _ store, _, _ *line) {
		on := keylock.On(schedulers.Immediate())
		long := mono.FromFunc(func(context.Context) (int, error) { time.Sleep(3 * ttl); return 1, nil })
		v, err := a.Mono("k", long, on).Block(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, 1, v)

		ends := mono.FromFunc(func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })
		_, err = a.Mono("k", ends, on).Block(t.Context())
		assert.ErrorIs(t, err, reactor.ErrGoexit)
		take(t, a, "k").Release()
	})
}
