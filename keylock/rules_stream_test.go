package keylock_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

func TestD26_TheKeyIsTakenOnSubscription(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		held := false
		locked := m.Mono("k", mono.FromSupplier(func() string {
			_, free := m.TryAcquire("k")
			held = !free
			return "v"
		}))
		assert.Zero(t, m.Stats().Acquired, "not before")
		v, err := locked.Block(t.Context())
		assert.Equal(t, "v", v)
		assert.NoError(t, err)
		assert.True(t, held)
		assert.Equal(t, uint64(1), m.Stats().Acquired)
		_, err = locked.Block(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, uint64(2), m.Stats().Acquired, "D32: each subscription is a call of its own")
	})
}

func TestD26_TheKeyIsFreeWhenTheEndArrives(t *testing.T) {
	m := manager(t)
	free := func() bool {
		l, ok := m.TryAcquire("k")
		l.Release()
		return ok
	}
	var seen []bool
	see := func() { seen = append(seen, free()) }
	_, err := m.Mono("k", mono.Just(1)).DoOnNext(func(int) { see() }).Block(t.Context())
	require.NoError(t, err)
	_, _ = m.Mono("k", mono.Empty[int]()).DoOnTerminate(see).Block(t.Context())
	_, _ = m.Mono("k", mono.Error[int](assert.AnError)).DoOnError(func(error) { see() }).Block(t.Context())
	_, _ = m.Flux("k", flux.Just(1)).DoOnComplete(see).Collect(t.Context())
	_, _ = m.Flux("k", flux.Error[int](assert.AnError)).DoOnError(func(error) { see() }).Collect(t.Context())
	assert.Equal(t, []bool{true, true, true, true, true}, seen)
	seen = nil
	_, _ = m.Flux("k", flux.Just(1, 2)).DoOnNext(func(int) { see() }).Collect(t.Context())
	assert.Equal(t, []bool{false, false}, seen, "a Flux holds it while its elements come")
}

func TestD26_WaitingParksNoGoroutine(t *testing.T) {
	vt := reactortest.UseVirtualTime(t)
	m := manager(t, keylock.LeaseTime(0), keylock.WaitTime(keylock.Forever))
	l := take(t, m, "k")
	var subs []*reactortest.TestSubscriber[int]
	for i := range 100 {
		subs = append(subs, reactortest.Subscribe(t, m.Mono("k", mono.Just(i))))
	}
	assert.Equal(t, 100, m.Stats().Waiters)
	vt.AdvanceBy(time.Hour)
	subs[7].Cancel()
	assert.Equal(t, 99, m.Stats().Waiters, "cancelling leaves the queue")
	l.Release()
	for i, s := range subs {
		if i != 7 {
			s.ExpectNext(i)
			s.ExpectComplete()
		}
	}
	assert.Zero(t, m.Stats().Waiters)
	assert.Zero(t, m.Stats().Holders)
}

func TestD26_TheWaitIsOverInTime(t *testing.T) {
	reactortest.NewStepVerifier(t, lockedNever(t)).
		ExpectSubscription().
		ExpectNoEvent(10 * time.Second).
		ExpectErrorIs(keylock.ErrLeaseExpired).
		Verify()
}

func lockedNever(t *testing.T) reactor.Publisher[int] {
	reactortest.UseVirtualTime(t)
	return manager(t).Mono("k", mono.Never[int]())
}

func TestD26_ExactTimes(t *testing.T) {
	vt := reactortest.UseVirtualTime(t)
	m := manager(t)
	cancelled := false
	var cause error
	source := mono.Create(func(s *mono.Sink[int]) {
		s.OnCancel(func() { cancelled = true })
		context.AfterFunc(s.Context(), func() {})
		ctx := s.Context()
		s.OnDispose(func() { cause = context.Cause(ctx) })
	})
	holder := reactortest.Subscribe(t, m.Mono("k", source))
	waiter := reactortest.Subscribe(t, m.Mono("k", mono.Just(1)))
	vt.AdvanceBy(3*time.Second - 1)
	assert.False(t, waiter.IsTerminated())
	vt.AdvanceBy(1)
	waiter.ExpectErrorIs(keylock.ErrWaitTimeout)
	vt.AdvanceBy(7*time.Second - 1)
	assert.False(t, holder.IsTerminated())
	vt.AdvanceBy(1)
	holder.ExpectErrorIs(keylock.ErrLeaseExpired)
	assert.True(t, cancelled)
	assert.ErrorIs(t, cause, keylock.ErrLeaseExpired)
	assert.Zero(t, m.Stats().Holders)
}

func TestD26_CancelReleases(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		for name, p := range map[string]reactor.Publisher[int]{
			"mono": m.Mono("k", mono.Never[int]()), "flux": m.Flux("k", flux.Never[int]()),
		} {
			s := reactortest.Subscribe(t, p)
			assert.Equal(t, 1, m.Stats().Holders, name)
			s.Cancel()
			assert.Zero(t, m.Stats().Holders, name)
			s.Cancel()
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		failed := make(chan error, 1)
		go func() { _, err := m.Mono("k", mono.Never[int]()).Block(ctx); failed <- err }()
		synctest.Wait()
		cancel(assert.AnError)
		assert.Equal(t, assert.AnError, <-failed)
		synctest.Wait()
		assert.Zero(t, m.Stats().Holders, "the end of the context is a cancellation")
	})
}

func TestD26_DemandWaitsForTheKey(t *testing.T) {
	vt := reactortest.UseVirtualTime(t)
	m := manager(t, keylock.LeaseTime(0))
	l := take(t, m, "k")
	s := reactortest.Subscribe(t, m.Flux("k", flux.Range(1, 10)), reactortest.InitialRequest(2))
	s.Request(1)
	l.Release()
	s.ExpectNext(1, 2, 3)
	assert.Len(t, s.Values(), 3)
	s.Request(100)
	s.ExpectNext(4, 5, 6, 7, 8, 9, 10)
	s.ExpectComplete()
	_ = vt
}

func TestD26_ShutdownFailsWhoWaits(t *testing.T) {
	reactortest.UseVirtualTime(t)
	m := manager(t, keylock.LeaseTime(0))
	l := take(t, m, "k")
	s := reactortest.Subscribe(t, m.Mono("k", mono.Just(1)))
	holding := reactortest.Subscribe(t, m.Mono("other", mono.Never[int]().DoOnCancel(func() {})))
	m.Close()
	s.ExpectErrorIs(keylock.ErrLocksClosed)
	_, err := m.Mono("k", mono.Just(1)).Block(t.Context())
	assert.ErrorIs(t, err, keylock.ErrLocksClosed)
	assert.False(t, holding.IsTerminated(), "Never does not look at its context")
	holding.Cancel()
	l.Release()
}

func TestD26_ElementsAreNotLost(t *testing.T) {
	vt := reactortest.UseVirtualTime(t)
	m := manager(t, keylock.LeaseTime(time.Second))
	l := ledger.New(t)
	ctx := l.Context(t.Context())
	// The element is kept when the lease ends, before the completion.
	source := mono.From(flux.Create(func(s *flux.Sink[*ledger.Element]) { s.Next(l.Produce()) }))
	_ = source
	never := flux.Concat(flux.Just(l.Produce()), flux.Never[*ledger.Element]())
	d := m.Mono("k", mono.FromDirect[*ledger.Element](never)).SubscribeFunc(ctx, func(e *ledger.Element) { l.Delivered(e) }, mono.OnError(func(error) {}))
	vt.AdvanceBy(time.Second)
	assert.True(t, d.IsDisposed())
	d = m.Mono("k", mono.FromDirect[*ledger.Element](flux.Concat(flux.Just(l.Produce()), flux.Never[*ledger.Element]()))).
		SubscribeFunc(ctx, func(e *ledger.Element) { l.Delivered(e) })
	d.Dispose()
	require.NoError(t, m.Flux("k", flux.FromSlice(l.Slice(3))).ForEach(ctx, func(e *ledger.Element) { l.Delivered(e) }))
	l.Check()
}

func TestD26_Reentrance(t *testing.T) {
	m := manager(t)
	inner := func(opts ...keylock.CallOption) error {
		_, err := m.Mono("k", mono.Just(1).FlatMap(func(v int) mono.Mono[int] { return m.Mono("k", mono.Just(v), opts...) })).Block(t.Context())
		return err
	}
	assert.ErrorIs(t, inner(), keylock.ErrReentrant)
	assert.NoError(t, inner(keylock.Reentrant()))
	_, err := m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
		return m.Flux("k", flux.Just(1)).BlockLast(ctx)
	})
	assert.ErrorIs(t, err, keylock.ErrReentrant)
	_, err = m.Do(t.Context(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
		s := reactortest.NewTestSubscriber[int](t)
		m.Flux("k", flux.Just(1), keylock.Reentrant()).Subscribe(ctx, s)
		s.ExpectNext(1)
		s.ExpectComplete()
		return 0, nil
	})
	assert.NoError(t, err)
	assert.Zero(t, m.Stats().Holders)
}

func TestD26_FailuresRelease(t *testing.T) {
	m := manager(t)
	boom := func(int) int { panic("boom") }
	_, err := m.Mono("k", mono.Just(1).Map(boom)).Block(t.Context())
	assert.ErrorContains(t, err, "boom")
	_, err = m.Mono("k", mono.Just(1)).Map(boom).Block(t.Context())
	assert.ErrorContains(t, err, "boom")
	_, err = m.Flux("k", flux.Just(1, 2)).Map(boom).Collect(t.Context())
	assert.ErrorContains(t, err, "boom", "a failure below")
	_, err = m.Flux("k", flux.Just(1, 2).Map(boom)).Collect(t.Context())
	assert.ErrorContains(t, err, "boom", "a failure above")
	assert.Zero(t, m.Stats().Holders)
	assert.Panics(t, func() { m.Mono("k", mono.Just(1), keylock.WaitTime(-3)) })
	assert.PanicsWithValue(t, `keylock: Grant "k": illegal argument: LeaseTime: d ≥ 0 required but it was -1ns`,
		func() { m.Grant("k", keylock.LeaseTime(-1)) })
}

// TestD26_ALongQueueNeedsNoStack: each one ends at once, inside the grant of the next.
func TestD26_ALongQueueNeedsNoStack(t *testing.T) {
	m := manager(t, keylock.LeaseTime(0), keylock.WaitTime(keylock.Forever))
	l := take(t, m, "k")
	const many = 5000
	var order []int // the key orders the writers
	done := make(chan int, many)
	for i := range many {
		m.Mono("k", mono.FromSupplier(func() int { order = append(order, i); return i })).SubscribeFunc(t.Context(), func(v int) { done <- v })
	}
	l.Release()
	for range many {
		<-done
	}
	assert.Len(t, order, many)
	assert.IsIncreasing(t, order)
}

func TestD26_TheSchedulerOfAGrant(t *testing.T) {
	m := manager(t)
	s := schedulers.NewSingle("own")
	defer s.Dispose()
	l := take(t, m, "k")
	name := make(chan string, 1)
	m.Mono("k", mono.FromFunc(func(context.Context) (string, error) { return "", nil }), keylock.On(s)).
		DoOnNext(func(string) { name <- goroutine() }).SubscribeFunc(t.Context(), nil)
	here := goroutine()
	l.Release()
	assert.NotEqual(t, here, <-name)

	l = take(t, m, "k")
	failed := make(chan error, 1)
	m.Mono("k", mono.Just(1), keylock.On(s)).SubscribeFunc(t.Context(), nil, mono.OnError(func(err error) { failed <- err }))
	s.Dispose()
	l.Release()
	assert.ErrorIs(t, <-failed, reactor.ErrRejected)
	assert.Zero(t, m.Stats().Holders)
}

func TestD29_ALeaseThatNobodyGets(t *testing.T) {
	reactortest.UseVirtualTime(t)
	m := manager(t)
	s := reactortest.Subscribe(t, m.Grant("k"), reactortest.InitialRequest(0))
	assert.Equal(t, 1, m.Stats().Holders)
	s.Cancel()
	assert.Zero(t, m.Stats().Holders, "cancelled before there was demand")

	_, err := m.Grant("k").Filter(func(keylock.Lease) bool { return false }).Block(t.Context())
	assert.Error(t, err)
	assert.Zero(t, m.Stats().Holders, "filtered out")

	_, err = m.Grant("k").Map(func(keylock.Lease) int { panic("boom") }).Block(t.Context())
	assert.ErrorContains(t, err, "boom")
	assert.Zero(t, m.Stats().Holders, "a function has failed on it")

	holder := take(t, m, "k")
	s = reactortest.Subscribe(t, m.Grant("k"))
	s.Cancel()
	assert.Zero(t, m.Stats().Waiters)
	s = reactortest.Subscribe(t, m.Grant("k"), reactortest.InitialRequest(0))
	holder.Release()
	assert.Equal(t, 1, m.Stats().Holders)
	s.Request(1)
	s.ExpectNextCount(1)
	s.ExpectComplete()
	s.Cancel()
	assert.Equal(t, 1, m.Stats().Holders, "who has got it has to release it")
	s.Values()[0].Release()
	assert.Zero(t, m.Stats().Holders)
}

func TestGrantFails(t *testing.T) {
	vt := reactortest.UseVirtualTime(t)
	m := manager(t)
	holder := take(t, m, "k")
	s := reactortest.Subscribe(t, m.Grant("k"))
	vt.AdvanceBy(3 * time.Second)
	s.ExpectErrorIs(keylock.ErrWaitTimeout)
	_, err := m.Grant("k", keylock.WaitTime(0)).Block(t.Context())
	assert.ErrorIs(t, err, keylock.ErrWaitTimeout)
	holder.Release()
}

func TestD32_OperatorsBelow(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		tries := 0
		v, err := m.Mono("k", mono.FromFunc(func(context.Context) (int, error) {
			tries++
			if tries < 3 {
				return 0, assert.AnError
			}
			return tries, nil
		})).Retry().Block(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, 3, v)
		assert.Equal(t, uint64(3), m.Stats().Acquired, "each attempt acquires")

		_, err = m.Mono("k", mono.Never[int]()).Timeout(time.Second).Block(t.Context())
		assert.ErrorIs(t, err, reactor.ErrTimeout)
		assert.NotErrorIs(t, err, keylock.ErrWaitTimeout)
		assert.Zero(t, m.Stats().Holders, "a time-out above cancels, which releases")

		s := reactortest.Subscribe(t, m.Flux("k", flux.Range(1, 3), keylock.LeaseTime(2*time.Second)), reactortest.InitialRequest(1))
		time.Sleep(time.Second)
		assert.Equal(t, 1, m.Stats().Holders, "no demand, the key stays")
		time.Sleep(time.Second)
		synctest.Wait()
		s.ExpectNext(1)
		s.ExpectErrorIs(keylock.ErrLeaseExpired)
		assert.Zero(t, m.Stats().Holders)

		cached := m.Mono("k", mono.FromSupplier(func() uint64 { return m.Stats().Acquired })).Cache()
		first, _ := cached.Block(t.Context())
		again, _ := cached.Block(t.Context())
		assert.Equal(t, first, again)
	})
}

// TestS1_AHundredContenders is the sketch that the shape of the reactive forms was
// decided by.
func TestS1_AHundredContenders(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		var order []int
		sum, err := flux.Range(0, 100).FlatMap(func(i int) mono.Mono[int] {
			return m.Mono("k", mono.Just(i).DelayElement(time.Millisecond)).DoOnNext(func(v int) { order = append(order, v) })
		}, flux.Concurrency(100)).Collect(t.Context())
		assert.NoError(t, err)
		assert.Len(t, sum, 100)
		assert.IsIncreasing(t, order)
	})
}

func TestStreamsUnderReleaseOnExpiry(t *testing.T) {
	vt := reactortest.UseVirtualTime(t)
	m := manager(t, keylock.AtExpiry(keylock.ReleaseOnExpiry), keylock.LeaseTime(time.Second))
	first := reactortest.Subscribe(t, m.Mono("k", mono.Never[int]()))
	next := reactortest.Subscribe(t, m.Mono("k", mono.Just(2)))
	vt.AdvanceBy(time.Second)
	first.ExpectErrorIs(keylock.ErrLeaseExpired)
	next.ExpectNext(2)
	next.ExpectComplete()
	assert.Zero(t, m.Stats().Holders)
}

func ExampleManager_Mono() {
	locks := newManager()
	transfer := func(from string) mono.Mono[string] {
		return mono.FromFunc(func(context.Context) (string, error) { return "moved from " + from, nil })
	}
	fmt.Println(locks.Mono("alice", transfer("alice")).Block(context.Background()))
	// Output: moved from alice <nil>
}

func ExampleManager_Flux() {
	locks := newManager(keylock.LeaseTime(time.Minute))
	rows, err := locks.Flux("table", flux.Range(1, 3)).Collect(context.Background())
	fmt.Println(rows, err)
	// Output: [1 2 3] <nil>
}

func ExampleManager_Grant() {
	locks := newManager()
	lease, err := locks.Grant("k").Block(context.Background())
	fmt.Println(lease, err)
	defer lease.Release()
	_, err = locks.Grant("k", keylock.WaitTime(0)).Block(context.Background())
	fmt.Println(errors.Is(err, keylock.ErrWaitTimeout))
	// Output:
	// lease 1 of "k" <nil>
	// true
}

func ExampleManager_Job() {
	locks := newManager()
	job := locks.Job("nightly", func(context.Context) error { fmt.Println("exported"); return nil })
	fmt.Println(job(context.Background()))
	lease, _ := locks.Acquire(context.Background(), "nightly")
	fmt.Println(job(context.Background()), locks.Stats().Skipped)
	lease.Release()
	// Output:
	// exported
	// <nil>
	// <nil> 1
}

// What a stage below has in hand when an element fails is told by an error that comes down, also
// after a cancellation.
func TestD26_AFailureBelowComesDownAfterACancellation(t *testing.T) {
	var up reactor.Subscription
	var discarded []any
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
		Discard:      func(_ context.Context, v any) { discarded = append(discarded, v) },
		ErrorDropped: func(context.Context, error) {},
	})
	m := manager(t)
	m.Flux("k", flux.Just(1, 2, 3)).SkipLast(1).Map(func(int) int {
		up.Cancel()
		panic(assert.AnError)
	}).SubscribeFunc(ctx, nil, flux.OnSubscribe(func(s reactor.Subscription) {
		up = s
		s.Request(reactor.Unbounded)
	}))
	assert.ElementsMatch(t, []any{1, 2}, discarded)
	assert.Zero(t, m.Stats().Holders)
}
