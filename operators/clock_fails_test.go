package operators

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

// silently returns a context whose errors are dropped without a word.
func silently() context.Context {
	return reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
}

// A clock that fails when the outcome comes: it is delivered, and not kept.
func TestMonoCacheWhoseClockFailsAtTheOutcome(t *testing.T) {
	ctx, hooks := probe.Recorded()
	clock := &brokenClock{handScheduler: &handScheduler{}, broken: true}
	runs := 0
	cached := MonoCache(FromFunc(func(context.Context) (int, error) { runs++; return runs, nil }), TTL(10), On(clock))
	runWith(ctx, cached).Done(t, 1)
	require.Empty(t, hooks.Discarded)
	require.Len(t, hooks.Errs, 1)
	require.ErrorIs(t, hooks.Errs[0].(error), errBoom)
	clock.broken = false
	runWith(ctx, cached).Done(t, 2)
}

// failsToSchedule is a scheduler that fails when it gets a periodic task.
type failsToSchedule struct {
	*handScheduler
	fail func()
}

func (f failsToSchedule) SchedulePeriodically(schedulers.Task, time.Duration, time.Duration, ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	f.fail()
	return nil, nil
}

// So it is for what plans the end of the outcome.
func TestMonoCacheWhoseSchedulerFailsAtTheOutcome(t *testing.T) {
	reluctantly(t, func(t *testing.T, r *reluctant, aside func(func())) {
		ctx, hooks := probe.Recorded()
		p := probeOf[int](reactor.Unbounded)
		cached := MonoCache(FromFunc(func(context.Context) (int, error) { return 1, nil }), TTL(10), On(failsToSchedule{r.handScheduler, r.fail}))
		aside(func() { cached.Subscribe(ctx, p) })
		p.Done(t, 1)
		require.Empty(t, hooks.Discarded)
		require.Len(t, hooks.Errs, 1)
	})
}

// A clock that fails when somebody comes fails that one, and nobody else.
func TestCachesWhoseClockFailsAtASubscription(t *testing.T) {
	for name, cache := range map[string]func(src stream, clock *brokenClock) stream{
		"mono":     func(src stream, clock *brokenClock) stream { return MonoCache(src, TTL(10), On(clock)) },
		"cache":    func(src stream, clock *brokenClock) stream { return Cache(src, TTL(10), On(clock)) },
		"refCount": func(src stream, clock *brokenClock) stream { return RefCount(Replay(src, TTL(10), On(clock)), 1) },
	} {
		t.Run(name, func(t *testing.T) {
			clock := &brokenClock{handScheduler: &handScheduler{}}
			src := &puppet[int]{}
			cached := cache(src, clock)
			run(cached)
			src.last().OnNext(1)
			src.last().OnComplete()
			clock.broken = true
			p := probeOf[int](reactor.Unbounded)
			require.NotPanics(t, func() { cached.Subscribe(silently(), p) })
			p.Failed(t, errBoom)
			p.Faultless(t)
			clock.broken = false
			run(cached).Done(t, 1)
		})
	}
}
