package operators

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestParallelSorted(t *testing.T) {
	s := newParallel(t, 2)
	items := []int{5, 3, 9, 1, 7, 2, 8, 0, 6, 4}
	got, err := Collect(context.Background(), ParallelSorted(ParallelRunOn(Parallel(FromSlice(items), 3), s), cmp.Compare[int]))
	assert.NoError(t, err)
	assert.Equal(t, numbers(10), got)
	p := probeOf[int](4)
	ParallelSorted(Parallel(FromSlice(items), 3), cmp.Compare[int], Prefetch(1)).Subscribe(context.Background(), p)
	p.Open(t, 0, 1, 2, 3)
	assert.PanicsWithValue(t, "reactor: sorted: the comparison is nil", func() { ParallelSorted(Parallel(Just(1), 1), nil) })
}

func TestParallelSequential(t *testing.T) {
	s := newParallel(t, 2)
	const n = 5000
	got, err := Collect(context.Background(), ParallelSequential(ParallelRunOn(Parallel(Range(0, n), 4), s)))
	assert.NoError(t, err)
	slices.Sort(got)
	assert.Equal(t, numbers(n), got)
}

func TestParallelSequentialHonoursDemand(t *testing.T) {
	p := probeOf[int](3)
	ParallelSequential(Parallel(Range(0, 6), 2), Prefetch(2)).Subscribe(context.Background(), p)
	p.Open(t, 0, 1, 2)
	p.Request(1)
	assert.Len(t, p.Got(), 4)
	p.Request(9)
	assert.ElementsMatch(t, numbers(6), p.Got())
	p.Faultless(t)
	assert.True(t, p.Over())
}

func TestParallelSequentialError(t *testing.T) {
	ctx, hooks := probe.Recorded()
	a, b := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](0)
	ParallelSequential(ParallelFrom[int](a, b)).Subscribe(ctx, p)
	a.last().OnNext(1)
	b.last().OnNext(2)
	b.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, a.last().cancels.Load())
	assert.Zero(t, b.last().cancels.Load())
	a.last().OnNext(3)
	a.last().OnError(errOther)
	accounted(t, p, hooks, 1, 2, 3)
	assert.Equal(t, []any{errOther}, hooks.Errs)
}

func TestParallelSequentialRailThatSendsTooMuch(t *testing.T) {
	ctx, hooks := probe.Recorded()
	a := &puppet[int]{}
	p := probeOf[int](0)
	ParallelSequential(ParallelFrom[int](a), Prefetch(1)).Subscribe(ctx, p)
	a.last().OnNext(1)
	a.last().OnNext(2)
	a.last().OnNext(3)
	p.Failed(t, reactor.ErrOverflow)
	accounted(t, p, hooks, 1, 2, 3)
}

func TestParallelSequentialCancel(t *testing.T) {
	ctx, hooks := probe.Recorded()
	a, b := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](1)
	ParallelSequential(ParallelFrom[int](a, b)).Subscribe(ctx, p)
	a.last().OnNext(1)
	b.last().OnNext(2)
	p.Cancel()
	b.last().OnNext(3)
	p.Open(t, 1)
	assert.EqualValues(t, 1, a.last().cancels.Load())
	accounted(t, p, hooks, 1, 2, 3)
}

func TestParallelOrdered(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](2)
	ParallelOrdered(ParallelFrom[int](a, b), cmp.Compare[int]).Subscribe(context.Background(), p)
	a.last().OnNext(1)
	a.last().OnNext(4)
	p.Open(t)
	b.last().OnNext(2)
	p.Open(t, 1, 2)
	b.last().OnNext(3)
	p.Request(9)
	p.Open(t, 1, 2, 3)
	b.last().OnError(errBoom)
	p.Open(t, 1, 2, 3, 4)
	assert.Zero(t, a.last().cancels.Load(), "errors wait")
	a.last().OnNext(5)
	a.last().OnComplete()
	p.Failed(t, errBoom, 1, 2, 3, 4, 5)
}

func TestParallelOrderedComparisonPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := runWith(ctx, ParallelOrdered(ParallelFrom(Just(1), Just(2)), func(int, int) int { panic(errBoom) }))
	p.Failed(t, errBoom)
	accounted(t, p, hooks, 1, 2)
}
