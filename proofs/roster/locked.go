package roster

import (
	"context"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// The time of a lease is over while the stream runs, or its key is not free in time.
var (
	leased = Traits{Fails: []error{keylock.ErrLeaseExpired}}
	late   = Traits{Fails: []error{keylock.ErrWaitTimeout}}
)

// lockManager returns a manager on the clock of s, which leaves nothing behind.
func lockManager(s schedulers.Scheduler) *keylock.Manager {
	m, err := keylock.New(keylock.WithScheduler(s), keylock.IdleTTL(0), keylock.LeaseTime(0), keylock.WaitTime(keylock.Forever))
	if err != nil {
		panic(err)
	}
	return m
}

// locking are the stages that hold a key of package keylock. Each subscription has a
// manager of its own: several of one stage would wait for one another.
func locking[T any]() []Stage[T] {
	single := leased
	single.Single = true
	return []Stage[T]{
		onScheduler("flux under a key", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return perSubscription(func(src Publisher[T]) Publisher[T] {
				return lockManager(s).Flux("k", flux.From[T](src)).Source()
			})(src)
		}),
		onScheduler("flux under a key with a lease", leased, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return perSubscription(func(src Publisher[T]) Publisher[T] {
				return lockManager(s).Flux("k", flux.From[T](src), keylock.LeaseTime(1000)).Source()
			})(src)
		}),
		onScheduler("flux under a key that is held for a while", late, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return perSubscription(func(src Publisher[T]) Publisher[T] {
				m := lockManager(s)
				l, _ := m.TryAcquire("k")
				if _, err := s.ScheduleAfter(func(context.Context) { l.Release() }, 1000); err != nil {
					return flux.Error[T](err).Source()
				}
				return m.Flux("k", flux.From[T](src), keylock.WaitTime(1000)).Source()
			})(src)
		}),
		onScheduler("mono under a key with a lease", single, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return perSubscription(func(src Publisher[T]) Publisher[T] {
				return lockManager(s).Mono("k", mono.FromDirect[T](src), keylock.LeaseTime(1000)).Source()
			})(src)
		}),
	}
}
