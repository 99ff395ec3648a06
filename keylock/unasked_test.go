package keylock_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
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
)

// waiterMeter calls a function, once, when somebody begins to wait.
type waiterMeter struct{ first func() }

func (m *waiterMeter) Counter(string, ...string) func(int64) { return func(int64) {} }

func (m *waiterMeter) Gauge(name string, _ ...string) func(int64) {
	return func(int64) {
		if fn := m.first; fn != nil && name == "t.keylock.waiters" {
			m.first = nil
			fn()
		}
	}
}

func (m *waiterMeter) Timer(string, ...string) func(time.Duration) {
	return func(time.Duration) {}
}

func (m *waiterMeter) Remove(string) {}

// twiceMeter ends the goroutine of who reports to one of two instruments, each of them once.
type twiceMeter struct {
	mu   sync.Mutex
	ends map[string]bool // mu
}

func (m *twiceMeter) call(name string) {
	m.mu.Lock()
	name = strings.TrimPrefix(name, "t.keylock.")
	ends := m.ends[name]
	delete(m.ends, name)
	m.mu.Unlock()
	if ends {
		runtime.Goexit()
	}
}

func (m *twiceMeter) Counter(name string, _ ...string) func(int64) {
	return func(int64) { m.call(name) }
}

func (m *twiceMeter) Gauge(name string, _ ...string) func(int64) {
	return func(int64) { m.call(name) }
}

func (m *twiceMeter) Timer(string, ...string) func(time.Duration) {
	return func(time.Duration) {}
}

func (m *twiceMeter) Remove(string) {}

// The meter ends the goroutine of a session, and then that which does what is left to do: the key is passed on all the same.
func TestMeterThatEndsASessionTwice(t *testing.T) {
	defer reactor.SetHooks("meter", reactor.Hooks{ErrorDropped: func(context.Context, error) {}})()
	meter := &twiceMeter{ends: map[string]bool{"acquired": true, "lease_lost": true}}
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		l, err := m.Acquire(t.Context(), "k")
		require.NoError(t, err)
		<-l.Context().Done()
		assert.ErrorIs(t, context.Cause(l.Context()), keylock.ErrLeaseLost)
		l.Release()
		next, err := m.Acquire(t.Context(), "k", keylock.WaitTime(time.Hour))
		require.NoError(t, err, "the key is lost")
		next.Release()
		assert.Empty(t, meter.ends)
	}, keylock.WithBackend(locktest.NewTree(), ttl), keylock.WithMeter(meter, "t"))
}

// The meter ends the goroutine of a subscription that has got its key in the meantime: the source is cancelled before the key is given
// back.
func TestMeterThatEndsTheGoroutineOfASubscriptionThatHasItsKey(t *testing.T) {
	for name, subscribe := range map[string]func(m *keylock.Manager, ctx context.Context, source flux.Flux[int], failed func(error)){
		"Flux": func(m *keylock.Manager, ctx context.Context, source flux.Flux[int], failed func(error)) {
			m.Flux("k", source).SubscribeFunc(ctx, nil, flux.OnError(failed))
		},
		"Mono": func(m *keylock.Manager, ctx context.Context, source flux.Flux[int], failed func(error)) {
			m.Mono("k", mono.From(source)).SubscribeFunc(ctx, nil, mono.OnError(failed))
		},
	} {
		t.Run(name, func(t *testing.T) {
			meter := &waiterMeter{}
			bubble(t, func(t *testing.T, m *keylock.Manager) {
				holder := take(t, m, "k")
				meter.first = func() {
					holder.Release()
					time.Sleep(time.Second) // a worker subscribes to the source
					runtime.Goexit()
				}
				events := newLog()
				source := flux.Never[int]().DoOnSubscribe(func(reactor.Subscription) { events.add("source") }).DoOnCancel(func() {
					_, free := m.TryAcquire("k")
					assert.False(t, free, "the key is free before the source is cancelled")
					events.add("cancelled")
				})
				go subscribe(m, t.Context(), source, func(err error) {
					assert.ErrorIs(t, err, reactor.ErrGoexit)
					events.add("failed")
				})
				time.Sleep(2 * time.Second)
				assert.Equal(t, []string{"source@0s", "cancelled@1s", "failed@1s"}, events.all())
				take(t, m, "k").Release()
			}, keylock.WithMeter(meter, "t"))
		})
	}
}

// The lease that a worker has handed on meanwhile belongs to who got it.
func TestMeterThatEndsTheGoroutineOfAGrantThatWasDelivered(t *testing.T) {
	meter := &waiterMeter{}
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		holder := take(t, m, "k")
		meter.first = func() {
			holder.Release()
			time.Sleep(time.Second) // a worker delivers the lease
			runtime.Goexit()
		}
		var lease keylock.Lease
		go m.Grant("k").SubscribeFunc(t.Context(), func(l keylock.Lease) { lease = l })
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.True(t, lease.Valid())
		assert.True(t, lease.Release())
	}, keylock.WithMeter(meter, "t"))
}

// A grant whose goroutine the meter ends while it waits leaves the queue.
func TestMeterThatEndsTheGoroutineOfAGrantThatWaits(t *testing.T) {
	meter := &waiterMeter{}
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		holder := take(t, m, "k")
		meter.first = runtime.Goexit
		apart(func() {
			m.Grant("k").SubscribeFunc(t.Context(), func(keylock.Lease) { t.Error("granted") }, mono.OnError(func(error) {}))
		})
		assert.Zero(t, m.Stats().Waiters)
		holder.Release()
		take(t, m, "k").Release()
	}, keylock.WithMeter(meter, "t"))
}

// The meter ends the goroutine of a subscription whose source has sent its element in the meantime: that is discarded.
func TestMeterThatEndsTheGoroutineOfASubscriptionThatHasItsElement(t *testing.T) {
	meter := &waiterMeter{}
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		holder := take(t, m, "k")
		source := &deaf{}
		meter.first = func() {
			holder.Release()
			synctest.Wait() // a worker subscribes to the source
			source.to.OnNext(7)
			runtime.Goexit()
		}
		var discarded []any
		ctx := reactor.AddDiscard(t.Context(), func(v any) { discarded = append(discarded, v) })
		apart(func() {
			m.Mono("k", mono.FromDirect[int](source)).SubscribeFunc(ctx, nil, mono.OnError(func(error) {}))
		})
		assert.Equal(t, []any{7}, discarded)
		take(t, m, "k").Release()
	}, keylock.WithMeter(meter, "t"))
}
