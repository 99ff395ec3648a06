package keylock_test

import (
	"context"
	"math"
	"runtime"
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

// deaf is a source that goes on when it is cancelled, as the test says.
type deaf struct {
	to  reactor.Subscriber[int]
	ctx context.Context
}

func (d *deaf) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	d.ctx, d.to = ctx, s
	s.OnSubscribe(nobody{})
}

// What a source sends when its lease is over is told as dropped or discarded, but for the end that it was told itself.
func TestWhatASourceSendsWhenItsLeaseIsOver(t *testing.T) {
	for name, under := range map[string]func(m *keylock.Manager, d *deaf) reactor.Publisher[int]{
		"flux": func(m *keylock.Manager, d *deaf) reactor.Publisher[int] {
			return m.Flux("k", flux.From[int](d)).Source()
		},
		"mono": func(m *keylock.Manager, d *deaf) reactor.Publisher[int] {
			return m.Mono("k", mono.FromDirect[int](d)).Source()
		},
	} {
		for end, send := range map[string]func(d *deaf){
			"its own failure": func(d *deaf) { d.to.OnError(errLate) },
			"the end":         func(d *deaf) { d.to.OnError(context.Cause(d.ctx)) },
			"completion":      func(d *deaf) { d.to.OnComplete() },
		} {
			t.Run(name+", "+end, func(t *testing.T) {
				bubble(t, func(t *testing.T, m *keylock.Manager) {
					d := &deaf{}
					var dropped []error
					var discarded []any
					ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
						Discard:      func(_ context.Context, v any) { discarded = append(discarded, v) },
						ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) },
					})
					p := reactortest.NewTestSubscriber[int](t)
					under(m, d).Subscribe(ctx, p)
					time.Sleep(time.Second)
					synctest.Wait()
					require.ErrorIs(t, p.Err(), keylock.ErrLeaseExpired)
					next := take(t, m, "k", keylock.LeaseTime(0))
					d.to.OnNext(7)
					send(d)
					assert.Empty(t, p.Values())
					assert.Equal(t, []any{7}, discarded)
					if end == "its own failure" {
						require.Len(t, dropped, 1)
						assert.ErrorIs(t, dropped[0], errLate)
					} else {
						assert.Empty(t, dropped)
					}
					assert.True(t, next.Release(), "it has not been given back by the one before")
				}, keylock.LeaseTime(time.Second))
			})
		}
	}
}

// An element on its way down ends the stream if it fails, also when its lease is over: that is told as dropped then.
func TestAnElementThatFailsWhenItsLeaseIsOver(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		var dropped []error
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }})
		p := reactortest.NewTestSubscriber[int](t)
		m.Flux("k", flux.Just(1)).Map(func(int) int { time.Sleep(2 * time.Second); panic(errLate) }).Subscribe(ctx, p)
		assert.ErrorIs(t, p.Err(), errLate)
		require.Len(t, dropped, 1)
		assert.ErrorIs(t, dropped[0], keylock.ErrLeaseExpired)
	}, keylock.LeaseTime(time.Second))
}

// slowMeter takes two seconds to count a grant, once.
type slowMeter struct {
	callingMeter
	slow atomic.Bool
}

func (m *slowMeter) Counter(name string, _ ...string) func(int64) {
	return func(int64) {
		if name == "app.keylock.acquired" && m.slow.Swap(false) {
			time.Sleep(2 * time.Second)
		}
	}
}

// Functions whose lease is over before they could begin are not run.
func TestALeaseThatIsOverBeforeItsFunctionBegins(t *testing.T) {
	meter := &slowMeter{}
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		never := func() { t.Error("it has run") }
		for name, call := range map[string]func() error{
			"Do": func() error {
				return second(m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) { never(); return 0, nil }))
			},
			"DoAll": func() error {
				return second(m.DoAll(context.Background(), []string{"k"}, func(context.Context, []keylock.Lease) (int, error) { never(); return 0, nil }))
			},
		} {
			l := take(t, m, "k", keylock.LeaseTime(0))
			told := make(chan error, 1)
			go func() { told <- call() }()
			synctest.Wait()
			before := m.Stats()
			meter.slow.Store(true) // between the grant and its delivery
			l.Discarded()
			assert.ErrorIs(t, <-told, keylock.ErrLeaseExpired, name)
			after := m.Stats()
			assert.Equal(t, before.LeasesExpired+1, after.LeasesExpired, name)
			assert.Equal(t, before.Overruns, after.Overruns, name)
			take(t, m, "k").Release()
		}
	}, keylock.WithMeter(meter, "app"), keylock.LeaseTime(time.Second), keylock.IdleTTL(0))
}

// A call whose lease was over before its function could begin waits until the store has its key back.
func TestBackendALeaseThatIsOverBeforeItsFunctionBegins(t *testing.T) {
	meter := &slowMeter{}
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, s store, la, _ *line) {
		la.disturb(func(_ context.Context, op string, do func() error) error {
			if op == "Release" {
				time.Sleep(time.Second)
			}
			return do()
		})
		meter.slow.Store(true)
		_, err := a.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) { t.Error("it has run"); return 0, nil })
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		assert.Empty(t, nonceOf(t, s, "k"))
	}, keylock.WithMeter(meter, "app"), keylock.LeaseTime(time.Second))
}

// A record that is over can't be extended, also where the timer is late.
func TestTheEndOfARecordWhoseTimerIsLate(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		c := &lateClock{}
		m := manager(t, keylock.WithClock(c), keylock.WithBackend(locktest.NewTree(), ttl), keylock.LeaseTime(0))
		l := take(t, m, "k")
		assert.NoError(t, l.Extend(time.Hour))
		c.now.Store(int64(ttl))
		assert.ErrorIs(t, l.Extend(time.Hour), keylock.ErrLeaseLost)
		l.Release()
		require.NoError(t, m.Shutdown(t.Context()))
		time.Sleep(2 * time.Minute)
	})
}

// Under ReleaseOnExpiry a caller does not wait for a function whose record is lost, also if nothing else limits its lease.
func TestReleaseOnExpiryOfARecord(t *testing.T) {
	distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, _, _ *line) {
		gate := make(chan struct{})
		start := time.Now()
		_, err := a.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
			s.Expire("k")
			<-gate
			return 0, nil
		})
		assert.ErrorIs(t, err, keylock.ErrLeaseLost)
		assert.LessOrEqual(t, time.Since(start), ttl)
		take(t, a, "k", keylock.WaitTime(time.Minute)).Release()
		close(gate)
		synctest.Wait()
		assert.Zero(t, a.Stats().Late)
	}, keylock.AtExpiry(keylock.ReleaseOnExpiry))
}

// An inner call under ReleaseOnExpiry leaves the end of the lease to the outer one, which does not wait for either.
func TestReleaseOnExpiryWithACallInside(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		s := schedulers.NewSingle("own")
		defer s.Dispose()
		start := time.Now()
		_, err := m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
			defer time.Sleep(time.Minute)
			return m.Do(ctx, "k", func(context.Context, keylock.Lease) (int, error) {
				time.Sleep(time.Minute)
				return 0, nil
			}, keylock.Reentrant(), keylock.On(s))
		})
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		assert.Equal(t, time.Second, time.Since(start))
		time.Sleep(3 * time.Minute)
	}, keylock.LeaseTime(time.Second), keylock.AtExpiry(keylock.ReleaseOnExpiry))
}

// A call inside a hold that can't be made fails, and runs nothing.
func TestReentrantCallThatCanNotBeMade(t *testing.T) {
	m := manager(t)
	_, err := m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
		_, err := m.Do[int](ctx, "k", nil, keylock.Reentrant())
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
		return 0, nil
	})
	assert.NoError(t, err)
}

// runsAndEnds is a scheduler that runs tasks at once, and ends the goroutine then.
type runsAndEnds struct{ schedulers.Scheduler }

func (runsAndEnds) Schedule(task schedulers.Task) (schedulers.Disposable, error) {
	task(context.Background())
	runtime.Goexit()
	return nil, nil
}

// A lease that was delivered is not given back when the scheduler ends the goroutine behind that.
func TestASchedulerThatEndsTheGoroutineBehindADelivery(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l := take(t, m, "k")
		s := reactortest.Subscribe(t, m.Grant("k", keylock.On(runsAndEnds{schedulers.Immediate()})))
		apart(func() { l.Release() })
		next := s.Values()
		require.Len(t, next, 1)
		assert.True(t, next[0].Release())
	}, keylock.LeaseTime(0))
}

// Who stops listening when the context has ended has been called.
func TestD7_WhoStopsListeningTooLate(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l, err := m.Acquire(context.Background(), "k")
		require.NoError(t, err)
		called := 0
		stop := l.Context().(interface{ AfterFunc(func()) func() bool }).AfterFunc(func() { called++ })
		l.Release()
		synctest.Wait()
		assert.Equal(t, 1, called)
		assert.False(t, stop())
	})
}

// What a backend does is done with the values of the caller's context.
func TestABackendGetsTheValuesOfTheCallersContext(t *testing.T) {
	type name struct{}
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, _ store, la, _ *line) {
		seen := map[string]any{}
		la.disturb(func(ctx context.Context, op string, do func() error) error {
			seen[op] = ctx.Value(name{})
			return do()
		})
		l, err := a.Acquire(context.WithValue(t.Context(), name{}, "v"), "k")
		require.NoError(t, err)
		time.Sleep(ttl)
		l.Release()
		assert.Equal(t, map[string]any{"TryAcquire": "v", "Renew": "v", "Release": "v"}, seen)
	})
}

// A grant that comes when its caller has given up is given back.
func TestK7_AGrantForOneWhoHasGivenUp(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, s store, la, _ *line) {
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		la.disturb(func(_ context.Context, op string, do func() error) error {
			err := do()
			if op == "TryAcquire" {
				cancel()
				assert.ErrorIs(t, <-left, context.Canceled)
			}
			return err
		})
		_, err := a.Acquire(ctx, "k")
		left <- err
		synctest.Wait()
		assert.Empty(t, nonceOf(t, s, "k"))
		assert.Equal(t, 1, la.count("TryAcquire"))
		la.disturb(nil)
	})
}

// A stream that does not wait for others waits for the answer of the backend.
func TestAStreamThatDoesNotWaitGetsAnAnswer(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, _ store, la, _ *line) {
		la.disturb(func(_ context.Context, op string, do func() error) error {
			if op == "TryAcquire" {
				time.Sleep(time.Second)
			}
			return do()
		})
		l, err := a.Grant("k", keylock.WaitTime(0)).Block(t.Context())
		require.NoError(t, err)
		l.Release()
	})
}

// The failure of an element below does not wait for the store: it comes down where the element's journey unwinds to.
func TestBackendAFailureBelowComesDownAtOnce(t *testing.T) {
	distributed(t, func(t *testing.T, a, _ *keylock.Manager, _ store, la, _ *line) {
		la.disturb(func(_ context.Context, op string, do func() error) error {
			if op == "Release" {
				time.Sleep(time.Second)
			}
			return do()
		})
		p := reactortest.NewTestSubscriber[int](t)
		a.Flux("k", flux.Just(1)).Map(func(int) int { panic(errLate) }).Subscribe(t.Context(), p)
		synctest.Wait()
		assert.ErrorIs(t, p.Err(), errLate)
	})
}

// Times beyond all that there are do not make a lease shorter.
func TestALeaseForEver(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l := take(t, m, "k", keylock.LeaseTime(math.MaxInt64))
		time.Sleep(time.Second)
		assert.True(t, l.Valid())
		l.Release()
		l = take(t, m, "k", keylock.LeaseTime(time.Second))
		assert.NoError(t, l.Extend(math.MaxInt64))
		time.Sleep(time.Minute)
		assert.True(t, l.Valid())
		l.Release()
	})
}
