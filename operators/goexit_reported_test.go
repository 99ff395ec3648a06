package operators

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// A source that is asked within a pass of a stage, or within an element, and whose function ends the goroutine has told of it by its
// end: that is the error of the stream, and is not reported as dropped besides.
func TestGoexitOfASourceIsReportedOnce(t *testing.T) {
	hidden := func(v int) stream { return Hide(Just(v)) }
	for name, op := range map[string]func(s schedulers.Scheduler, src stream) stream{
		"delayUntil": func(_ schedulers.Scheduler, src stream) stream {
			return DelayUntil(src, func(int) stream { return Empty[int]() })
		},
		"concatMap": func(_ schedulers.Scheduler, src stream) stream { return ConcatMap(src, hidden, Prefetch(1)) },
		"flatMap":   func(_ schedulers.Scheduler, src stream) stream { return FlatMap(src, hidden, Concurrency(1)) },
		"merge": func(_ schedulers.Scheduler, src stream) stream {
			return MergeSlice([]stream{src, Never[int]()}, Prefetch(1))
		},
		"filterWhen": func(_ schedulers.Scheduler, src stream) stream {
			return FilterWhen(src, func(int) reactor.Publisher[bool] { return Hide(Just(true)) }, Prefetch(1))
		},
		"mergeSequential": func(_ schedulers.Scheduler, src stream) stream {
			return MergeSequential([]stream{src, Never[int]()}, Prefetch(1))
		},
		"zip": func(_ schedulers.Scheduler, src stream) stream {
			return ZipWith(src, Hide(Range(1, 9)), func(v, _ int) int { return v }, Prefetch(1))
		},
		"limitRate": func(_ schedulers.Scheduler, src stream) stream { return LimitRate(src, 1) },
		"flatMapSlice": func(_ schedulers.Scheduler, src stream) stream {
			return FlatMapSlice(src, func(v int) []int { return []int{v} }, Prefetch(1))
		},
		"delayElements": func(s schedulers.Scheduler, src stream) stream { return DelayElements(src, 1000, On(s)) },
		"throttle":      func(s schedulers.Scheduler, src stream) stream { return Throttle(src, 1, 1000, Prefetch(1), On(s)) },
	} {
		t.Run(name, func(t *testing.T) {
			for at := 2; at <= 3; at++ {
				synctest.Test(t, func(t *testing.T) {
					s, err := schedulers.NewParallel("goexit", 1)
					require.NoError(t, err)
					defer s.Dispose()
					ctx, hooks := probe.Recorded()
					p := probeOf[int](reactor.Unbounded)
					src := FromSeq(func(yield func(int) bool) {
						for i := 1; i < 9; i++ {
							if i == at {
								runtime.Goexit()
							}
							if !yield(i) {
								return
							}
						}
					})
					racetest.Aside(func() { op(s, src).Subscribe(ctx, p) })
					time.Sleep(time.Second)
					synctest.Wait()
					assert.ErrorIs(t, p.Failure(), reactor.ErrGoexit)
					assert.Empty(t, hooks.Errs)
				})
			}
		})
	}
}

// Where errors are held back the guards further out hear of the Goexit that a source has told of: the end is that of the
// source alone, whichever comes first.
func TestGoexitIsJoinedWithNothing(t *testing.T) {
	exit := FromSeq(func(yield func(int) bool) {
		if yield(1) {
			runtime.Goexit()
		}
	})
	for name, op := range map[string]func(late *puppet[int]) stream{
		"mergeSequential": func(*puppet[int]) stream { return MergeSequential([]stream{exit, Just(2)}, DelayErrors()) },
		"merge":           func(*puppet[int]) stream { return MergeSlice([]stream{exit, Just(2)}, DelayErrors()) },
		"flatMap": func(*puppet[int]) stream {
			return FlatMap(Range(0, 2), func(int) stream { return exit }, DelayErrors(), Concurrency(1))
		},
		"flatMapSequential": func(*puppet[int]) stream {
			return FlatMapSequential(Range(0, 1), func(int) stream { return exit }, DelayErrors())
		},
		"an error that comes later": func(late *puppet[int]) stream {
			return FlatMap(Range(0, 3), func(int) stream { return MergeSequential([]stream{late, exit}, DelayErrors()) }, DelayErrors())
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](reactor.Unbounded)
			late := &puppet[int]{}
			racetest.Aside(func() { op(late).Subscribe(ctx, p) })
			for _, s := range late.subs {
				s.OnComplete()
			}
			require.Error(t, p.Failure())
			assert.Equal(t, 1, strings.Count(p.Failure().Error(), "Goexit"), p.Failure())
			assert.Empty(t, hooks.Errs)
		})
	}
}

// A cleanup that ends the goroutine keeps nobody from the end.
func TestDistinctCleanupThatEndsTheGoroutine(t *testing.T) {
	for _, src := range []stream{Range(1, 2), Concat(Range(1, 2), Error[int](errBoom))} {
		ctx, hooks := probe.Recorded()
		p := probeOf[int](reactor.Unbounded)
		racetest.Aside(func() {
			DistinctIn(src, func() int { return 0 }, func(int, int) bool { return true }, func(int) { runtime.Goexit() }).Subscribe(ctx, p)
		})
		assert.Equal(t, []int{1, 2}, p.Got())
		assert.True(t, p.Over())
		assert.Len(t, hooks.Errs, 1)
	}
}
