package flux_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
)

// What takes a slice does what its sister with publishers one by one does.
func TestSlicesOfPublishers(t *testing.T) {
	boom := errors.New("boom")
	tick := func(start, n int) flux.Flux[int] {
		return flux.Range(start, n).DelayElements(time.Duration(start) * time.Millisecond)
	}
	for name, sources := range map[string][]flux.Flux[int]{
		"none":           nil,
		"one":            {flux.Just(1, 2)},
		"several":        {flux.Just(1, 2), flux.Just(3), flux.Just(4, 5, 6)},
		"an empty one":   {flux.Just(1, 2), flux.Empty[int](), flux.Just(3)},
		"a failing one":  {flux.Just(1, 2), flux.Error[int](boom), flux.Just(3)},
		"only one moves": {flux.Never[int](), flux.Error[int](boom), flux.Just(1)},
		"over time":      {tick(3, 3), tick(2, 4), tick(5, 1)},
	} {
		for call, both := range map[string][2]flux.Flux[int]{
			"Merge":           {flux.Merge(asPublishers(sources)...), flux.MergeSlice(sources)},
			"MergeDelayError": {flux.MergeDelayError(asPublishers(sources)...), flux.MergeSlice(sources, flux.DelayErrors())},
			"Concat":          {flux.Concat(asPublishers(sources)...), flux.ConcatSlice(sources)},
			"FirstWithSignal": {flux.FirstWithSignal(asPublishers(sources)...), flux.FirstWithSignalSlice(sources)},
			"FirstWithValue":  {flux.FirstWithValue(asPublishers(sources)...), flux.FirstWithValueSlice(sources)},
		} {
			t.Run(call+" of "+name, func(t *testing.T) {
				reactortest.Bubble(t, func(t *testing.T) {
					assert.Equal(t, outcome(t, both[0]), outcome(t, both[1]))
				})
			})
		}
	}
}

func asPublishers(sources []flux.Flux[int]) (all []reactor.Publisher[int]) {
	for _, s := range sources {
		all = append(all, s)
	}
	return all
}

// outcome runs f for a second and writes down what came, and when.
func outcome(t *testing.T, f flux.Flux[int]) (lines []string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	start := time.Now()
	for v, err := range f.All(ctx) {
		lines = append(lines, fmt.Sprint(time.Since(start), v, err))
	}
	return append(lines, fmt.Sprint(time.Since(start)))
}

// Monos, and publishers of other makers, make slices as well; those that are nil are found at once.
func TestSlicesOfOtherPublishers(t *testing.T) {
	monos := []mono.Mono[int]{mono.Empty[int](), mono.Just(7)}
	got, err := flux.MergeSlice(monos).Collect(t.Context())
	assert.NoError(t, err)
	assert.Equal(t, []int{7}, got)
	got, err = flux.FirstWithValueSlice(monos).Collect(t.Context())
	assert.NoError(t, err)
	assert.Equal(t, []int{7}, got)
	got, err = flux.FirstWithSignalSlice([]reactor.Publisher[int]{flux.Never[int](), monos[1]}).Collect(t.Context())
	assert.NoError(t, err)
	assert.Equal(t, []int{7}, got)
	for name, fn := range map[string]func(){
		"firstWithSignal": func() { _ = flux.FirstWithSignalSlice([]reactor.Publisher[int]{nil}) },
		"firstWithValue":  func() { _ = flux.FirstWithValueSlice([]reactor.Publisher[int]{nil}) },
		"merge":           func() { _ = flux.MergeSlice([]reactor.Publisher[int]{nil}) },
		"concat":          func() { _ = flux.ConcatSlice([]reactor.Publisher[int]{nil}) },
	} {
		func() {
			defer func() { assert.Contains(t, fmt.Sprint(recover()), name) }()
			fn()
		}()
	}
}

func TestParallelTransformAndAs(t *testing.T) {
	calls := 0
	double := func(p flux.ParallelFlux[int]) flux.ParallelFlux[string] {
		calls++
		return p.Map(func(n int) string { return fmt.Sprint(2 * n) })
	}
	rails := flux.Range(1, 4).Parallel(2)
	doubled := rails.Transform(double)
	assert.Equal(t, 1, calls, "at assembly")
	for range 2 {
		got, err := doubled.Sequential().Collect(t.Context())
		assert.NoError(t, err)
		assert.ElementsMatch(t, []string{"2", "4", "6", "8"}, got)
	}
	assert.Equal(t, 1, calls, "and not for each subscription")
	sum, err := rails.As(func(p flux.ParallelFlux[int]) mono.Mono[int] {
		return p.Reduce(func(a, b int) int { return a + b })
	}).Block(t.Context())
	assert.NoError(t, err)
	assert.Equal(t, 10, sum)
	assert.Contains(t, panicOf(func() { rails.Transform[string](nil) }), "reactor: transform: ")
	assert.Contains(t, panicOf(func() { rails.As[int](nil) }), "reactor: as: ")
}

func panicOf(fn func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	fn()
	return ""
}
