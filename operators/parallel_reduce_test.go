package operators

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func sumOf(a, b int) int { return a + b }

func TestParallelReduce(t *testing.T) {
	s := newParallel(t, 2)
	got, err := Collect(context.Background(), ParallelReduce(ParallelRunOn(Parallel(Range(1, 1000), 4), s), sumOf))
	assert.NoError(t, err)
	assert.Equal(t, []int{500500}, got)
	run(ParallelReduce(Parallel(Empty[int](), 3), sumOf)).Done(t)
	run(ParallelReduce(Parallel(Just(7), 3), sumOf)).Done(t, 7)
	run(ParallelReduce(Parallel(FromSlice([]string{"a", "b", "c", "d"}), 2), func(a, b string) string { return a + b })).
		Done(t, "acbd")
}

func TestParallelReduceDemand(t *testing.T) {
	a, b := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](0)
	ParallelReduce(ParallelFrom[int](a, b), sumOf).Subscribe(context.Background(), p)
	assert.Zero(t, a.last().requested.Load())
	p.Request(1)
	assert.Equal(t, reactor.Unbounded, a.last().requested.Load())
	assert.Equal(t, reactor.Unbounded, b.last().requested.Load())
	a.last().OnNext(1)
	b.last().OnNext(2)
	b.last().OnComplete()
	p.Open(t)
	a.last().OnComplete()
	p.Done(t, 3)
}

func TestParallelReduceError(t *testing.T) {
	ctx, hooks := probe.Recorded()
	a, b := &puppet[int]{}, &puppet[int]{}
	p := runWith(ctx, ParallelReduce(ParallelFrom[int](a, b), sumOf))
	b.last().OnNext(2)
	b.last().OnComplete()
	a.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.Equal(t, []any{2}, hooks.Discarded)
	p = runWith(ctx, ParallelReduce(ParallelFrom[int](a, b), sumOf))
	a.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, b.last().cancels.Load())
}

func TestParallelReduceFunctionPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	fail := func(int, int) int { panic(errBoom) }
	runWith(ctx, ParallelReduce(Parallel(Range(1, 4), 2), fail)).Failed(t, errBoom)
	hooks.Discarded = nil
	runWith(ctx, ParallelReduce(Parallel(Range(1, 3), 3), fail)).Failed(t, errBoom)
	assert.ElementsMatch(t, []any{1, 2, 3}, hooks.Discarded, "between the rails")
}

func TestParallelReduceCancel(t *testing.T) {
	ctx, hooks := probe.Recorded()
	a, b := &puppet[int]{}, &puppet[int]{}
	p := runWith(ctx, ParallelReduce(ParallelFrom[int](a, b), sumOf))
	a.last().OnNext(1)
	a.last().OnComplete()
	p.Cancel()
	assert.EqualValues(t, 1, b.last().cancels.Load())
	assert.Equal(t, []any{1}, hooks.Discarded)
	p.Open(t)
}

func TestParallelReduceRaces(t *testing.T) {
	raceStage(t, 60, func(src elements, h *handScheduler) elements {
		keep := func(a, b element) element {
			h.books.Discarded(a) // what is combined is gone
			return b
		}
		return ParallelReduce(ParallelRunOn(Parallel(TakeFor(src, time.Second, On(h)), 2), h), keep)
	})
}
