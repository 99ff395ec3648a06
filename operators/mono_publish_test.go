package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestMonoPublish(t *testing.T) {
	src, n := counted()
	pair := func(shared reactor.Publisher[int64]) reactor.Publisher[[2]int64] {
		return MonoZip2(shared, shared, func(a, b int64) [2]int64 { return [2]int64{a, b} })
	}
	published := MonoPublish[int64, [2]int64](src, pair)
	run(published).Done(t, [2]int64{1, 1})
	run(published).Done(t, [2]int64{2, 2})
	assert.Equal(t, int64(2), n.Load())
	run(MonoPublish[int64, [2]int64](Error[int64](errBoom), pair)).Failed(t, errBoom)
	run(MonoPublish[int64, [2]int64](Empty[int64](), pair)).Done(t)
	run(MonoPublish[int64, int](src, func(reactor.Publisher[int64]) reactor.Publisher[int] { panic(errBoom) })).Failed(t, errBoom)
	run(MonoPublish[int64, int](src, func(reactor.Publisher[int64]) reactor.Publisher[int] { return Just(7) })).Done(t, 7)
}

func TestMonoPublishReleasesItsSource(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := probeOf[int](0)
	MonoPublish[int, int](src, func(shared reactor.Publisher[int]) reactor.Publisher[int] {
		return SwitchIfEmpty(Never[int](), shared)
	}).Subscribe(ctx, p)
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	src.last().OnNext(4)
	p.Cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
	assert.Equal(t, []any{4}, hooks.Discarded, "nobody got it")
}

func TestMonoPublishKeepsTheElementForTheFirstOnly(t *testing.T) {
	src := Just(4)
	var shared reactor.Publisher[int]
	run(MonoPublish[int, int](src, func(s reactor.Publisher[int]) reactor.Publisher[int] { shared = s; return Never[int]() }))
	run(shared).Done(t, 4)
	run(shared).Done(t)
}

// What the source sends when the result has ended, or was cancelled, is not lost.
func TestMonoPublishLateSignals(t *testing.T) {
	for name, signal := range map[string]func(s *puppetSubscription[int]){
		"element": func(s *puppetSubscription[int]) { s.OnNext(1) },
		"error":   func(s *puppetSubscription[int]) { s.OnError(errBoom) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			p := probeOf[int](9)
			MonoPublish[int, int](src, func(s stream) stream { return Hide(s) }).Subscribe(ctx, p)
			p.Cancel()
			signal(src.last())
			if name == "error" {
				assert.Equal(t, []any{errBoom}, hooks.Errs)
			} else {
				assert.Equal(t, []any{1}, hooks.Discarded)
			}
			assert.Empty(t, hooks.Dropped)
			p.Open(t)
		})
	}
}

func TestMonoPublishErrorThatNobodyGets(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, result := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](9)
	MonoPublish[int, int](src, func(stream) stream { return result }).Subscribe(ctx, p)
	src.last().OnError(errBoom)
	result.last().OnComplete()
	p.Done(t)
	assert.Equal(t, []any{errBoom}, hooks.Errs)

	// Not one that somebody gets.
	ctx, hooks = probe.Recorded()
	MonoPublish[int, int](src, func(s stream) stream { return s }).Subscribe(ctx, probeOf[int](9))
	src.last().OnError(errBoom)
	assert.Empty(t, hooks.Errs)
}

// An error that finds the only subscriber of the shared publisher cancelled a moment ago is reported, once.
func TestMonoPublishErrorThatMeetsACancellation(t *testing.T) {
	racetest.Rounds(t, 3000, func() ([]func(), func()) {
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		p := probeOf[int](9)
		MonoPublish[int, int](src, func(s stream) stream { return s }).Subscribe(ctx, p)
		return []func(){func() { src.last().OnError(errBoom) }, p.Cancel}, func() {
			told := 0
			if p.Failure() != nil {
				told = 1
			}
			require.Equal(t, 1, told+len(hooks.Errs))
		}
	})
}

// The element belongs to all who have subscribed in time: who leaves does not discard what another one has got, or may
// still get.
func TestMonoPublishWhoLeavesDiscardsNothingOfOthers(t *testing.T) {
	for name, c := range map[string]struct {
		use       func(a, b *probe.Probe[int])
		discarded []any
	}{
		"one has got it":         {func(a, b *probe.Probe[int]) { a.Request(1); b.Cancel() }, nil},
		"one gets it later":      {func(a, b *probe.Probe[int]) { b.Cancel(); a.Request(1) }, nil},
		"both leave":             {func(a, b *probe.Probe[int]) { b.Cancel(); a.Cancel(); b.Cancel() }, []any{4}},
		"one leaves, one waits":  {func(a, b *probe.Probe[int]) { b.Cancel() }, nil},
		"one leaves, one has it": {func(a, b *probe.Probe[int]) { b.Cancel(); a.Request(1); a.Cancel() }, nil},
	} {
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		a, b := probeOf[int](0), probeOf[int](0)
		runWith(ctx, MonoPublish[int, int](src, func(shared reactor.Publisher[int]) stream {
			shared.Subscribe(ctx, a)
			shared.Subscribe(ctx, b)
			return Never[int]()
		}))
		src.last().OnNext(4)
		src.last().OnComplete()
		c.use(a, b)
		assert.Equal(t, c.discarded, hooks.Discarded, name)
	}
}

// One who has cancelled when it was subscribed is not the first one, for whom the outcome waits.
func TestMonoPublishKeepsTheOutcomeForWhoWantsIt(t *testing.T) {
	src := &puppet[int]{}
	left, late := probeOf[int](1), probeOf[int](1)
	left.Subscribed = func(up reactor.Subscription) { up.Cancel() }
	var shared reactor.Publisher[int]
	run(MonoPublish[int, int](src, func(s reactor.Publisher[int]) stream {
		shared = s
		return Never[int]()
	}))
	src.last().OnNext(4)
	src.last().OnComplete()
	shared.Subscribe(context.Background(), left)
	shared.Subscribe(context.Background(), late)
	left.Open(t)
	late.Done(t, 4)
}

// Who subscribes to the shared publisher when the result has ended gets an end, although the source has sent none.
func TestMonoPublishAfterTheResult(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	var shared stream
	result := MonoPublish[int, int](src, func(s stream) stream { shared = s; return Never[int]() })
	p := runWith(ctx, result)
	p.Cancel()
	runWith(ctx, shared).Done(t)
	src.last().OnError(errBoom)
	assert.Equal(t, []any{errBoom}, hooks.Errs, "nobody has got it")

	run(MonoPublish[int, int](src, func(s stream) stream { shared = s; return Just(1) })).Done(t, 1)
	run(shared).Done(t)
}
