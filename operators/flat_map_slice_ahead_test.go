package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// pair returns two elements for each of a source.
func pair(v int) []int { return []int{v, -v} }

// Behind a source that calls no function, elements come as they do behind any other, whatever is asked for.
func TestFlatMapSliceAsksAhead(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{2, flattenBatch - 1, flattenBatch, flattenBatch + 1, 3*flattenBatch + 5} {
		for _, at := range []int64{1, 3, 64, reactor.Unbounded} {
			for _, src := range []reactor.Publisher[int]{Range(0, n), Hide(Range(0, n))} {
				var want []int
				for i := range n {
					want = append(want, i, -i)
				}
				p := &probe.Probe[int]{Initial: at}
				p.Each = func(int) { p.Request(1) }
				FlatMapSlice(src, pair).Subscribe(ctx, p)
				p.Done(t, want...)
			}
		}
	}
}

// The function is called for what there is demand for, and for one element more.
func TestFlatMapSliceAheadCallsForDemand(t *testing.T) {
	for name, src := range map[string]reactor.Publisher[int]{"ahead": Range(1, 100), "queue": Hide(Range(1, 100))} {
		var called []int
		var up reactor.Subscription
		SubscribeFunc(context.Background(), ConcatMapSlice(src, func(v int) []int { called = append(called, v); return pair(v) }),
			func(int) {}, OnSubscribe(func(s reactor.Subscription) { up = s; s.Request(2) }))
		assert.Equal(t, []int{1, 2}, called, name)
		up.Request(1)
		up.Cancel()
		assert.Equal(t, []int{1, 2}, called, name)
	}
}

// Who is told of discarded elements hears of none that the source need not have sent.
func TestFlatMapSliceAheadDiscardsNothingMore(t *testing.T) {
	ctx, hooks := probe.Recorded()
	var seen []int
	SubscribeFunc(ctx, Take(FlatMapSlice(Range(1, 100), pair), 3), func(v int) { seen = append(seen, v) })
	assert.Equal(t, []int{1, -1, 2}, seen)
	assert.Equal(t, []any{-2}, hooks.Discarded, "the rest of a slice")
}

func TestFlatMapSliceAheadIsCancelledMeanwhile(t *testing.T) {
	for range racetest.Iterations(200) {
		ctx, cancel := context.WithCancel(context.Background())
		over := make(chan error, 1)
		n := 0
		SubscribeFunc(ctx, FlatMapSlice(Range(0, 1<<30), pair), func(int) {
			if n++; n == 3*flattenBatch {
				go cancel()
			}
		}, OnError(func(err error) { over <- err }))
		assert.Equal(t, context.Canceled, <-over)
	}
}
