package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestLimitRate(t *testing.T) {
	for _, c := range []struct {
		name    string
		opts    []LimitRateOption
		batches []int64 // requests seen after 0, 1, 2, … elements
	}{
		{"usual", nil, []int64{4, 4, 4, 7, 7, 7, 10}},
		{"low tide", []LimitRateOption{LowTide(2)}, []int64{4, 4, 6, 6, 8, 8, 10}},
		{"at the end", []LimitRateOption{LowTide(0)}, []int64{4, 4, 4, 4, 8, 8, 8}},
		{"low above high", []LimitRateOption{LowTide(9)}, []int64{4, 4, 4, 7, 7, 7, 10}},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := &puppet[int]{}
			p := run(LimitRate(src, 4, c.opts...))
			for i, requested := range c.batches {
				assert.Equal(t, requested, src.last().requested.Load(), "after %d", i)
				src.last().OnNext(i)
			}
			p.Open(t, numbers(len(c.batches))...)
		})
	}
}

func TestLimitRateQueues(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := probeOf[int](1)
	LimitRate(src, 4).Subscribe(ctx, p)
	for i := range 6 {
		src.last().OnNext(i)
	}
	p.Open(t, 0)
	assert.EqualValues(t, 1, src.last().cancels.Load(), "more than asked for")
	p.Request(9)
	p.Failed(t, reactor.ErrOverflow, 0, 1, 2, 3, 4)
	assert.Equal(t, []any{5}, hooks.Discarded)

	p = probeOf[int](2)
	LimitRate(src, 4).Subscribe(ctx, p)
	for i := range 4 {
		src.last().OnNext(i)
	}
	src.last().OnError(errBoom)
	p.Open(t, 0, 1)
	p.Request(2)
	p.Failed(t, errBoom, 0, 1, 2, 3)
}

func TestLimitRateBadArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: limitRate: high tide must be positive, got 0", func() { LimitRate(Empty[int](), 0) })
	assert.PanicsWithValue(t, "reactor: limitRate: low tide must not be negative, got -1", func() { LowTide(-1) })
}

func TestLimitRateSynchronousSourceKeepsTheStackFlat(t *testing.T) {
	var pcs [1000]uintptr
	deepest := 0
	p := probeOf[int](1)
	p.Each = func(v int) {
		if v%1000 == 0 {
			deepest = max(deepest, runtime.Callers(0, pcs[:]))
		}
		p.Request(1)
	}
	LimitRate(Range(0, 100_000), 3).Subscribe(context.Background(), p)
	assert.Len(t, p.Got(), 100_000)
	assert.Less(t, deepest, 60)
}

func TestLimitRatePanicDownstream(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	fail := func(v int) int {
		if v == 2 {
			panic(errBoom)
		}
		return v
	}
	// From the queue.
	p := probeOf[int](0)
	Map(LimitRate(src, 4), fail).Subscribe(ctx, p)
	for i := range 4 {
		src.last().OnNext(i)
	}
	p.Request(9)
	p.Failed(t, errBoom, 0, 1)
	src.last().OnNext(4)
	accounted(t, p, hooks, 0, 1, 2, 3, 4)
	assert.EqualValues(t, 1, src.last().cancels.Load())

	// On the short way.
	p = run(Map(LimitRate(Range(0, 5), 4), fail))
	p.Failed(t, errBoom, 0, 1)
}

// A source that calls no function of the user is asked for what there is demand for, and not before.
func TestLimitRateOfASourceThatFeeds(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](2)
	LimitRate(FromSlice(numbers(5)), 2).Subscribe(ctx, p)
	p.Open(t, 0, 1)
	p.Request(1)
	p.Open(t, 0, 1, 2)
	p.Request(9)
	p.Done(t, numbers(5)...)

	p = probeOf[int](1)
	LimitRate(Range(0, 5), 2).Subscribe(ctx, p)
	p.Cancel()
	p.Request(3)
	p.Open(t, 0)
	assert.Empty(t, hooks.Discarded)
}
