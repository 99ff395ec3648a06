package operators

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

func TestMonoCacheForEver(t *testing.T) {
	src, n := counted()
	cached := MonoCache(src)
	run(cached).Done(t, 1)
	run(cached).Done(t, 1)
	assert.Equal(t, int64(1), n.Load())

	failed := MonoCache(Error[int](errBoom))
	run(failed).Failed(t, errBoom)
	run(failed).Failed(t, errBoom)
	run(MonoCache(Empty[int]())).Done(t)

	p := probeOf[int64](0)
	cached.Subscribe(context.Background(), p)
	p.Open(t)
	p.Request(1)
	p.Done(t, 1)
}

func TestMonoCacheTTL(t *testing.T) {
	clock := &handScheduler{}
	src, n := counted()
	cached := MonoCache(src, TTL(10*time.Millisecond), On(clock))
	run(cached).Done(t, 1)
	clock.forward(9 * time.Millisecond)
	run(cached).Done(t, 1)
	clock.forward(time.Millisecond)
	assert.Zero(t, clock.pending())
	run(cached).Done(t, 2)
	clock.forward(9 * time.Millisecond)
	run(cached).Done(t, 2)
	assert.Equal(t, int64(2), n.Load())
}

// Who shuts a scheduler down does not wait for the end of what is kept, which comes all the same.
func TestMonoCacheTTLOnASchedulerThatEnds(t *testing.T) {
	for name, end := range map[string]func(s schedulers.Scheduler) error{
		"gracefully": func(s schedulers.Scheduler) error { return s.DisposeGracefully(context.Background()) },
		"at once":    func(s schedulers.Scheduler) error { s.Dispose(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				s := schedulers.NewSingle("cache")
				src, n := counted()
				cached := MonoCache(src, TTL(time.Hour), On(s))
				runWith(ctx, cached).Done(t, 1)
				begin := time.Now()
				require.NoError(t, end(s))
				assert.Zero(t, time.Since(begin))
				time.Sleep(time.Hour - 1)
				runWith(ctx, cached).Done(t, 1)
				time.Sleep(time.Nanosecond)
				runWith(ctx, cached).Done(t, 2)
				assert.Len(t, hooks.Errs, 1, "the new one can't be kept")
				assert.EqualValues(t, 2, n.Load())
			})
		})
	}
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
	run(cached).Failed(t, errBoom)
	run(cached).Done(t)
	run(cached).Done(t)
	clock.forward(time.Millisecond)
	run(cached).Done(t, 3)
	run(cached).Done(t, 3)
	assert.Equal(t, 3, runs)
	assert.Zero(t, clock.pending())
}

func TestMonoCacheWithALifetimeThatFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, n := counted()
	cached := MonoCacheFor(src, func(reactor.Signal[int64]) time.Duration { panic(errBoom) })
	runWith(ctx, cached).Failed(t, errBoom)
	runWith(ctx, cached).Failed(t, errBoom)
	assert.Equal(t, int64(2), n.Load())
	assert.Equal(t, []any{int64(1), int64(2)}, hooks.Discarded)
	p := run(MonoCacheFor(Error[int](errOther), func(reactor.Signal[int]) time.Duration { panic(errBoom) }))
	p.Failed(t, errBoom)
	assert.ErrorIs(t, p.Failure(), errOther)
}

func TestMonoCacheWithASchedulerThatRefuses(t *testing.T) {
	ctx, hooks := probe.Recorded()
	clock := &handScheduler{}
	clock.refuse(schedulers.ErrUnavailable)
	src, n := counted()
	cached := MonoCache(src, TTL(time.Second), On(clock))
	runWith(ctx, cached).Done(t, 1)
	runWith(ctx, cached).Done(t, 2)
	assert.Equal(t, int64(2), n.Load())
	assert.Len(t, hooks.Errs, 2)
	assert.ErrorIs(t, hooks.Errs[0].(error), reactor.ErrRejected)
}

func TestMonoCacheIsNotCancelledByItsSubscribers(t *testing.T) {
	src := &puppet[int]{}
	cached := MonoCache[int](src)
	a, b := run(cached), run(cached)
	a.Cancel()
	b.Cancel()
	assert.Zero(t, src.last().cancels.Load())
	c := run(cached)
	assert.Equal(t, 1, src.count())
	src.last().OnNext(5)
	src.last().OnComplete()
	c.Done(t, 5)
	a.Open(t)
	run(cached).Done(t, 5)
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

// The last subscriber leaves while a function decides about the outcome, which nobody gets then.
// The elements of a trigger are told that nobody gets them, also where nobody listens to what is discarded.
func TestMonoCacheInvalidateWhenDiscardsElementsOfTheTrigger(t *testing.T) {
	told := 0
	trigger := func(int) reactor.Publisher[owner] { return JustAll(owner{told: &told}, owner{told: &told}) }
	p := probeOf[int](1)
	MonoCacheInvalidateWhen[int, owner](Just(1), trigger, nil).Subscribe(context.Background(), p)
	p.Done(t, 1)
	assert.Equal(t, 2, told)
}

func TestMonoCacheInvalidateWhenLeftMeanwhile(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := probeOf[int](9)
	leave := func(int) stream { p.Cancel(); return Never[int]() }
	MonoCacheInvalidateWhen[int, int](src, leave, nil).Subscribe(ctx, p)
	src.last().OnNext(1)
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.Empty(t, hooks.Dropped)

	ctx, hooks = probe.Recorded()
	p = probeOf[int](9)
	MonoCacheInvalidateWhen[int, int](src, func(int) stream { p.Cancel(); panic(errBoom) }, nil).Subscribe(ctx, p)
	src.last().OnNext(1)
	assert.Len(t, hooks.Errs, 1)
	assert.ErrorIs(t, hooks.Errs[0].(error), errBoom)
}

// A trigger function that fails leaves an element that nobody gets.
func TestMonoCacheInvalidateWhenDiscardsWhatItsFunctionFailsFor(t *testing.T) {
	ctx, hooks := probe.Recorded()
	cached := MonoCacheInvalidateWhen[int, int](Just(1), func(int) stream { panic(errBoom) }, nil)
	runWith(ctx, cached).Failed(t, errBoom)
	assert.Equal(t, []any{1}, hooks.Discarded)
}
