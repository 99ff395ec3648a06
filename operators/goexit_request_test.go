package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// What hears of a request that a stage makes in the midst of an element ends the goroutine: the stage is not left taken for
// ever, so that downstream hears of an end.
func TestGoexitInARequest(t *testing.T) {
	hidden := func(v int) stream { return Hide(Just(v)) }
	two := func(src stream) []stream { return []stream{src, Never[int]()} }
	for name, op := range map[string]func(src stream) stream{
		"limitRate":       func(src stream) stream { return LimitRate(src, 2) },
		"merge":           func(src stream) stream { return MergeSlice(two(src), Prefetch(2)) },
		"mergeSequential": func(src stream) stream { return MergeSequential(two(src), Prefetch(2)) },
		"flatMap":         func(src stream) stream { return FlatMap(src, hidden, Concurrency(2)) },
		"flatMap scalar":  func(src stream) stream { return FlatMap(src, Just[int], Concurrency(2)) },
		"flatMap callable": func(src stream) stream {
			return FlatMap(src, func(v int) stream { return FromSupplier(func() int { return v }) }, Concurrency(2))
		},
		"flatMapSequential": func(src stream) stream { return FlatMapSequential(src, hidden, Concurrency(2)) },
		"rails": func(src stream) stream {
			return ParallelSequential(ParallelRails(Parallel(Never[int](), 2), func(stream) stream { return src }), Prefetch(2))
		},
		"concatMap":  func(src stream) stream { return ConcatMap(src, hidden, Prefetch(2)) },
		"delayUntil": func(src stream) stream { return DelayUntil(src, func(int) stream { return Empty[int]() }) },
		"groupBy": func(src stream) stream {
			groups := GroupBy(src, mod(2), newKeyed[int, int], Prefetch(2))
			return FlatMap(groups, func(g keyed[int, int]) stream { return g.Publisher })
		},
		"zip": func(src stream) stream {
			return Zip([]stream{src, Hide(Range(1, 9))}, func(v []int) int { return v[0] }, Prefetch(2))
		},
	} {
		t.Run(name, func(t *testing.T) {
			for at := 2; at <= 4; at++ {
				ctx, _ := probe.Recorded()
				p := probeOf[int](1)
				p.Each = func(int) { p.Request(1) }
				requests := 0
				src := DoOnRequest(Concat(Hide(Range(1, 20)), Never[int]()), func(int64) {
					if requests++; requests == at {
						runtime.Goexit()
					}
				})
				racetest.Aside(func() { op(src).Subscribe(ctx, p) })
				assert.GreaterOrEqual(t, requests, at)
				assert.True(t, p.Over(), "the subscriber waits for ever")
				assert.ErrorIs(t, p.Failure(), reactor.ErrGoexit)
			}
		})
	}
}
