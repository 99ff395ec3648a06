package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// An inner publisher without functions of the user feeds what is below concatMap by itself, if everything is asked for,
// and stops where the stage does.

// feedingAt4 subscribes to source, behind another publisher of the same kind, and calls at4 with the outer source during the
// last element 4.
func feedingAt4(
	t *testing.T, p *probe.Probe[int], source func() reactor.Publisher[int], at4 func(outer *puppet[int]), opts ...ConcatMapOption,
) (outer *puppet[int], hooks *probe.Record) {
	ctx, hooks := probe.Recorded()
	outer = &puppet[int]{}
	n := 0
	p.Each = func(int) {
		if n++; n == 13 {
			at4(outer)
		}
	}
	ConcatMap(outer, func(int) reactor.Publisher[int] { return source() }, opts...).Subscribe(ctx, p)
	for i := range 3 {
		outer.last().OnNext(i)
	}
	return outer, hooks
}

var untilTheSecond4 = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4}

func TestConcatMapFeedingStopsAtACancellation(t *testing.T) {
	for name, source := range takenSources {
		t.Run(name, func(t *testing.T) {
			p := probeOf[int](reactor.Unbounded)
			outer, hooks := feedingAt4(t, p, source, func(*puppet[int]) { p.Cancel() })
			p.Open(t, untilTheSecond4...)
			assert.EqualValues(t, 1, outer.last().cancels.Load())
			switch name {
			case "slice":
				assert.Equal(t, []any{5, 6, 7, 8, 9, 2}, hooks.Discarded)
			default:
				assert.Equal(t, []any{2}, hooks.Discarded, "of the outer source")
			}
		})
	}
}

func TestConcatMapFeedingStopsAtTheFailureOfTheSource(t *testing.T) {
	for name, source := range takenSources {
		t.Run(name, func(t *testing.T) {
			p := probeOf[int](reactor.Unbounded)
			feedingAt4(t, p, source, func(outer *puppet[int]) { outer.last().OnError(errBoom) })
			p.Failed(t, errBoom, untilTheSecond4...)
		})
	}
}

// What downstream throws is no failure of a publisher, which DelayErrors would keep.
func TestConcatMapFeedingFailsDownstream(t *testing.T) {
	for name, source := range takenSources {
		for _, delayed := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				p := probeOf[int](reactor.Unbounded)
				outer, hooks := feedingAt4(t, p, source, func(*puppet[int]) { panic(errBoom) }, DelayErrorsOption(delayed))
				p.Failed(t, errBoom, untilTheSecond4...)
				failedAt4(t, name, outer, hooks)
			})
		}
	}
}

// Kinds in turn, and demand that is bounded at first: what one publisher was told does not count for the next.
func TestConcatMapFeedingOneAfterTheOther(t *testing.T) {
	for _, first := range []int64{reactor.Unbounded, 1, 9, 10, 12} {
		var sources []reactor.Publisher[int]
		var want []int
		for range 3 {
			for _, name := range []string{"range", "map", "slice", "map", "range"} {
				sources = append(sources, takenSources[name]())
				want = append(want, 1, 2, 3, 4, 5, 6, 7, 8, 9)
			}
		}
		p := probeOf[int](first)
		ConcatMap(FromSlice(sources), func(p reactor.Publisher[int]) reactor.Publisher[int] { return p }).Subscribe(t.Context(), p)
		if first != reactor.Unbounded {
			p.Open(t, want[:first]...)
			p.Request(7)
			p.Open(t, want[:first+7]...)
			p.Request(reactor.Unbounded)
		}
		p.Done(t, want...)
	}
}

// A failure of an inner publisher behind one that fed is that publisher's, and continues where failures do.
func TestConcatMapFeedingThenAFailure(t *testing.T) {
	p := probeOf[int](reactor.Unbounded)
	sources := []reactor.Publisher[int]{Range(0, 2), Hide(Error[int](errBoom)), Range(2, 2)}
	ConcatMap(FromSlice(sources), func(p reactor.Publisher[int]) reactor.Publisher[int] { return p }, DelayErrors()).
		Subscribe(t.Context(), p)
	p.Failed(t, errBoom, 0, 1, 2, 3)
}
