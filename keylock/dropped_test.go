package keylock_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// busy is a scheduler of one lane on which a task runs until free is called.
func busy(t *testing.T) (s schedulers.Scheduler, free func()) {
	t.Helper()
	s = schedulers.NewSingle("busy")
	block := make(chan struct{})
	require.NoError(t, s.Execute(func(context.Context) { <-block }))
	synctest.Wait()
	return s, func() { close(block) }
}

// watched is the part of a TestSubscriber that has no type.
type watched interface {
	IsTerminated() bool
	Err() error
	Cancel()
}

// forms subscribes one stream of each kind for a key of its own, which is held.
func forms(t *testing.T, m *keylock.Manager, opts ...keylock.CallOption) map[string]watched {
	t.Helper()
	return map[string]watched{
		"mono":  reactortest.Subscribe(t, m.Mono("mono", mono.Just(1), opts...)),
		"flux":  reactortest.Subscribe(t, m.Flux("flux", flux.Just(1), opts...)),
		"grant": reactortest.Subscribe(t, m.Grant("grant", opts...)),
	}
}

// Who was granted a key gives it back, and is told, if the scheduler drops the task that was to go on with it.
func TestAGrantWhoseDeliveryIsDroppedGivesTheKeyBack(t *testing.T) {
	for name, c := range map[string]struct {
		lease, after time.Duration
		want         error
	}{
		"without a lease": {0, time.Second, reactor.ErrRejected},
		"with one":        {5 * time.Second, 5 * time.Second, keylock.ErrLeaseExpired},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, m *keylock.Manager) {
				s, free := busy(t)
				var leases []keylock.Lease
				for _, key := range []string{"mono", "flux", "grant"} {
					leases = append(leases, take(t, m, key, keylock.LeaseTime(0)))
				}
				subs := forms(t, m, keylock.On(s), keylock.LeaseTime(c.lease))
				for _, l := range leases {
					l.Release()
				}
				synctest.Wait()
				assert.Equal(t, 3, m.Stats().Holders, "they have the keys, and don't know yet")
				s.Dispose()
				time.Sleep(c.after)
				synctest.Wait()
				assert.Zero(t, m.Stats().Holders)
				for form, sub := range subs {
					assert.ErrorIs(t, sub.Err(), c.want, form)
					if c.lease == 0 {
						assert.ErrorIs(t, sub.Err(), schedulers.ErrTaskDisposed, form)
					}
				}
				free()
			})
		})
	}
}

// A task that is slow is no task that was dropped: its grant is delivered, however late.
func TestAGrantWhoseDeliveryIsLate(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		s, free := busy(t)
		var leases []keylock.Lease
		for _, key := range []string{"mono", "flux", "grant"} {
			leases = append(leases, take(t, m, key, keylock.LeaseTime(0)))
		}
		subs := forms(t, m, keylock.On(s), keylock.LeaseTime(0))
		for _, l := range leases {
			l.Release()
		}
		time.Sleep(time.Minute)
		for form, sub := range subs {
			assert.False(t, sub.IsTerminated(), form)
		}
		subs["flux"].Cancel()
		assert.Equal(t, 2, m.Stats().Holders, "who has cancelled gives it back at once")
		free()
		synctest.Wait()
		assert.NoError(t, subs["mono"].Err())
		assert.True(t, subs["mono"].IsTerminated())
		lease := subs["grant"].(*reactortest.TestSubscriber[keylock.Lease]).ExpectNextCount(1)[0]
		assert.Equal(t, 1, m.Stats().Holders)
		assert.True(t, lease.Valid())
		s.Dispose()
		time.Sleep(time.Minute)
		assert.True(t, lease.Release(), "what was delivered is its owner's")
	})
}

// A lease that ends before it was delivered is none to be delivered, and one that was is not taken back.
func TestAGrantWhoseLeaseEndsBeforeItsDelivery(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		s, free := busy(t)
		l := take(t, m, "k", keylock.LeaseTime(0))
		late := reactortest.Subscribe(t, m.Grant("k", keylock.On(s), keylock.LeaseTime(time.Second)))
		l.Release()
		time.Sleep(time.Second)
		late.ExpectErrorIs(keylock.ErrLeaseExpired)
		free()
		synctest.Wait()
		assert.Zero(t, m.Stats().Holders)
		l = take(t, m, "k", keylock.LeaseTime(0))
		soon := reactortest.Subscribe(t, m.Grant("k", keylock.On(s), keylock.LeaseTime(time.Second)))
		l.Release()
		synctest.Wait()
		lease := soon.ExpectNextCount(1)[0]
		at := reactortest.Subscribe(t, m.Grant("other", keylock.LeaseTime(time.Second))).ExpectNextCount(1)[0]
		time.Sleep(time.Minute)
		assert.False(t, lease.Valid())
		assert.Equal(t, 2, m.Stats().Holders, "they hold their keys until they give them back")
		assert.True(t, lease.Release())
		assert.True(t, at.Release())
		s.Dispose()
	})
}

// The clock of a lease may be that of the scheduler that drops the task: then the lease has no end.
func TestWhatIsDroppedWithTheClockOfItsLease(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		s, free := busy(t)
		m := manager(t, keylock.WithScheduler(s), keylock.LeaseTime(time.Minute))
		var leases []keylock.Lease
		for _, key := range []string{"mono", "flux", "grant"} {
			leases = append(leases, take(t, m, key, keylock.LeaseTime(0)))
		}
		subs := forms(t, m)
		for _, l := range leases {
			l.Release()
		}
		failed := make(chan error, 1)
		go func() { failed <- second(m.Do(t.Context(), "do", nothing, keylock.On(s))) }()
		synctest.Wait()
		assert.Equal(t, 4, m.Stats().Holders)
		s.Dispose()
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		assert.Zero(t, m.Stats().Holders)
		for form, sub := range subs {
			assert.ErrorIs(t, sub.Err(), schedulers.ErrTaskDisposed, form)
		}
		if assert.Len(t, failed, 1) {
			assert.ErrorIs(t, <-failed, schedulers.ErrTaskDisposed)
		}
		free()
	})
}
