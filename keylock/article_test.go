package keylock_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/reactortest"
)

// The well-known way to write a lock manager with actors has twelve defects. article is
// a small model of that design which keeps all of them; each test shows one on the model,
// and that a Manager does not have it.

// article is the actor of the manager: it owns the map from keys to the actors of keys,
// and is the only way to them.
type article struct {
	wait, lease time.Duration
	mailbox     chan any
	now         func() time.Time // a wall clock
	actors      map[string]chan *lockRequest
	size        int // of the mailbox of a key
}

// lockRequest asks an actor to run a block.
type lockRequest struct {
	key      string
	at       time.Time
	block    func(ctx context.Context) any
	deferred chan any
}

type evictIdle struct{ asked chan struct{} }

var (
	errArticleWait  = errors.New("wait time-out")
	errArticleLease = errors.New("lease time-out")
)

func newArticle(wait, lease time.Duration) *article {
	a := &article{wait: wait, lease: lease, mailbox: make(chan any, 1000), now: time.Now, actors: map[string]chan *lockRequest{}, size: 1000}
	go a.manage()
	return a
}

// manage is the loop of the manager's actor.
func (a *article) manage() {
	for message := range a.mailbox {
		switch m := message.(type) {
		case *lockRequest:
			actor := a.actors[m.key]
			if actor == nil {
				actor = make(chan *lockRequest, a.size)
				a.actors[m.key] = actor
				go a.serve(actor)
			}
			actor <- &lockRequest{key: m.key, at: a.now(), block: m.block, deferred: m.deferred} // D0.2, D0.6
		case evictIdle:
			for key := range a.actors { // D0.8: asks each, up to 10 ms
				time.Sleep(10 * time.Millisecond)
				delete(a.actors, key) // D0.7: nobody closes it
			}
			close(m.asked)
		}
	}
}

// serve is the loop of the actor of a key.
func (a *article) serve(mailbox chan *lockRequest) {
	dead := false
	for m := range mailbox {
		if dead {
			continue
		}
		if a.now().Unix()-m.at.Unix() > int64(a.wait/time.Second) { // D0.4, D0.5: whole seconds, and only now
			m.deferred <- errArticleWait
			continue
		}
		func() {
			defer func() {
				switch r := recover().(type) {
				case nil:
				case error:
					m.deferred <- r
				default:
					dead = true // D0.9: only exceptions are caught
				}
			}()
			ctx, cancel := context.WithTimeout(context.Background(), a.lease) // D0.12
			defer cancel()
			v := m.block(ctx)
			if err, ok := v.(error); ok && errors.Is(err, context.DeadlineExceeded) {
				v = errArticleLease // D0.11
			}
			m.deferred <- v // D0.10
		}()
	}
}

// lock runs block under key.
func (a *article) lock(key string, block func(ctx context.Context) any) (any, error) {
	m := &lockRequest{key: key, at: a.now(), block: block, deferred: make(chan any, 1)}
	a.mailbox <- m
	select {
	case v := <-m.deferred:
		if err, ok := v.(error); ok { // D0.1: a value that is an error is thrown
			return nil, err
		}
		return v, nil
	case <-time.After(a.wait + a.lease + time.Second): // D0.3
		return nil, errors.New("gave up")
	}
}

// close ends what the model leaks, so that the test's bubble can end.
func (a *article) close(more ...chan *lockRequest) {
	synctest.Wait()
	close(a.mailbox)
	synctest.Wait()
	for _, actor := range a.actors {
		close(actor)
	}
	for _, actor := range more {
		close(actor)
	}
}

// inArticle runs both in fake time.
func inArticle(t *testing.T, wait, lease time.Duration, fn func(t *testing.T, a *article, m *keylock.Manager)) {
	reactortest.Bubble(t, func(t *testing.T) {
		a := newArticle(wait, lease)
		m := manager(t, keylock.WaitTime(wait), keylock.LeaseTime(lease))
		fn(t, a, m)
		synctest.Wait()
	})
}

func TestD0_1_AnErrorAsAValue(t *testing.T) {
	inArticle(t, time.Second, time.Second, func(t *testing.T, a *article, m *keylock.Manager) {
		_, err := a.lock("k", func(context.Context) any { return assert.AnError })
		assert.Equal(t, assert.AnError, err, "the model throws it")
		v, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (error, error) { return assert.AnError, nil })
		assert.NoError(t, err)
		assert.Equal(t, assert.AnError, v)
		a.close()
	})
}

func TestD0_2_TheWaitBeginsAtTheCall(t *testing.T) {
	inArticle(t, 2*time.Second, time.Minute, func(t *testing.T, a *article, m *keylock.Manager) {
		// The way to the key takes 2 s, the key another 2: that is more than may be waited.
		a.size = 0
		hold := func(d time.Duration) func(context.Context) any {
			return func(context.Context) any { time.Sleep(d); return nil }
		}
		go func() { _, _ = a.lock("k", hold(2*time.Second)) }()
		synctest.Wait()
		go func() { _, _ = a.lock("k", hold(2*time.Second)) }() // the manager's actor is stuck with it
		synctest.Wait()
		start := time.Now()
		ran := time.Duration(-1)
		_, _ = a.lock("k", func(context.Context) any { ran = time.Since(start); return nil })
		assert.Equal(t, 4*time.Second, ran, "the model starts it after twice the wait")

		for range 2 {
			go func() {
				_, _ = m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) { time.Sleep(2 * time.Second); return 0, nil }, keylock.WaitTime(time.Minute))
			}()
		}
		synctest.Wait()
		start = time.Now()
		_, err := m.Do(t.Context(), "k", nothing)
		assert.ErrorIs(t, err, keylock.ErrWaitTimeout)
		assert.Equal(t, 2*time.Second, time.Since(start))
		time.Sleep(time.Minute)
		a.close()
	})
}

func TestD0_3_NothingRunsAfterTheCallerWasTold(t *testing.T) {
	inArticle(t, 5*time.Second, time.Second, func(t *testing.T, a *article, m *keylock.Manager) {
		var mu sync.Mutex
		started := map[string]bool{}
		hold := func(context.Context) any { time.Sleep(8 * time.Second); return nil }
		// The holder takes eight seconds, the manager's actor four of them to come round.
		a.size = 0
		go func() { _, _ = a.lock("k", hold) }()
		synctest.Wait()
		go func() { _, _ = a.lock("k", func(context.Context) any { return nil }) }()
		time.Sleep(time.Millisecond)
		_, err := a.lock("k", func(context.Context) any { mu.Lock(); defer mu.Unlock(); started["model"] = true; return nil })
		assert.EqualError(t, err, "gave up")
		time.Sleep(time.Minute)
		mu.Lock()
		assert.True(t, started["model"], "the model starts it after it said that it will not")
		mu.Unlock()

		l := take(t, m, "k", keylock.LeaseTime(0))
		_, err = m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) { started["manager"] = true; return 0, nil })
		assert.ErrorIs(t, err, keylock.ErrWaitTimeout)
		l.Release()
		time.Sleep(time.Minute)
		assert.False(t, started["manager"])
		a.close()
	})
}

func TestD0_4_AClockThatIsSet(t *testing.T) {
	inArticle(t, 2*time.Second, time.Minute, func(t *testing.T, a *article, m *keylock.Manager) {
		var jump atomic.Int64
		a.now = func() time.Time { return time.Now().Add(time.Duration(jump.Load())) }
		go func() { _, _ = a.lock("k", func(context.Context) any { time.Sleep(time.Second); return nil }) }()
		synctest.Wait()
		failed := make(chan error, 1)
		go func() { _, err := a.lock("k", func(context.Context) any { return nil }); failed <- err }()
		synctest.Wait()
		jump.Store(int64(time.Hour))
		assert.Equal(t, errArticleWait, <-failed, "the model has waited an hour")
		// A Manager does not ask a wall clock: deadlines are differences of monotonic readings,
		// which a step of the clock does not change. Waits below a second are waits:
		l := take(t, m, "k", keylock.LeaseTime(0))
		start := time.Now()
		_, err := m.Do(t.Context(), "k", nothing, keylock.WaitTime(300*time.Millisecond))
		assert.ErrorIs(t, err, keylock.ErrWaitTimeout)
		assert.Equal(t, 300*time.Millisecond, time.Since(start))
		l.Release()
		a.close()
	})
}

func TestD0_5_AWaiterLearnsOfItsTimeOutInTime(t *testing.T) {
	inArticle(t, time.Second, time.Minute, func(t *testing.T, a *article, m *keylock.Manager) {
		go func() { _, _ = a.lock("k", func(context.Context) any { time.Sleep(30 * time.Second); return nil }) }()
		synctest.Wait()
		start := time.Now()
		_, err := a.lock("k", func(context.Context) any { return nil })
		assert.Equal(t, errArticleWait, err)
		assert.Equal(t, 30*time.Second, time.Since(start), "the model looks when the holder has ended")

		l := take(t, m, "k", keylock.LeaseTime(0))
		start = time.Now()
		_, err = m.Do(t.Context(), "k", nothing)
		assert.ErrorIs(t, err, keylock.ErrWaitTimeout)
		assert.Equal(t, time.Second, time.Since(start))
		l.Release()
		a.close()
	})
}

func TestD0_6_AHotKeyStopsNobodyElse(t *testing.T) {
	inArticle(t, time.Minute, time.Minute, func(t *testing.T, a *article, m *keylock.Manager) {
		a.size = 10
		for range 13 {
			go func() { _, _ = a.lock("hot", func(context.Context) any { time.Sleep(time.Second); return nil }) }()
			synctest.Wait()
		}
		start := time.Now()
		_, _ = a.lock("other", func(context.Context) any { return nil })
		assert.Equal(t, 2*time.Second, time.Since(start), "the model's manager waits for room in one mailbox")

		for range 2000 {
			go func() {
				_, _ = m.Do(t.Context(), "hot", func(context.Context, keylock.Lease) (int, error) { time.Sleep(time.Millisecond); return 0, nil })
			}()
		}
		synctest.Wait()
		start = time.Now()
		_, err := m.Do(t.Context(), "other", nothing)
		assert.NoError(t, err)
		assert.Zero(t, time.Since(start))
		time.Sleep(time.Minute)
		a.close()
	})
}

func TestD0_7_D0_8_Eviction(t *testing.T) {
	inArticle(t, time.Minute, time.Minute, func(t *testing.T, a *article, m *keylock.Manager) {
		const keys = 300
		for i := range keys {
			_, _ = a.lock(fmt.Sprint(i), func(context.Context) any { return nil })
			_, _ = m.Do(t.Context(), fmt.Sprint(i), nothing)
		}
		synctest.Wait()
		var leaked []chan *lockRequest
		for _, actor := range a.actors {
			leaked = append(leaked, actor)
		}
		start := time.Now()
		asked := make(chan struct{})
		a.mailbox <- evictIdle{asked}
		_, _ = a.lock("other", func(context.Context) any { return nil })
		assert.Equal(t, keys*10*time.Millisecond, time.Since(start), "the model's manager answers nobody while it asks idle keys")
		assert.NotContains(t, a.actors, "0")
		assert.Len(t, leaked, keys, "whose goroutines wait for ever")

		time.Sleep(2*time.Minute + time.Second)
		synctest.Wait()
		assert.Zero(t, m.Stats().Keys)
		start = time.Now()
		_, err := m.Do(t.Context(), "other", nothing)
		assert.NoError(t, err)
		assert.Zero(t, time.Since(start))
		a.close(leaked...)
	})
}

func TestD0_9_AKeyOutlivesAPanic(t *testing.T) {
	inArticle(t, time.Second, time.Second, func(t *testing.T, a *article, m *keylock.Manager) {
		_, err := a.lock("k", func(context.Context) any { panic("an error, not an exception") })
		assert.EqualError(t, err, "gave up")
		_, err = a.lock("k", func(context.Context) any { return nil })
		assert.EqualError(t, err, "gave up", "the model's key is dead for ever")

		_, err = m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) { panic("x") })
		assert.ErrorContains(t, err, "x")
		_, err = m.Do(t.Context(), "k", nothing)
		assert.NoError(t, err)
		a.close()
	})
}

func TestD0_10_AnOverrunIsNoSuccess(t *testing.T) {
	inArticle(t, 10*time.Second, time.Second, func(t *testing.T, a *article, m *keylock.Manager) {
		v, err := a.lock("k", func(context.Context) any { time.Sleep(5 * time.Second); return 42 })
		assert.Equal(t, 42, v)
		assert.NoError(t, err, "the model knows nothing of the lease that was over")
		v, err = m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (any, error) { time.Sleep(5 * time.Second); return 42, nil })
		assert.Equal(t, 42, v)
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		a.close()
	})
}

func TestD0_11_ATimeOutOfTheBlockIsItsOwn(t *testing.T) {
	inArticle(t, time.Minute, time.Minute, func(t *testing.T, a *article, m *keylock.Manager) {
		_, err := a.lock("k", func(context.Context) any { return context.DeadlineExceeded })
		assert.Equal(t, errArticleLease, err, "the model takes it for that of the lease")
		_, err = m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) { return 0, context.DeadlineExceeded })
		assert.Equal(t, context.DeadlineExceeded, err)
		a.close()
	})
}

func TestD0_12_CancellationReachesTheBlock(t *testing.T) {
	inArticle(t, time.Minute, time.Hour, func(t *testing.T, a *article, m *keylock.Manager) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := map[string]time.Duration{}
		start := time.Now()
		done := make(chan struct{}, 2)
		go func() {
			_, _ = a.lock("k", func(inner context.Context) any {
				select {
				case <-inner.Done():
				case <-time.After(time.Minute):
				}
				ended["model"] = time.Since(start)
				done <- struct{}{}
				return nil
			})
		}()
		time.Sleep(time.Second)
		cancel()
		<-done
		start = time.Now()
		ctx, cancel = context.WithCancel(t.Context())
		go func() {
			_, _ = m.Do(ctx, "k", func(inner context.Context, _ keylock.Lease) (int, error) {
				<-inner.Done()
				ended["manager"] = time.Since(start)
				done <- struct{}{}
				return 0, nil
			})
		}()
		time.Sleep(time.Second)
		cancel()
		<-done
		assert.Equal(t, map[string]time.Duration{"model": time.Minute, "manager": time.Second}, ended)

		// And one that waits for itself: the model until its time is over.
		start = time.Now()
		_, err := a.lock("k", func(context.Context) any {
			_, err := a.lock("k", func(context.Context) any { return nil })
			return err
		})
		assert.Error(t, err)
		assert.Greater(t, time.Since(start), time.Minute)
		start = time.Now()
		_, err = m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) { return m.Do(ctx, "k", nothing) })
		assert.ErrorIs(t, err, keylock.ErrReentrant)
		assert.Zero(t, time.Since(start))
		time.Sleep(2 * time.Hour)
		a.close()
	})
}
