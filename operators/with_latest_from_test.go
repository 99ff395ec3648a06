package operators

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestWithLatestFrom(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := probeOf[int](2)
	WithLatestFrom(src, other, add).Subscribe(ctx, p)
	assert.Equal(t, reactor.Unbounded, other.last().requested.Load())
	assert.EqualValues(t, 2, src.last().requested.Load())
	src.last().OnNext(1)
	assert.EqualValues(t, 3, src.last().requested.Load(), "one more for the one that was discarded")
	other.last().OnNext(10)
	other.last().OnNext(20)
	src.last().OnNext(2)
	src.last().OnNext(3)
	p.Open(t, 22, 23)
	other.last().OnNext(30)
	other.last().OnComplete()
	p.Request(1)
	assert.EqualValues(t, 4, src.last().requested.Load())
	src.last().OnNext(4)
	src.last().OnComplete()
	p.Done(t, 22, 23, 34)
	assert.Equal(t, []any{1, 10}, hooks.Discarded)
}

func TestWithLatestFromEnds(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	start := func() *probe.Probe[int] {
		hooks.Discarded, hooks.Errs = nil, nil
		return runWith(ctx, WithLatestFrom(src, other, add))
	}
	p := start()
	other.last().OnComplete()
	p.Done(t)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(1)
	src.last().OnError(errBoom)
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.Equal(t, []any{errBoom}, hooks.Errs)

	p = start()
	other.last().OnNext(1)
	other.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Equal(t, []any{1}, hooks.Discarded)
	other.last().OnError(errOther)
	assert.Equal(t, []any{errOther}, hooks.Errs)

	p = start()
	other.last().OnNext(1)
	src.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, other.last().cancels.Load())
	other.last().OnNext(2)
	assert.Equal(t, []any{1, 2}, hooks.Discarded)

	p = start()
	other.last().OnNext(1)
	src.last().OnComplete()
	p.Done(t)
	assert.EqualValues(t, 1, other.last().cancels.Load())

	p = start()
	other.last().OnNext(1)
	p.Cancel()
	p.Cancel()
	assert.EqualValues(t, 1, other.last().cancels.Load())
	assert.Equal(t, []any{1}, hooks.Discarded)
	src.last().OnNext(5)
	other.last().OnNext(6)
	other.last().OnComplete()
	p.Open(t)
	assert.Equal(t, []any{1, 5, 6}, hooks.Discarded)
}

// The other one may end everything before src is even subscribed.
func TestWithLatestFromEndsAtOnce(t *testing.T) {
	src := &puppet[int]{}
	run(WithLatestFrom(src, Empty[int](), add)).Done(t)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	run(WithLatestFrom(src, Error[int](errBoom), add)).Failed(t, errBoom)
	run(WithLatestFrom(Range(1, 3), Just(10), add)).Done(t, 11, 12, 13)
}

func TestWithLatestFromPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	other := &puppet[int]{onSubscription: func(_ int, s *puppetSubscription[int]) { s.OnNext(10) }}
	fn := func(a, b int) int {
		switch a {
		case 2:
			panic(errBoom)
		case 3:
			runtime.Goexit()
		}
		return a + b
	}
	runWith(ctx, WithLatestFrom(FromSlice([]int{1, 2}), other, fn)).Failed(t, errBoom, 11)
	assert.Equal(t, []any{2}, hooks.Discarded)
	assert.EqualValues(t, 1, other.last().cancels.Load())
	var wg sync.WaitGroup
	p := probeOf[int](reactor.Unbounded)
	wg.Go(func() { WithLatestFrom(FromSlice([]int{3}), other, fn).Subscribe(ctx, p) })
	wg.Wait()
	p.Failed(t, reactor.ErrGoexit)
	p = runWith(ctx, Map(WithLatestFrom(FromSlice([]int{1}), other, fn), func(int) int { panic(errOther) }))
	p.Failed(t, errOther)
	assert.EqualValues(t, 1, other.last().cancels.Load())
}

func TestWithLatestFromArguments(t *testing.T) {
	requirePanics(t, "withLatestFrom: the combiner is nil", func() { WithLatestFrom[int, int, int](Just(1), Just(1), nil) })
	requirePanics(t, "withLatestFrom: the publisher is nil", func() { WithLatestFrom(nil, Just(1), add) })
	requirePanics(t, "withLatestFrom: the publisher is nil", func() { WithLatestFrom(Just(1), nil, add) })
}

func TestWithLatestFromAllocatesNothingPerElement(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[int]{}
	WithLatestFrom(src, other, add).Subscribe(context.Background(), &ignoring[int]{})
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		other.last().OnNext(1)
		other.last().OnNext(2)
		src.last().OnNext(1)
	}))
}

func TestWithLatestFromRaces(t *testing.T) {
	raceTwoSources(t, 80, func(l *racedLedger, a, b elements) reactor.Publisher[int] {
		return WithLatestFrom(a, b, l.combine)
	}, func(*racedLedger, int) {})
}

// An element of other that fn has failed with was never combined.
func TestWithLatestFromDiscardsWhatFailed(t *testing.T) {
	fn := func(a, b int) int {
		if a == 2 {
			panic(errBoom)
		}
		return a + b
	}
	ctx, hooks := probe.Recorded()
	runWith(ctx, WithLatestFrom(Just(2), StartWith(Never[int](), Just(10)), fn)).Failed(t, errBoom)
	assert.ElementsMatch(t, []any{2, 10}, hooks.Discarded)

	ctx, hooks = probe.Recorded()
	runWith(ctx, WithLatestFrom(Range(1, 2), StartWith(Never[int](), Just(10)), fn)).Failed(t, errBoom, 11)
	assert.Equal(t, []any{2}, hooks.Discarded, "10 was combined with 1")
}

func TestWithLatestFromCancellationEndsGoroutine(t *testing.T) {
	ctx, hooks := probe.Recorded()
	other := &puppet[int]{}
	p := runWith(ctx, WithLatestFrom(DoOnCancel(Never[int](), runtime.Goexit), other, add))
	other.last().OnNext(7)
	racetest.Aside(func() { other.last().OnError(errBoom) })
	p.Failed(t, errBoom)
	assert.Equal(t, []any{7}, hooks.Discarded)
}
