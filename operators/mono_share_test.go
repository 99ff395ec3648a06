package operators

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
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

func TestSharedErrorsReachEverybody(t *testing.T) {
	src := &puppet[int]{}
	shared := MonoShare[int](src)
	a, b := run(shared), run(shared)
	src.last().OnError(errBoom)
	a.assertFailed(t, errBoom)
	b.assertFailed(t, errBoom)
	assert.True(t, errors.Is(run(shared).failure(), errBoom))
}
