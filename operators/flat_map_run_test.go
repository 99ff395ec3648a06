package operators

import (
	"context"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

// A source whose elements need no function, on a worker, takes its turn once for a batch.

// besideRun merges another publisher with the first n numbers, which are computed where they are
// subscribed to. Everything is asked for.
func besideRun(ctx context.Context, n int, p *probe.Probe[int]) (other *puppet[int]) {
	other = &puppet[int]{}
	run := SubscribeOn(Range(0, n), schedulers.Immediate())
	p.Each = beforeEach(p.Each, other)
	MergeSlice([]reactor.Publisher[int]{other, run}, Prefetch(8)).Subscribe(ctx, p)
	return other
}

// beforeEach lets another publisher send its only element, -1, during the element 3.
func beforeEach(fn func(int), other *puppet[int]) func(int) {
	return func(v int) {
		if v == 3 {
			other.last().OnNext(-1)
		}
		if fn != nil {
			fn(v)
		}
	}
}

// What another one has waits for the end of a batch, of six, at which the run has kept its turn for some time.
func TestFlatMapRunLetsOthersInAfterABatch(t *testing.T) {
	for slow, last := range map[int]int{0: 5, 3: 5, 6: 11, 20: 23} {
		synctest.Test(t, func(t *testing.T) {
			p := probeOf[int](reactor.Unbounded)
			p.Each = func(v int) {
				switch v {
				case slow:
					time.Sleep(2 * holdTime)
				case 40:
					p.Cancel()
				}
			}
			other := besideRun(t.Context(), math.MaxInt, p)
			p.Open(t, slices.Concat(numbers(last+1), []int{-1}, numbers(41)[last+1:])...)
			assert.EqualValues(t, 1, other.last().cancels.Load())
		})
	}
}

func TestFlatMapRunLetsOthersInAtItsEnd(t *testing.T) {
	p := probeOf[int](reactor.Unbounded)
	other := besideRun(t.Context(), 5, p)
	p.Open(t, 0, 1, 2, 3, 4, -1)
	other.last().OnNext(-2)
	other.last().OnComplete()
	p.Done(t, 0, 1, 2, 3, 4, -1, -2)
}

// Without demand for everything there is no run: others come in between.
func TestFlatMapRunNeedsDemandForAll(t *testing.T) {
	p := probeOf[int](1 << 20)
	besideRun(t.Context(), 6, p)
	p.Open(t, 0, 1, 2, 3, -1, 4, 5)
}

func TestFlatMapRunIsCancelled(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](reactor.Unbounded)
	p.Each = func(v int) {
		if v == 4 {
			p.Cancel()
		}
	}
	other := besideRun(ctx, math.MaxInt, p)
	p.Open(t, 0, 1, 2, 3, 4)
	assert.EqualValues(t, 1, other.last().cancels.Load())
	assert.ElementsMatch(t, []any{5, -1}, hooks.Discarded) // the run hears of it with the next element
}

func TestFlatMapRunFailsDownstream(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](reactor.Unbounded)
	p.Each = func(v int) {
		if v == 4 {
			panic(errBoom)
		}
	}
	other := besideRun(ctx, math.MaxInt, p)
	p.Failed(t, errBoom, 0, 1, 2, 3, 4)
	assert.EqualValues(t, 1, other.last().cancels.Load())
	assert.Contains(t, hooks.Discarded, any(-1))
}

// Runs on workers of their own: nothing is lost, and each keeps its order.
func TestFlatMapRunsRace(t *testing.T) {
	const n = 200
	for range 100 {
		var sources []reactor.Publisher[int]
		var want []int
		for i := range 3 {
			sources = append(sources, SubscribeOn(Range(i*n, n), schedulers.Parallel()))
			want = append(want, numbers(3 * n)[i*n:(i+1)*n]...)
		}
		var got []int
		last := [3]int{-1, n - 1, 2*n - 1}
		assert.NoError(t, ForEach(t.Context(), MergeSlice(sources, Prefetch(8)), func(v int) {
			assert.Equal(t, last[v/n]+1, v)
			last[v/n] = v
			got = append(got, v)
		}))
		slices.Sort(got)
		assert.Equal(t, want, got)
	}
}
