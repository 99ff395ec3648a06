package keylock_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/locktest"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// newManager is New without an error to look at. It keeps no places of keys, so that
// nothing is left behind when nobody closes the manager.
func newManager(opts ...keylock.Option) *keylock.Manager {
	m, err := keylock.New(append([]keylock.Option{keylock.IdleTTL(0)}, opts...)...)
	if err != nil {
		panic(err)
	}
	return m
}

func ExampleNew() {
	locks, err := keylock.New(keylock.WaitTime(3*time.Second), keylock.LeaseTime(10*time.Second))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer locks.Close()
	balance := map[string]int{"alice": 100}
	left, err := locks.Do(context.Background(), "alice", func(ctx context.Context, lease keylock.Lease) (int, error) {
		balance["alice"] -= 30
		return balance["alice"], ctx.Err()
	})
	fmt.Println(left, err)

	_, err = keylock.New(keylock.LeaseTime(-time.Second))
	fmt.Println(err)
	// Output:
	// 70 <nil>
	// keylock: New: LeaseTime: d ≥ 0 required but it was -1s: illegal argument
}

func ExampleManager_Acquire() {
	locks := newManager()
	lease, err := locks.Acquire(context.Background(), "report")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(lease, lease.Valid())
	fmt.Println(lease.Release(), lease.Release(), lease.Valid())
	// Output:
	// lease 1 of "report" true
	// true false false
}

func ExampleManager_DoAll() {
	locks := newManager()
	sum, err := locks.DoAll(context.Background(), []string{"to", "from", "to"}, func(_ context.Context, leases []keylock.Lease) (int, error) {
		for _, l := range leases {
			fmt.Println(l.Key(), l.Token())
		}
		return 42, nil
	})
	fmt.Println(sum, err)
	// Output:
	// to 2
	// from 1
	// to 2
	// 42 <nil>
}

func ExampleWaitTime() {
	locks := newManager()
	lease, _ := locks.Acquire(context.Background(), "k")
	defer lease.Release()
	_, err := locks.Acquire(context.Background(), "k", keylock.WaitTime(0))
	fmt.Println(err)
	fmt.Println(errors.Is(err, keylock.ErrWaitTimeout))
	// Output:
	// keylock: Acquire "k": the key was not free in time: it is held, and the call does not wait
	// true
}

func ExampleLeaseTime() {
	locks := newManager()
	_, err := locks.Do(context.Background(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
		<-ctx.Done()
		return 0, context.Cause(ctx)
	}, keylock.LeaseTime(time.Millisecond))
	fmt.Println(errors.Is(err, keylock.ErrLeaseExpired))
	// Output: true
}

func ExampleAtExpiry() {
	locks := newManager(keylock.AtExpiry(keylock.ReleaseOnExpiry))
	stuck := make(chan struct{})
	_, err := locks.Do(context.Background(), "k", func(context.Context, keylock.Lease) (int, error) {
		<-stuck // looks at nothing
		return 0, nil
	}, keylock.LeaseTime(time.Millisecond))
	fmt.Println(errors.Is(err, keylock.ErrLeaseExpired))
	next, _ := locks.Acquire(context.Background(), "k")
	fmt.Println(next.Token())
	next.Release()
	close(stuck)
	// Output:
	// true
	// 2
}

func ExampleGrace() {
	clock := reactortest.NewVirtualTime()
	locks := newManager(keylock.WithScheduler(clock), keylock.AtExpiry(keylock.ReleaseOnExpiry), keylock.LeaseTime(time.Second), keylock.Grace(time.Minute))
	v, err := locks.Do(context.Background(), "k", func(ctx context.Context, _ keylock.Lease) (string, error) {
		clock.AdvanceBy(time.Second)
		<-ctx.Done()
		return "cleaned up", nil
	})
	fmt.Println(v, errors.Is(err, keylock.ErrLeaseExpired))
	// Output: cleaned up true
}

func ExampleMaxWaiters() {
	locks := newManager(keylock.MaxWaiters(1))
	lease, _ := locks.Acquire(context.Background(), "k")
	done := make(chan struct{})
	go func() {
		defer close(done)
		next, _ := locks.Acquire(context.Background(), "k")
		next.Release()
	}()
	for locks.Stats().Waiters == 0 {
		time.Sleep(time.Millisecond)
	}
	_, err := locks.Acquire(context.Background(), "k")
	fmt.Println(err)
	lease.Release()
	<-done
	// Output: keylock: Acquire "k": too many wait for the key: 1 wait already
}

func ExampleReentrant() {
	locks := newManager()
	outer := func(opts ...keylock.CallOption) (uint64, error) {
		return locks.Do(context.Background(), "k", func(ctx context.Context, _ keylock.Lease) (uint64, error) {
			return locks.Do(ctx, "k", func(_ context.Context, inner keylock.Lease) (uint64, error) {
				return inner.Token(), nil
			}, opts...)
		})
	}
	fmt.Println(outer())
	fmt.Println(outer(keylock.Reentrant()))
	// Output:
	// 0 keylock: Do "k": the caller holds the key already
	// 2 <nil>
}

func ExampleRepanic() {
	locks := newManager()
	boom := func(context.Context, keylock.Lease) (int, error) { panic("boom") }
	_, err := locks.Do(context.Background(), "k", boom)
	fmt.Println(err)
	func() {
		defer func() { fmt.Println("recovered", recover(), locks.Stats().Holders) }()
		_, _ = locks.Do(context.Background(), "k", boom, keylock.Repanic())
	}()
	// Output:
	// reactor: keylock: panic: boom
	// recovered boom 0
}

func ExampleOn() {
	locks := newManager()
	s := schedulers.NewSingle("writer")
	defer s.Dispose()
	name, err := locks.Do(context.Background(), "k", func(context.Context, keylock.Lease) (string, error) {
		return "on another goroutine", nil
	}, keylock.On(s))
	fmt.Println(name, err)
	// Output: on another goroutine <nil>
}

func ExampleIdleTTL() {
	locks := newManager(keylock.IdleTTL(0))
	lease, _ := locks.Acquire(context.Background(), "k")
	fmt.Println(locks.Stats().Keys)
	lease.Release()
	fmt.Println(locks.Stats().Keys)
	// Output:
	// 1
	// 0
}

func ExampleBarging() {
	locks := newManager(keylock.Barging())
	lease, _ := locks.Acquire(context.Background(), "k")
	fmt.Println(lease.Release())
	// Output: true
}

func ExampleWithName() {
	locks := newManager(keylock.WithName("orders"))
	fmt.Println(locks.Stats())
	// Output: "orders" [keys 0, holders 0, waiters 0, acquired 0]
}

// systemClock is a clock of one's own.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }
func (systemClock) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}

var _ executors.Clock = systemClock{}

func ExampleWithClock() {
	locks := newManager(keylock.WithClock(systemClock{}))
	_, err := locks.Do(context.Background(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
		<-ctx.Done()
		return 0, nil
	}, keylock.LeaseTime(time.Millisecond))
	fmt.Println(errors.Is(err, keylock.ErrLeaseExpired))
	// Output: true
}

func ExampleWithScheduler() {
	clock := reactortest.NewVirtualTime()
	locks := newManager(keylock.WithScheduler(clock))
	lease, _ := locks.Acquire(context.Background(), "k", keylock.LeaseTime(time.Hour))
	clock.AdvanceBy(time.Hour)
	fmt.Println(lease.Valid(), context.Cause(lease.Context()))
	// Output: false keylock: Acquire "k": the lease has expired: token 1: held 1h0m0s
}

// printer is a meter that prints what it is told.
type printer struct{}

func (printer) Counter(name string, _ ...string) func(int64) {
	return func(n int64) { fmt.Println(name, n) }
}
func (printer) Gauge(string, ...string) func(int64)         { return func(int64) {} }
func (printer) Timer(string, ...string) func(time.Duration) { return func(time.Duration) {} }
func (printer) Remove(string)                               {}

func ExampleWithMeter() {
	locks := newManager(keylock.WithMeter(printer{}, "shop"))
	lease, _ := locks.Acquire(context.Background(), "k")
	_, ok := locks.TryAcquire("k")
	fmt.Println(ok)
	lease.Release()
	// Output:
	// shop.keylock.acquired 1
	// shop.keylock.wait_timeout 1
	// false
}

func ExampleWithKeyTag() {
	locks := newManager(keylock.WithMeter(printer{}, "shop"), keylock.WithKeyTag(func(key string) string {
		kind, _, _ := strings.Cut(key, "-")
		return kind // "order" for "order-17": as many time series as there are kinds of keys
	}))
	lease, _ := locks.Acquire(context.Background(), "order-17")
	lease.Release()
	// Output: shop.keylock.acquired 1
}

func ExampleWithLogger() {
	locks := newManager(keylock.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	fmt.Println(locks.Stats().Overruns)
	// Output: 0
}

func ExampleWithSlowHolder() {
	slow := make(chan keylock.Held, 1)
	locks := newManager(keylock.WithSlowHolder(time.Millisecond, func(h keylock.Held) { slow <- h }))
	lease, _ := locks.Acquire(context.Background(), "k")
	h := <-slow
	fmt.Println(h.Key, h.Token)
	lease.Release()
	// Output: k 1
}

func ExampleWithBackend() {
	store := locktest.NewStream() // or one that several processes share
	here := newManager(keylock.WithBackend(store, 10*time.Second))
	there := newManager(keylock.WithBackend(store, 10*time.Second))
	lease, _ := here.Acquire(context.Background(), "k")
	_, ok := there.TryAcquire("k")
	fmt.Println(ok)
	lease.Release()
	lease, ok = there.TryAcquire("k")
	fmt.Println(ok)
	lease.Release()
	// Output:
	// false
	// true
}

func ExampleLockDelay() {
	locks := newManager(keylock.WithBackend(locktest.NewStream(), 10*time.Second), keylock.LockDelay(5*time.Second))
	lease, err := locks.Acquire(context.Background(), "k")
	fmt.Println(lease.Valid(), err)
	lease.Release()
	// Output: true <nil>
}

func ExampleDrainWaiters() {
	locks := newManager()
	fmt.Println(locks.Shutdown(context.Background(), keylock.DrainWaiters()))
	_, err := locks.Acquire(context.Background(), "k")
	fmt.Println(err)
	// Output:
	// <nil>
	// keylock: Acquire "k": the manager is closed
}

func ExampleLoadConfig() {
	env := map[string]string{"REACTOR_LOCKS_WAIT": "500ms", "REACTOR_LOCKS_LEASE": "soon"}
	c, err := keylock.LoadConfig(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	fmt.Println(c.Wait, c.Lease)
	fmt.Println(err)
	// Output:
	// 500ms 10s
	// keylock: REACTOR_LOCKS_LEASE="soon" is not a duration such as 5s, using 10s
}

func ExampleDefaults() {
	fmt.Println(keylock.Defaults().IdleTTL)
	// Output: 1m0s
}
