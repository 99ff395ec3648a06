package keylock_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/nosync"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// meetings is how often two calls meet in a race: REACTOR_STRESS_MEETINGS times, which
// make stress-locks sets to 200,000.
func meetings(n int) int {
	if s, ok := os.LookupEnv("REACTOR_STRESS_MEETINGS"); ok {
		many, err := strconv.Atoi(s)
		if err != nil {
			panic(err)
		}
		return many
	}
	return racetest.Iterations(n)
}

// sizes of the crowd: the whole one where the race detector does not watch, or when asked.
func crowd() (goroutines, keys, calls int) {
	switch {
	case os.Getenv("REACTOR_STRESS") != "":
		return 1000, 1000, 200
	case testing.Short() || nosync.Observed:
		return 200, 50, 20
	}
	return 1000, 1000, 20
}

// TestStressCrowd: never two holders, tokens rise, nobody is passed, nothing is left. The
// counter of a key is not synchronised by anything but the lock.
func TestStressCrowd(t *testing.T) {
	goroutines, keys, calls := crowd()
	m := manager(t, keylock.IdleTTL(0), keylock.LeaseTime(0), keylock.WaitTime(keylock.Forever))
	before := runtime.NumGoroutine()
	type place struct {
		counter int
		token   uint64
		inside  atomic.Int32
		queue   []any        // those who waited at some grant and have not got the key yet
		passed  map[any]bool // those of them that somebody behind them has overtaken: they must have gone
	}
	places := make([]place, keys)
	var all sync.WaitGroup
	var done atomic.Int64
	for g := range goroutines {
		random := rand.New(rand.NewPCG(1, uint64(g)))
		all.Go(func() {
			for range calls {
				i := random.IntN(keys)
				if random.IntN(2) == 0 {
					i = random.IntN(3) // some keys are hot
				}
				p := &places[i]
				key := strconv.Itoa(i)
				enter := func(l keylock.Lease) {
					token, call := l.Token(), keylock.CallOf(l)

					if p.inside.Add(1) != 1 {
						t.Error("two hold the key")
					}
					if token <= p.token {
						t.Errorf("token %d came after %d", token, p.token)
					}
					p.token = token
					p.counter++
					done.Add(1)
					if p.passed[call] {
						t.Error("somebody was served before one who came earlier")
					}
					if at := slices.Index(p.queue, call); at >= 0 {
						if p.passed == nil {
							p.passed = map[any]bool{}
						}
						for _, c := range p.queue[:at] {
							p.passed[c] = true
						}
						p.queue = p.queue[at+1:]
					} else if len(p.queue) == 0 {
						p.queue = m.Queue(key)
					}
				}
				switch random.IntN(5) {
				case 0:
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(200))*time.Microsecond)
					l, err := m.Acquire(ctx, key)
					if err == nil {
						enter(l)
						p.inside.Add(-1)
						l.Release()
					}
					cancel()
				case 1:
					l, err := m.Acquire(t.Context(), key, keylock.WaitTime(time.Duration(random.IntN(200))*time.Microsecond))
					if err == nil {
						enter(l)
						p.inside.Add(-1)
						l.Release()
					}
				case 2:
					_, err := m.Grant(key).Map(func(l keylock.Lease) int {
						enter(l)
						p.inside.Add(-1)
						l.Release()
						return 0
					}).Block(t.Context())
					assert.NoError(t, err)
				default:
					_, err := m.Do(t.Context(), key, func(_ context.Context, l keylock.Lease) (int, error) {
						enter(l)
						if random.IntN(10) == 0 {
							runtime.Gosched()
						}
						p.inside.Add(-1)
						return 0, nil
					})
					assert.NoError(t, err)
				}
			}
		})
	}
	all.Wait()
	total := 0
	for i := range places {
		total += places[i].counter
	}
	assert.Equal(t, int(done.Load()), total, "an increment was lost")
	require.NoError(t, m.Shutdown(t.Context()))
	s := m.Stats()
	assert.Equal(t, [3]int{}, [3]int{s.Keys, s.Holders, s.Waiters})
	assert.LessOrEqual(t, settledGoroutines(before), before)
}

// settledGoroutines waits for those that are on their way out, such as the workers of a
// scheduler that have run dry.
func settledGoroutines(most int) (n int) {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); runtime.Gosched() {
		if n = runtime.NumGoroutine(); n <= most {
			break
		}
	}
	return n
}

// TestStressOrder: those who wait for a key get it in the order of their arrival, which
// is that in which the queue grew.
func TestStressOrder(t *testing.T) {
	m := manager(t, keylock.LeaseTime(0), keylock.WaitTime(keylock.Forever))
	rounds := racetest.Iterations(60)
	for range rounds {
		holder := take(t, m, "k")
		var order []int // of grants
		var all sync.WaitGroup
		gone := map[int]bool{}
		var mu sync.Mutex
		for i := range 40 {
			ctx, cancel := context.WithCancel(t.Context())
			all.Go(func() {
				defer cancel()
				l, err := m.Acquire(ctx, "k")
				if err != nil {
					mu.Lock()
					gone[i] = true
					mu.Unlock()
					return
				}
				order = append(order, i) // under the lock
				l.Release()
			})
			left := func() int {
				mu.Lock()
				defer mu.Unlock()
				return len(gone)
			}
			for m.Stats().Waiters != i+1-left() {
				runtime.Gosched()
			}
			if i%7 == 3 {
				cancel()
				for left() != i/7+1 {
					runtime.Gosched()
				}
			}
		}
		holder.Release()
		all.Wait()
		assert.IsIncreasing(t, order)
		assert.Equal(t, 40-len(gone), len(order))
	}
}

// TestMeetings lets two calls meet that decide over the same thing.
func TestMeetings(t *testing.T) {
	free := func(t *testing.T, m *keylock.Manager) {
		l, ok := m.TryAcquire("k")
		require.True(t, ok, "the key is lost")
		l.Release()
		s := m.Stats()
		require.Equal(t, [2]int{}, [2]int{s.Holders, s.Waiters})
	}
	manual := func(t *testing.T, opts ...keylock.Option) (*keylock.Manager, *handClock) {
		c := newHandClock()
		return manager(t, append([]keylock.Option{keylock.WithClock(c), keylock.LeaseTime(0), keylock.IdleTTL(0)}, opts...)...), c
	}
	// granted subscribes to a grant and returns what becomes of it.
	granted := func(m *keylock.Manager, ctx context.Context) (lease *atomic.Pointer[keylock.Lease], failed *atomic.Int32, cancel func()) {
		lease, failed = &atomic.Pointer[keylock.Lease]{}, &atomic.Int32{}
		d := m.Grant("k", keylock.On(schedulers.Immediate())).SubscribeFunc(ctx, func(l keylock.Lease) { lease.Store(&l) }, mono.OnError(func(error) { failed.Add(1) }))
		return lease, failed, d.Dispose
	}

	t.Run("grant × cancel", func(t *testing.T) {
		m, _ := manual(t, keylock.WaitTime(keylock.Forever))
		racetest.Repeat(meetings(5000), func(race func(...func())) {
			holder := take(t, m, "k")
			lease, _, cancel := granted(m, t.Context())
			race(func() { holder.Release() }, cancel)
			if l := lease.Load(); l != nil {
				require.True(t, l.Release())
			}
			free(t, m)
		})
	})
	t.Run("grant × cancel of a context", func(t *testing.T) {
		m, _ := manual(t, keylock.WaitTime(keylock.Forever))
		racetest.Repeat(meetings(2000), func(race func(...func())) {
			holder := take(t, m, "k")
			ctx, cancel := context.WithCancel(t.Context())
			ran := false
			var err error
			done := make(chan struct{})
			go func() {
				defer close(done)
				_, err = m.Do(ctx, "k", func(context.Context, keylock.Lease) (int, error) { ran = true; return 0, nil })
			}()
			for m.Stats().Waiters == 0 {
				runtime.Gosched()
			}
			race(func() { holder.Release() }, cancel)
			<-done
			require.Equal(t, ran, err == nil, "either it ran or it failed")
			free(t, m)
		})
	})
	t.Run("grant × time-out", func(t *testing.T) {
		m, c := manual(t, keylock.WaitTime(time.Second))
		racetest.Repeat(meetings(5000), func(race func(...func())) {
			holder := take(t, m, "k")
			lease, failed, _ := granted(m, t.Context())
			race(func() { holder.Release() }, func() { c.move(time.Second) })
			l := lease.Load()
			require.Equal(t, l == nil, failed.Load() == 1, "one outcome")
			if l != nil {
				require.True(t, l.Release())
			}
			free(t, m)
			require.Empty(t, c.alarms, "a timer is left")
		})
	})
	t.Run("release × expiry", func(t *testing.T) {
		for _, policy := range []keylock.Policy{keylock.HoldUntilReturn, keylock.ReleaseOnExpiry} {
			m, c := manual(t, keylock.WaitTime(keylock.Forever), keylock.AtExpiry(policy))
			racetest.Repeat(meetings(5000), func(race func(...func())) {
				holder := take(t, m, "k", keylock.LeaseTime(time.Second))
				lease, _, _ := granted(m, t.Context())
				race(func() { holder.Release() }, func() { c.move(time.Second) })
				require.False(t, holder.Valid())
				require.Error(t, holder.Context().Err())
				l := lease.Load()
				require.NotNil(t, l, "the next one did not get the key")
				require.True(t, l.Release())
				free(t, m)
				require.Empty(t, c.alarms, "a timer is left")
			})
		}
	})
	t.Run("D21: evict × acquire", func(t *testing.T) {
		m, c := manual(t, keylock.WaitTime(keylock.Forever), keylock.IdleTTL(time.Second))
		counter := 0
		n := 0
		racetest.Repeat(meetings(5000), func(race func(...func())) {
			take(t, m, "k").Release()
			c.move(time.Second)
			n++
			race(
				func() { c.move(time.Second) },
				func() {
					_, _ = m.Do(context.Background(), "k", func(context.Context, keylock.Lease) (int, error) { counter++; return 0, nil })
				},
			)
			require.LessOrEqual(t, m.Stats().Keys, 1)
		})
		assert.Equal(t, n, counter)
		c.move(time.Second)
		c.move(time.Second)
		assert.Zero(t, m.Stats().Keys)
	})
	t.Run("release × release", func(t *testing.T) {
		m, _ := manual(t)
		racetest.Repeat(meetings(2000), func(race func(...func())) {
			l := take(t, m, "k")
			var did atomic.Int32
			release := func() {
				if l.Release() {
					did.Add(1)
				}
			}
			race(release, release, func() { l.Discarded() })
			require.LessOrEqual(t, did.Load(), int32(1))
			free(t, m)
		})
	})
	t.Run("shutdown × acquire", func(t *testing.T) {
		racetest.Repeat(meetings(1000), func(race func(...func())) {
			m, _ := manual(t, keylock.WaitTime(keylock.Forever))
			race(
				func() { require.NoError(t, m.Shutdown(context.Background())) },
				func() { _, _ = m.Do(context.Background(), "k", nothing) },
				func() {
					_, _ = m.Mono("k", mono.Just(1), keylock.On(schedulers.Immediate())).Block(context.Background())
				},
			)
			require.Zero(t, m.Stats().Keys)
		})
	})
	t.Run("context × end", func(t *testing.T) {
		m, c := manual(t)
		racetest.Repeat(meetings(2000), func(race func(...func())) {
			l := take(t, m, "k", keylock.LeaseTime(time.Second))
			ctx := l.Context()
			race(func() { c.move(time.Second) }, func() { <-ctx.Done() }, func() { _ = ctx.Err(); _ = context.Cause(ctx) })
			require.ErrorIs(t, context.Cause(ctx), keylock.ErrLeaseExpired)
			require.True(t, l.Release())
		})
	})
	t.Run("extend × expiry", func(t *testing.T) {
		m, c := manual(t)
		racetest.Repeat(meetings(2000), func(race func(...func())) {
			l := take(t, m, "k", keylock.LeaseTime(time.Second))
			var err error
			race(func() { c.move(time.Second) }, func() { err = l.Extend(2 * time.Second) })
			require.Equal(t, err == nil, l.Valid())
			c.move(2 * time.Second)
			require.False(t, l.Valid())
			require.True(t, l.Release())
			require.Empty(t, c.alarms)
		})
	})
	t.Run("stream × everything", func(t *testing.T) {
		m, c := manual(t, keylock.WaitTime(2*time.Second))
		racetest.Repeat(meetings(3000), func(race func(...func())) {
			holder := take(t, m, "k")
			var ends atomic.Int32
			d := m.Mono("k", mono.Just(1), keylock.On(schedulers.Immediate()), keylock.LeaseTime(time.Second)).SubscribeFunc(
				t.Context(), nil, mono.OnError(func(error) { ends.Add(1) }), mono.OnComplete(func() { ends.Add(1) }))
			race(func() { holder.Release() }, d.Dispose, func() { c.move(2 * time.Second) })
			require.LessOrEqual(t, ends.Load(), int32(1))
			free(t, m)
			require.Empty(t, c.alarms, "a timer is left")
		})
	})
}

// TestD5_AHotKeyDelaysNobody: ten thousand wait for one key, others are as fast as without.
func TestD5_AHotKeyDelaysNobody(t *testing.T) {
	m := manager(t, keylock.LeaseTime(0), keylock.WaitTime(keylock.Forever), keylock.IdleTTL(0))
	holder := take(t, m, "hot")
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 10_000 {
		all.Go(func() { _, _ = m.Acquire(ctx, "hot") })
	}
	for m.Stats().Waiters < 10_000 {
		runtime.Gosched()
	}
	for i := range 1000 {
		l, ok := m.TryAcquire(fmt.Sprint("free", i))
		require.True(t, ok)
		l.Release()
	}
	cancel()
	all.Wait()
	assert.Zero(t, m.Stats().Waiters)
	holder.Release()
	assert.Zero(t, m.Stats().Keys)
}
