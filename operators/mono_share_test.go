package operators

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// counted is a publisher that emits how often it was subscribed.
func counted() (reactor.Publisher[int64], *atomic.Int64) {
	var n atomic.Int64
	return Map(Just(0), func(int) int64 { return n.Add(1) }), &n
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
	a.Cancel()
	assert.Zero(t, src.last().cancels.Load())
	b.Cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
	old := src.last()
	c := run(shared)
	assert.Equal(t, 2, src.count())
	ctx, hooks := probe.Recorded()
	d := runWith(ctx, shared)
	old.OnNext(1)
	src.last().OnNext(2)
	src.last().OnComplete()
	c.Done(t, 2)
	d.Done(t, 2)
	run(shared).Done(t, 2)
	assert.Empty(t, hooks.Dropped, "the first subscriber's hooks are told")
}

func TestMonoShareRaces(t *testing.T) {
	race(t, 2000, func() ([]func(), func()) {
		src := &puppet[int]{}
		shared := MonoShare[int](src)
		a, b := probeOf[int](1), probeOf[int](1)
		shared.Subscribe(context.Background(), a)
		sides := []func(){
			func() { shared.Subscribe(context.Background(), b) },
			a.Cancel,
		}
		return sides, func() {
			// b waits for a run that is live, whichever it is.
			assert.Zero(t, src.last().cancels.Load())
			src.last().OnNext(3)
			src.last().OnComplete()
			b.Done(t, 3)
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
			a.Done(t, 3)
			b.Done(t, 3)
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
	p.Subscribed = func(up reactor.Subscription) { up.Cancel() }
	shared.Subscribe(context.Background(), p)
	assert.Zero(t, src.count())

	race(t, 5000, func() ([]func(), func()) {
		src := &puppet[int]{onSubscription: func(_ int, s *puppetSubscription[int]) { s.OnNext(3); s.OnComplete() }}
		shared := MonoShare[int](src)
		a, b := probeOf[int](0), probeOf[int](1)
		subscribed := make(chan reactor.Subscription, 1)
		a.Subscribed = func(up reactor.Subscription) { subscribed <- up }
		sides := []func(){
			func() { shared.Subscribe(context.Background(), a) },
			func() { (<-subscribed).Cancel() },
			func() { shared.Subscribe(context.Background(), b) },
		}
		return sides, func() {
			b.Done(t, 3)
		}
	})
}

func TestMonoCacheInvalidateIf(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, _ := counted()
	var old atomic.Bool
	cached := MonoCacheInvalidateIf(src, func(int64) bool { return old.Load() })
	runWith(ctx, cached).Done(t, 1)
	runWith(ctx, cached).Done(t, 1)
	old.Store(true)
	runWith(ctx, cached).Done(t, 2)
	assert.Equal(t, []any{int64(1)}, hooks.Discarded)
	old.Store(false)
	runWith(ctx, cached).Done(t, 2)

	run(MonoCacheInvalidateIf(Empty[int](), func(int) bool { return false })).Failed(t, reactor.ErrNoElements)
	src, n := counted()
	failed := MonoCacheInvalidateIf(TryMap(src, func(int64) (int, error) { return 0, errBoom }), func(int) bool { return false })
	run(failed).Failed(t, errBoom)
	run(failed).Failed(t, errBoom)
	assert.Equal(t, int64(2), n.Load())
}

func TestMonoCacheInvalidateIfWithAPredicateThatFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, _ := counted()
	broken := true
	cached := MonoCacheInvalidateIf(src, func(int64) bool {
		if broken {
			panic(errBoom)
		}
		return false
	})
	runWith(ctx, cached).Done(t, 1)
	runWith(ctx, cached).Failed(t, errBoom)
	broken = false
	runWith(ctx, cached).Done(t, 2)
	assert.Equal(t, []any{int64(1)}, hooks.Discarded)
}

func TestMonoCacheInvalidateIfCancelsTheLastRun(t *testing.T) {
	src := &puppet[int]{}
	p := run(MonoCacheInvalidateIf[int](src, func(int) bool { return false }))
	p.Cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
}

func TestMonoCacheInvalidateWhen(t *testing.T) {
	for name, signal := range map[string]func(*puppetSubscription[string]){
		"complete": func(s *puppetSubscription[string]) { s.OnNext("x"); s.OnComplete() },
		"error":    func(s *puppetSubscription[string]) { s.OnError(errBoom) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src, _ := counted()
			trigger := &puppet[string]{}
			var gone []int64
			cached := MonoCacheInvalidateWhen[int64, string](src, func(int64) *puppet[string] { return trigger }, func(v int64) { gone = append(gone, v) })
			runWith(ctx, cached).Done(t, 1)
			run(cached).Done(t, 1)
			assert.Equal(t, 1, trigger.count())
			assert.Empty(t, gone)
			signal(trigger.last())
			assert.Equal(t, []int64{1}, gone)
			if name == "error" {
				assert.Equal(t, []any{errBoom}, hooks.Errs, "nobody else hears of it")
			} else {
				assert.Empty(t, hooks.Errs)
				assert.Equal(t, []any{"x"}, hooks.Discarded)
			}
			run(cached).Done(t, 2)
			assert.Equal(t, 2, trigger.count())
		})
	}
	run(MonoCacheInvalidateWhen[int, int](Empty[int](), func(int) reactor.Publisher[int] { return Never[int]() }, nil)).Failed(t, reactor.ErrNoElements)
}

func TestMonoCacheInvalidateWhenFunctionsFail(t *testing.T) {
	src, _ := counted()
	var gone []int64
	cached := MonoCacheInvalidateWhen[int64, int](src, func(int64) reactor.Publisher[int] { panic(errBoom) }, func(v int64) { gone = append(gone, v) })
	run(cached).Failed(t, errBoom)
	run(cached).Failed(t, errBoom)
	assert.Equal(t, []int64{1, 2}, gone)

	ctx, hooks := probe.Recorded()
	src, _ = counted()
	cached = MonoCacheInvalidateWhen[int64, int](src, func(int64) reactor.Publisher[int] { return Empty[int]() }, func(int64) { panic(errBoom) })
	runWith(ctx, cached).Done(t, 1)
	assert.Len(t, hooks.Errs, 1)
	runWith(ctx, cached).Done(t, 2)
}

func TestSharedErrorsReachEverybody(t *testing.T) {
	src := &puppet[int]{}
	shared := MonoShare[int](src)
	a, b := run(shared), run(shared)
	src.last().OnError(errBoom)
	a.Failed(t, errBoom)
	b.Failed(t, errBoom)
	assert.True(t, errors.Is(run(shared).Failure(), errBoom))
}

// An error that is not kept is told to those who wait, or reported as dropped if the last of them leaves just then.
func TestSharedErrorsOfThoseWhoLeave(t *testing.T) {
	for _, subscribers := range []int{1, 2} {
		race(t, 10000, func() ([]func(), func()) {
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			shared := MonoCacheInvalidateIf[int](src, func(int) bool { return false })
			all := make([]*probe.Probe[int], subscribers)
			for i := range all {
				all[i] = probeOf[int](1)
				shared.Subscribe(ctx, all[i])
			}
			sides := []func(){
				func() { src.last().OnError(errBoom) },
				func() {
					for _, p := range all {
						p.Cancel()
					}
				},
			}
			return sides, func() {
				heard := 0
				for _, p := range all {
					if p.Failure() != nil {
						heard++
					}
				}
				_, _, dropped := hooks.Seen()
				assert.Equal(t, heard == 0, len(dropped) == 1, "%d heard of it, dropped: %v", heard, dropped)
			}
		})
	}
}

// Everybody has left: that the source completes then without an element is no failure that anybody waits for.
func TestMonoCacheInvalidateLeftBeforeTheSourceCompletes(t *testing.T) {
	for name, build := range map[string]func(stream) stream{
		"if": func(src stream) stream { return MonoCacheInvalidateIf(src, func(int) bool { return false }) },
		"when": func(src stream) stream {
			return MonoCacheInvalidateWhen(src, func(int) stream { return Never[int]() }, nil)
		},
	} {
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		p := runWith(ctx, build(src))
		p.Cancel()
		src.last().OnComplete()
		assert.Empty(t, hooks.Errs, name)
		p.Open(t)
	}
}

// An element that is kept goes to those who come later: one who leaves without it does not discard it.
func TestMonoSharedLeftWithoutTheElement(t *testing.T) {
	for name, build := range map[string]func(stream) stream{
		"cache":      func(src stream) stream { return MonoCache(src) },
		"share":      func(src stream) stream { return MonoShare(src) },
		"shareNext":  func(src stream) stream { return ShareNext(src) },
		"invalidate": func(src stream) stream { return MonoCacheInvalidateIf(src, func(int) bool { return false }) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			shared := build(src)
			early, hasty := probeOf[int](0), probeOf[int](0)
			shared.Subscribe(ctx, early)
			src.last().OnNext(7)
			src.last().OnComplete()
			hasty.Subscribed = func(up reactor.Subscription) { up.Cancel() }
			shared.Subscribe(ctx, hasty)
			early.Cancel()
			assert.Empty(t, hooks.Discarded)
			runWith(ctx, shared).Done(t, 7)
			assert.Equal(t, 1, src.count())
		})
	}
}

// An element that is not kept is discarded by the last one who leaves, unless somebody has got it.
func TestMonoCacheLeftWithoutAnElementThatIsNotKept(t *testing.T) {
	for _, ttl := range []time.Duration{0, -1, math.MinInt64} {
		monoCacheLeft(t, ttl)
	}
}

func monoCacheLeft(t *testing.T, ttl time.Duration) {
	for _, taken := range []bool{false, true} {
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		shared := MonoCache[int](src, TTL(ttl))
		all := []*probe.Probe[int]{probeOf[int](0), probeOf[int](0), probeOf[int](0)}
		for _, p := range all {
			shared.Subscribe(ctx, p)
		}
		src.last().OnNext(7)
		if taken {
			all[1].Request(1)
		}
		all[0].Cancel()
		all[2].Cancel()
		assert.Empty(t, hooks.Discarded)
		all[1].Cancel()
		assert.Equal(t, !taken, len(hooks.Discarded) == 1)
	}
}
