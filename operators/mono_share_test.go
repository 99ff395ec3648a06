package operators

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

// counted is a publisher that emits how often it was subscribed.
func counted() (reactor.Publisher[int64], *atomic.Int64) {
	var n atomic.Int64
	return Map(Just(0), func(int) int64 { return n.Add(1) }), &n
}

func TestMonoCacheForEver(t *testing.T) {
	src, n := counted()
	cached := MonoCache(src)
	run(cached).assertCompleted(t, 1)
	run(cached).assertCompleted(t, 1)
	assert.Equal(t, int64(1), n.Load())

	failed := MonoCache(Error[int](errBoom))
	run(failed).assertFailed(t, errBoom)
	run(failed).assertFailed(t, errBoom)
	run(MonoCache(Empty[int]())).assertCompleted(t)

	p := probeOf[int64](0)
	cached.Subscribe(context.Background(), p)
	p.assertOpen(t)
	p.request(1)
	p.assertCompleted(t, 1)
}

func TestMonoCacheTTL(t *testing.T) {
	clock := &handScheduler{}
	src, n := counted()
	cached := MonoCache(src, TTL(10*time.Millisecond), On(clock))
	run(cached).assertCompleted(t, 1)
	clock.forward(9 * time.Millisecond)
	run(cached).assertCompleted(t, 1)
	clock.forward(time.Millisecond)
	assert.Zero(t, clock.pending())
	run(cached).assertCompleted(t, 2)
	clock.forward(9 * time.Millisecond)
	run(cached).assertCompleted(t, 2)
	assert.Equal(t, int64(2), n.Load())
}

func TestMonoCacheForEachOutcome(t *testing.T) {
	clock := &handScheduler{}
	outcomes := []reactor.Publisher[int]{Error[int](errBoom), Empty[int](), Just(3)}
	var runs int
	src := OnErrorResume(Error[int](errOther), func(error) reactor.Publisher[int] {
		p := outcomes[min(runs, 2)]
		runs++
		return p
	})
	cached := MonoCacheFor(src, func(s reactor.Signal[int]) time.Duration {
		switch s.Kind() {
		case reactor.KindError:
			return 0
		case reactor.KindComplete:
			return time.Millisecond
		}
		return Forever
	}, On(clock))
	run(cached).assertFailed(t, errBoom)
	run(cached).assertCompleted(t)
	run(cached).assertCompleted(t)
	clock.forward(time.Millisecond)
	run(cached).assertCompleted(t, 3)
	run(cached).assertCompleted(t, 3)
	assert.Equal(t, 3, runs)
	assert.Zero(t, clock.pending())
}

func TestMonoCacheWithALifetimeThatFails(t *testing.T) {
	ctx, hooks := recordHooks()
	src, n := counted()
	cached := MonoCacheFor(src, func(reactor.Signal[int64]) time.Duration { panic(errBoom) })
	runWith(ctx, cached).assertFailed(t, errBoom)
	runWith(ctx, cached).assertFailed(t, errBoom)
	assert.Equal(t, int64(2), n.Load())
	assert.Equal(t, []any{int64(1), int64(2)}, hooks.discarded)
	p := run(MonoCacheFor(Error[int](errOther), func(reactor.Signal[int]) time.Duration { panic(errBoom) }))
	p.assertFailed(t, errBoom)
	assert.ErrorIs(t, p.failure(), errOther)
}

func TestMonoCacheWithASchedulerThatRefuses(t *testing.T) {
	ctx, hooks := recordHooks()
	clock := &handScheduler{}
	clock.refuse(schedulers.ErrUnavailable)
	src, n := counted()
	cached := MonoCache(src, TTL(time.Second), On(clock))
	runWith(ctx, cached).assertCompleted(t, 1)
	runWith(ctx, cached).assertCompleted(t, 2)
	assert.Equal(t, int64(2), n.Load())
	assert.Len(t, hooks.droppedErrors, 2)
	assert.ErrorIs(t, hooks.droppedErrors[0].(error), reactor.ErrRejected)
}

func TestMonoCacheIsNotCancelledByItsSubscribers(t *testing.T) {
	src := &puppet[int]{}
	cached := MonoCache[int](src)
	a, b := run(cached), run(cached)
	a.cancel()
	b.cancel()
	assert.Zero(t, src.last().cancels.Load())
	c := run(cached)
	assert.Equal(t, 1, src.count())
	src.last().OnNext(5)
	src.last().OnComplete()
	c.assertCompleted(t, 5)
	a.assertOpen(t)
	run(cached).assertCompleted(t, 5)
}

// The run outlives the subscriber that happened to come first.
func TestMonoCacheOutlivesTheContextOfTheFirstSubscriber(t *testing.T) {
	type key struct{}
	var seen context.Context
	src := contextTap{func(ctx context.Context) { seen = ctx }}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, "v"))
	runWith[int](ctx, MonoCache[int](src))
	cancel()
	assert.NoError(t, seen.Err())
	assert.Equal(t, "v", seen.Value(key{}))
}

// contextTap is a source that never sends and shows the context it gets.
type contextTap struct{ see func(context.Context) }

func (c contextTap) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	c.see(ctx)
	Never[int]().Subscribe(ctx, s)
}

func TestMonoShare(t *testing.T) {
	src := &puppet[int]{}
	shared := MonoShare[int](src)
	a, b := run(shared), run(shared)
	assert.Equal(t, 1, src.count())
	a.cancel()
	assert.Zero(t, src.last().cancels.Load())
	b.cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
	old := src.last()
	c := run(shared)
	assert.Equal(t, 2, src.count())
	ctx, hooks := recordHooks()
	d := runWith(ctx, shared)
	old.OnNext(1)
	src.last().OnNext(2)
	src.last().OnComplete()
	c.assertCompleted(t, 2)
	d.assertCompleted(t, 2)
	run(shared).assertCompleted(t, 2)
	assert.Empty(t, hooks.dropped, "the first subscriber's hooks are told")
}

func TestMonoShareRaces(t *testing.T) {
	race(t, 2000, func() ([]func(), func()) {
		src := &puppet[int]{}
		shared := MonoShare[int](src)
		a, b := probeOf[int](1), probeOf[int](1)
		shared.Subscribe(context.Background(), a)
		sides := []func(){
			func() { shared.Subscribe(context.Background(), b) },
			a.cancel,
		}
		return sides, func() {
			// b waits for a run that is live, whichever it is.
			assert.Zero(t, src.last().cancels.Load())
			src.last().OnNext(3)
			src.last().OnComplete()
			b.assertCompleted(t, 3)
			if src.count() == 2 {
				assert.Equal(t, int64(1), src.subs[0].cancels.Load())
			}
		}
	})
	race(t, 2000, func() ([]func(), func()) {
		src := &puppet[int]{}
		shared := MonoShare[int](src)
		a, b := probeOf[int](1), probeOf[int](1)
		shared.Subscribe(context.Background(), a)
		sides := []func(){
			func() { src.subs[0].OnNext(3); src.subs[0].OnComplete() },
			func() { shared.Subscribe(context.Background(), b) },
		}
		return sides, func() {
			a.assertCompleted(t, 3)
			b.assertCompleted(t, 3)
			assert.Equal(t, 1, src.count())
		}
	})
}

// A subscriber that starts a run and leaves at once must neither leave it running nor
// leave others waiting.
func TestMonoShareLeftAtOnce(t *testing.T) {
	src := &puppet[int]{}
	shared := MonoShare[int](src)
	p := probeOf[int](1)
	p.onSubscribe = func(up reactor.Subscription) { up.Cancel() }
	shared.Subscribe(context.Background(), p)
	assert.Zero(t, src.count())

	race(t, 5000, func() ([]func(), func()) {
		src := &puppet[int]{onSubscription: func(_ int, s *puppetSubscription[int]) { s.OnNext(3); s.OnComplete() }}
		shared := MonoShare[int](src)
		a, b := probeOf[int](0), probeOf[int](1)
		subscribed := make(chan reactor.Subscription, 1)
		a.onSubscribe = func(up reactor.Subscription) { subscribed <- up }
		sides := []func(){
			func() { shared.Subscribe(context.Background(), a) },
			func() { (<-subscribed).Cancel() },
			func() { shared.Subscribe(context.Background(), b) },
		}
		return sides, func() {
			b.assertCompleted(t, 3)
		}
	})
}

func TestMonoCacheInvalidateIf(t *testing.T) {
	ctx, hooks := recordHooks()
	src, _ := counted()
	var old atomic.Bool
	cached := MonoCacheInvalidateIf(src, func(int64) bool { return old.Load() })
	runWith(ctx, cached).assertCompleted(t, 1)
	runWith(ctx, cached).assertCompleted(t, 1)
	old.Store(true)
	runWith(ctx, cached).assertCompleted(t, 2)
	assert.Equal(t, []any{int64(1)}, hooks.discarded)
	old.Store(false)
	runWith(ctx, cached).assertCompleted(t, 2)

	run(MonoCacheInvalidateIf(Empty[int](), func(int) bool { return false })).assertFailed(t, reactor.ErrNoElements)
	src, n := counted()
	failed := MonoCacheInvalidateIf(TryMap(src, func(int64) (int, error) { return 0, errBoom }), func(int) bool { return false })
	run(failed).assertFailed(t, errBoom)
	run(failed).assertFailed(t, errBoom)
	assert.Equal(t, int64(2), n.Load())
}

func TestMonoCacheInvalidateIfWithAPredicateThatFails(t *testing.T) {
	ctx, hooks := recordHooks()
	src, _ := counted()
	broken := true
	cached := MonoCacheInvalidateIf(src, func(int64) bool {
		if broken {
			panic(errBoom)
		}
		return false
	})
	runWith(ctx, cached).assertCompleted(t, 1)
	runWith(ctx, cached).assertFailed(t, errBoom)
	broken = false
	runWith(ctx, cached).assertCompleted(t, 2)
	assert.Equal(t, []any{int64(1)}, hooks.discarded)
}

func TestMonoCacheInvalidateIfCancelsTheLastRun(t *testing.T) {
	src := &puppet[int]{}
	p := run(MonoCacheInvalidateIf[int](src, func(int) bool { return false }))
	p.cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
}

func TestMonoCacheInvalidateWhen(t *testing.T) {
	for name, signal := range map[string]func(*puppetSubscription[string]){
		"complete": func(s *puppetSubscription[string]) { s.OnNext("x"); s.OnComplete() },
		"error":    func(s *puppetSubscription[string]) { s.OnError(errBoom) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := recordHooks()
			src, _ := counted()
			trigger := &puppet[string]{}
			var gone []int64
			cached := MonoCacheInvalidateWhen[int64, string](src, func(int64) *puppet[string] { return trigger }, func(v int64) { gone = append(gone, v) })
			runWith(ctx, cached).assertCompleted(t, 1)
			run(cached).assertCompleted(t, 1)
			assert.Equal(t, 1, trigger.count())
			assert.Empty(t, gone)
			signal(trigger.last())
			assert.Equal(t, []int64{1}, gone)
			if name == "error" {
				assert.Equal(t, []any{errBoom}, hooks.droppedErrors, "nobody else hears of it")
			} else {
				assert.Empty(t, hooks.droppedErrors)
				assert.Equal(t, []any{"x"}, hooks.discarded)
			}
			run(cached).assertCompleted(t, 2)
			assert.Equal(t, 2, trigger.count())
		})
	}
	run(MonoCacheInvalidateWhen[int, int](Empty[int](), func(int) reactor.Publisher[int] { return Never[int]() }, nil)).assertFailed(t, reactor.ErrNoElements)
}

func TestMonoCacheInvalidateWhenFunctionsFail(t *testing.T) {
	src, _ := counted()
	var gone []int64
	cached := MonoCacheInvalidateWhen[int64, int](src, func(int64) reactor.Publisher[int] { panic(errBoom) }, func(v int64) { gone = append(gone, v) })
	run(cached).assertFailed(t, errBoom)
	run(cached).assertFailed(t, errBoom)
	assert.Equal(t, []int64{1, 2}, gone)

	ctx, hooks := recordHooks()
	src, _ = counted()
	cached = MonoCacheInvalidateWhen[int64, int](src, func(int64) reactor.Publisher[int] { return Empty[int]() }, func(int64) { panic(errBoom) })
	runWith(ctx, cached).assertCompleted(t, 1)
	assert.Len(t, hooks.droppedErrors, 1)
	runWith(ctx, cached).assertCompleted(t, 2)
}

func TestMonoPublish(t *testing.T) {
	src, n := counted()
	pair := func(shared reactor.Publisher[int64]) reactor.Publisher[[2]int64] {
		return MonoZip2(shared, shared, func(a, b int64) [2]int64 { return [2]int64{a, b} })
	}
	published := MonoPublish[int64, [2]int64](src, pair)
	run(published).assertCompleted(t, [2]int64{1, 1})
	run(published).assertCompleted(t, [2]int64{2, 2})
	assert.Equal(t, int64(2), n.Load())
	run(MonoPublish[int64, [2]int64](Error[int64](errBoom), pair)).assertFailed(t, errBoom)
	run(MonoPublish[int64, [2]int64](Empty[int64](), pair)).assertCompleted(t)
	run(MonoPublish[int64, int](src, func(reactor.Publisher[int64]) reactor.Publisher[int] { panic(errBoom) })).assertFailed(t, errBoom)
	run(MonoPublish[int64, int](src, func(reactor.Publisher[int64]) reactor.Publisher[int] { return Just(7) })).assertCompleted(t, 7)
}

func TestMonoPublishReleasesItsSource(t *testing.T) {
	ctx, hooks := recordHooks()
	src := &puppet[int]{}
	p := probeOf[int](0)
	MonoPublish[int, int](src, func(shared reactor.Publisher[int]) reactor.Publisher[int] {
		return SwitchIfEmpty(Never[int](), shared)
	}).Subscribe(ctx, p)
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	src.last().OnNext(4)
	p.cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
	assert.Equal(t, []any{4}, hooks.discarded, "nobody got it")
}

func TestMonoPublishKeepsTheElementForTheFirstOnly(t *testing.T) {
	src := Just(4)
	var shared reactor.Publisher[int]
	run(MonoPublish[int, int](src, func(s reactor.Publisher[int]) reactor.Publisher[int] { shared = s; return Never[int]() }))
	run(shared).assertCompleted(t, 4)
	run(shared).assertCompleted(t)
}

func TestSharedErrorsReachEverybody(t *testing.T) {
	src := &puppet[int]{}
	shared := MonoShare[int](src)
	a, b := run(shared), run(shared)
	src.last().OnError(errBoom)
	a.assertFailed(t, errBoom)
	b.assertFailed(t, errBoom)
	assert.True(t, errors.Is(run(shared).failure(), errBoom))
}
