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

func hidden(v int) stream { return Hide(Just(v)) }

// askingWithin are stages that ask their source within a pass, or within an element.
var askingWithin = map[string]func(s schedulers.Scheduler, src stream) stream{
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
	"fair bufferTimeout": func(s schedulers.Scheduler, src stream) stream {
		return FlatMapSlice(BufferTimeout(src, 1, time.Hour, FairBackpressure(), On(s)), func(v []int) []int { return v }, Prefetch(1))
	},
	"fair windowTimeout": func(s schedulers.Scheduler, src stream) stream {
		return ConcatMap(WindowTimeout(src, 2, time.Hour, bare[int], FairBackpressure(), On(s)), func(w stream) stream { return Take(w, 0) })
	},
	"groupBy": func(_ schedulers.Scheduler, src stream) stream {
		return FlatMap(GroupBy(src, func(v int) int { return v }, func(_ int, g stream) stream { return Take(g, 1) }, Prefetch(1)), func(g stream) stream { return g })
	},
	"delayElements": func(s schedulers.Scheduler, src stream) stream { return DelayElements(src, 1000, On(s)) },
	"throttle":      func(s schedulers.Scheduler, src stream) stream { return Throttle(src, 1, 1000, Prefetch(1), On(s)) },
}

// exitingAt is a source whose function ends the goroutine in the place of its at-th element.
func exitingAt(at int) stream {
	return FromSeq(func(yield func(int) bool) {
		for i := 1; i < 9; i++ {
			if i == at {
				runtime.Goexit()
			}
			if !yield(i) {
				return
			}
		}
	})
}

// A source that is asked within a pass of a stage, or within an element, and whose function ends the goroutine has told of it by its
// end: that is the error of the stream, and is not reported as dropped besides.
func TestGoexitOfASourceIsReportedOnce(t *testing.T) {
	for name, op := range askingWithin {
		t.Run(name, func(t *testing.T) {
			for at := 2; at <= 3; at++ {
				synctest.Test(t, func(t *testing.T) {
					s, err := schedulers.NewParallel("goexit", 1)
					require.NoError(t, err)
					defer s.Dispose()
					ctx, hooks := probe.Recorded()
					p := probeOf[int](reactor.Unbounded)
					racetest.Aside(func() { op(s, exitingAt(at)).Subscribe(ctx, p) })
					time.Sleep(time.Second)
					synctest.Wait()
					assert.ErrorIs(t, p.Failure(), reactor.ErrGoexit)
					assert.Empty(t, hooks.Errs)
				})
			}
		})
	}
}

// If nobody is there any more who could be told, it is reported as dropped.
func TestGoexitOfASourceThatNobodyGets(t *testing.T) {
	for name, op := range askingWithin {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := schedulers.NewParallel("goexit", 1)
				require.NoError(t, err)
				defer s.Dispose()
				ctx, hooks := probe.Recorded()
				p := probeOf[int](reactor.Unbounded)
				racetest.Aside(func() { MergeSlice([]stream{Never[int](), op(s, exitingAt(2))}, DelayErrors()).Subscribe(ctx, p) })
				time.Sleep(time.Second)
				synctest.Wait()
				p.Cancel()
				synctest.Wait()
				require.Len(t, hooks.Errs, 1)
				assert.ErrorIs(t, hooks.Errs[0].(error), reactor.ErrGoexit)
			})
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
