package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// A synchronous publisher emits all it has while it is subscribed. One without functions of the user in between feeds
// downstream itself, and stops where the stage does.

// takenSources are publishers of 1, 2, 3, … , 9: those that feed by themselves, and one with a function in between.
var takenSources = map[string]func() reactor.Publisher[int]{
	"range": func() reactor.Publisher[int] { return Range(1, 9) },
	"slice": func() reactor.Publisher[int] { return FromSlice([]int{1, 2, 3, 4, 5, 6, 7, 8, 9}) },
	"map":   func() reactor.Publisher[int] { return Map(Range(0, 9), func(v int) int { return v + 1 }) },
}

// besideTaken merges another publisher with a taken one; during the element 4 it calls at4 with the other.
func besideTaken(ctx context.Context, taken reactor.Publisher[int], p *probe.Probe[int], at4 func(other *puppet[int])) (other *puppet[int]) {
	other = &puppet[int]{}
	p.Each = func(v int) {
		if v == 4 {
			at4(other)
		}
	}
	Merge[int](other, taken).Subscribe(ctx, p)
	return other
}

func TestFlatMapTakenStopsAtACancellation(t *testing.T) {
	for name, source := range takenSources {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](reactor.Unbounded)
			other := besideTaken(ctx, source(), p, func(*puppet[int]) { p.Cancel() })
			p.Open(t, 1, 2, 3, 4)
			assert.EqualValues(t, 1, other.last().cancels.Load())
			switch name {
			case "slice":
				assert.Equal(t, []any{5, 6, 7, 8, 9}, hooks.Discarded)
			case "range":
				assert.Empty(t, hooks.Discarded)
			}
		})
	}
}

func TestFlatMapTakenStopsAtTheFailureOfAnother(t *testing.T) {
	for name, source := range takenSources {
		t.Run(name, func(t *testing.T) {
			p := probeOf[int](reactor.Unbounded)
			besideTaken(t.Context(), source(), p, func(other *puppet[int]) { other.last().OnError(errBoom) })
			p.Failed(t, errBoom, 1, 2, 3, 4)
		})
	}
}

func TestFlatMapTakenFailsDownstream(t *testing.T) {
	for name, source := range takenSources {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](reactor.Unbounded)
			other := besideTaken(ctx, source(), p, func(*puppet[int]) { panic(errBoom) })
			p.Failed(t, errBoom, 1, 2, 3, 4)
			failedAt4(t, name, other, hooks)
		})
	}
}

// failedAt4 checks what has become of the rest where downstream has failed with the element 4 of the named one of
// takenSources: other is cancelled, and what its source had in hand was discarded, once.
func failedAt4(t *testing.T, name string, other *puppet[int], hooks *probe.Record) {
	t.Helper()
	assert.EqualValues(t, 1, other.last().cancels.Load())
	inHand := map[string]any{"range": 4, "slice": 4, "map": 3}[name]
	assert.Equal(t, inHand, hooks.Discarded[0])
	assert.Empty(t, hooks.Dropped)
	assert.Empty(t, hooks.Errs)
}

// What downstream throws is no failure of a publisher, which DelayErrors would keep and OnErrorContinue leave out.
func TestFlatMapTakenFailsDownstreamAtOnce(t *testing.T) {
	for name, source := range takenSources {
		t.Run(name, func(t *testing.T) {
			p := probeOf[int](reactor.Unbounded)
			p.Each = func(v int) {
				if v == 4 {
					panic(errBoom)
				}
			}
			calls := 0
			continued := OnErrorContinue(FlatMap(Range(0, 3), func(int) reactor.Publisher[int] {
				calls++
				return source()
			}, DelayErrors()), func(error, any) {})
			continued.Subscribe(t.Context(), p)
			p.Failed(t, errBoom, 1, 2, 3, 4)
			assert.Equal(t, 1, calls)
		})
	}
}

// All kinds in turn: what is used again for the next publisher knows nothing of the one before.
func TestFlatMapTakenOneAfterTheOther(t *testing.T) {
	var sources []reactor.Publisher[int]
	var want []int
	for range 3 {
		for _, name := range []string{"range", "map", "slice", "map", "range"} {
			sources = append(sources, takenSources[name]())
			want = append(want, 1, 2, 3, 4, 5, 6, 7, 8, 9)
		}
	}
	p := probeOf[int](reactor.Unbounded)
	FlatMap(FromSlice(sources), func(p reactor.Publisher[int]) reactor.Publisher[int] { return p }).Subscribe(t.Context(), p)
	p.Done(t, want...)
}

func TestFlatMapTakenStopsBehindAnother(t *testing.T) {
	sources := []reactor.Publisher[int]{takenSources["range"](), takenSources["map"]()}
	p := probeOf[int](reactor.Unbounded)
	n := 0
	p.Each = func(int) {
		if n++; n == 13 {
			p.Cancel()
		}
	}
	FlatMap(FromSlice(sources), func(p reactor.Publisher[int]) reactor.Publisher[int] { return p }).Subscribe(t.Context(), p)
	p.Open(t, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4)
}
