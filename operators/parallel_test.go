package operators

import (
	"cmp"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// subscribeRails returns a probe for each rail.
func subscribeRails[T any](ctx context.Context, src ParallelPublisher[T], demand ...int64) []*probe.Probe[T] {
	probes := make([]*probe.Probe[T], src.Parallelism())
	rails := make([]reactor.Subscriber[T], len(probes))
	for i := range probes {
		probes[i] = probeOf[T](demand[min(i, len(demand)-1)])
		rails[i] = probes[i]
	}
	ParallelSubscribe(ctx, src, rails...)
	return probes
}

func TestParallelDealsInTurn(t *testing.T) {
	rails := subscribeRails(context.Background(), Parallel(Range(0, 7), 3), reactor.Unbounded)
	rails[0].Done(t, 0, 3, 6)
	rails[1].Done(t, 1, 4)
	rails[2].Done(t, 2, 5)
}

func TestParallelLeavesOutRailsWithoutDemand(t *testing.T) {
	src := &puppet[int]{}
	rails := subscribeRails(context.Background(), Parallel(src, 3, Prefetch(4)), 1, 0, 5)
	up := src.last()
	assert.EqualValues(t, 4, up.requested.Load())
	for i := range 4 {
		up.OnNext(i)
	}
	rails[0].Open(t, 0)
	rails[1].Open(t)
	rails[2].Open(t, 1, 2, 3)
	assert.EqualValues(t, 7, up.requested.Load())
	rails[2].Cancel()
	up.OnNext(4)
	rails[1].Request(1)
	rails[1].Open(t, 4)
	up.OnNext(5)
	up.OnComplete()
	rails[0].Open(t, 0)
	rails[0].Request(1)
	rails[0].Done(t, 0, 5)
	rails[1].Done(t, 4)
	rails[2].Open(t, 1, 2, 3)
}

func TestParallelErrorDiscardsTheQueue(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	rails := subscribeRails(ctx, Parallel(src, 2), 0)
	src.last().OnNext(1)
	src.last().OnError(errBoom)
	src.last().OnError(errBoom)
	src.last().OnNext(2)
	rails[0].Failed(t, errBoom)
	rails[1].Failed(t, errBoom)
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.Equal(t, []any{2}, hooks.Dropped)
	assert.Len(t, hooks.Errs, 1)
}

func TestParallelCancel(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	rails := subscribeRails(ctx, Parallel(src, 2), 0)
	src.last().OnNext(1)
	rails[0].Cancel()
	rails[0].Cancel()
	assert.Zero(t, src.last().cancels.Load(), "there is another rail")
	rails[1].Cancel()
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(2)
	assert.Equal(t, []any{1, 2}, hooks.Discarded)
}

func TestParallelRailThatFailsLeavesTheOthersAlone(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	failing := ParallelRails(Parallel(src, 2), func(rail reactor.Publisher[int]) reactor.Publisher[int] {
		return Map(rail, func(v int) int {
			if v == 2 {
				panic(errBoom)
			}
			return v
		})
	})
	rails := subscribeRails(ctx, failing, reactor.Unbounded)
	for i := range 5 {
		src.last().OnNext(i)
	}
	src.last().OnComplete()
	rails[0].Failed(t, errBoom, 0)
	rails[1].Done(t, 1, 3, 4)
	assert.Equal(t, []any{2}, hooks.Discarded)
	assert.Zero(t, src.last().cancels.Load())
}

func TestParallelOverflow(t *testing.T) {
	src := &puppet[int]{}
	rails := subscribeRails(context.Background(), Parallel(src, 1, Prefetch(1)), 0)
	src.last().OnNext(1)
	src.last().OnNext(2)
	rails[0].Failed(t, reactor.ErrOverflow)
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

func TestParallelFrom(t *testing.T) {
	rails := subscribeRails(context.Background(), ParallelFrom(Range(1, 2), Error[int](errBoom), Empty[int]()), reactor.Unbounded)
	rails[0].Done(t, 1, 2)
	rails[1].Failed(t, errBoom)
	rails[2].Done(t)
}

func TestParallelBadArguments(t *testing.T) {
	p := Parallel(Just(1), 2)
	for want, fn := range map[string]func(){
		"reactor: parallel: number of rails must be positive, got 0":       func() { Parallel(Just(1), 0) },
		"reactor: parallel: prefetch must be positive, got 0":              func() { Parallel(Just(1), 1, Prefetch(0)) },
		"reactor: parallelFrom: number of sources must be positive, got 0": func() { ParallelFrom[int]() },
		"reactor: runOn: the scheduler is nil":                             func() { ParallelRunOn(p, nil) },
		"reactor: sequential: prefetch must be positive, got -1":           func() { ParallelSequential(p, Prefetch(-1)) },
		"reactor: ordered: the comparison is nil":                          func() { ParallelOrdered(p, nil) },
		"reactor: map: the mapper is nil": func() {
			ParallelRails(p, func(r reactor.Publisher[int]) reactor.Publisher[int] { return Map[int, int](r, nil) })
		},
		"reactor: parallelSubscribe: 1 subscribers for 2 rails": func() {
			ParallelSubscribe(context.Background(), p, reactor.Subscriber[int](probeOf[int](0)))
		},
	} {
		assert.PanicsWithValue(t, want, fn)
	}
}

func TestParallelMergesDownstreamPanics(t *testing.T) {
	for name, merge := range map[string]func(ParallelPublisher[int]) reactor.Publisher[int]{
		"sequential": func(p ParallelPublisher[int]) reactor.Publisher[int] { return ParallelSequential(p) },
		"ordered":    func(p ParallelPublisher[int]) reactor.Publisher[int] { return ParallelOrdered(p, cmp.Compare[int]) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			a, b := &puppet[int]{}, &puppet[int]{}
			p := probeOf[int](0)
			fail := func(v int) int {
				if v == 2 {
					panic(errBoom)
				}
				return v
			}
			Map(merge(ParallelFrom[int](a, b)), fail).Subscribe(ctx, p)
			a.last().OnNext(1)
			a.last().OnNext(2)
			b.last().OnNext(3)
			b.last().OnNext(4)
			p.Request(9)
			assert.ErrorIs(t, p.Failure(), errBoom)
			assert.EqualValues(t, 1, a.last().cancels.Load())
			assert.EqualValues(t, 1, b.last().cancels.Load())
			accounted(t, p, hooks, 1, 2, 3, 4)
		})
	}
	// On the short way.
	run(Map(ParallelSequential(Parallel(Range(0, 5), 2)), func(v int) int {
		if v == 2 {
			panic(errBoom)
		}
		return v
	})).Failed(t, errBoom, 0, 1)
}

func TestParallelGroups(t *testing.T) {
	groups := run(ParallelGroups(Parallel(Range(0, 4), 2), func(rail int, p reactor.Publisher[int]) reactor.Publisher[int] {
		return Map(p, func(v int) int { return 100*rail + v })
	})).Got()
	assert.Len(t, groups, 2)
	second := run(groups[1])
	second.Done(t, 100, 101, 102, 103)
	run(groups[0]).Done(t)
	run(groups[0]).Failed(t, reactor.ErrIllegalState)
	run(ParallelGroups(Parallel(Just(1), 2), func(int, reactor.Publisher[int]) int { panic(errBoom) })).Failed(t, errBoom)
}

func TestParallelRaces(t *testing.T) {
	for name, stage := range map[string]func(src elements, h *handScheduler) elements{
		"sequential": func(src elements, h *handScheduler) elements {
			return ParallelSequential(ParallelRunOn(Parallel(src, 2), h))
		},
		"small": func(src elements, h *handScheduler) elements {
			return ParallelSequential(ParallelRunOn(Parallel(src, 2, Prefetch(1)), h, Prefetch(1)), Prefetch(1))
		},
		"ordered": func(src elements, h *handScheduler) elements {
			return ParallelOrdered(ParallelRunOn(Parallel(src, 2), h), func(a, b element) int { return a.Number - b.Number })
		},
	} {
		t.Run(name, func(t *testing.T) { raceStage(t, 60, stage) })
	}
}

func TestParallelSubscribe(t *testing.T) {
	a, b := probeOf[int](reactor.Unbounded), probeOf[int](reactor.Unbounded)
	ParallelSubscribe(t.Context(), Parallel(Range(1, 5), 2), reactor.Subscriber[int](a), b)
	a.Done(t, 1, 3, 5)
	b.Done(t, 2, 4)

	assert.Panics(t, func() { ParallelSubscribe(t.Context(), Parallel(Range(1, 5), 2), reactor.Subscriber[int](a)) }, "one for each rail")
}
