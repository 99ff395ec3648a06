package operators

import (
	"cmp"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A6, R#2840: concatMap forgot what was queued when an inner publisher failed.
func TestRegressionA6(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, inner := &puppet[int]{}, &puppet[int]{}
	p := runWith(ctx, ConcatMap[int, int](src, func(int) reactor.Publisher[int] { return inner }))
	for i := range 4 {
		src.last().OnNext(i)
	}
	inner.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.Equal(t, []any{1, 2, 3}, hooks.Discarded)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(4)
	p.Cancel()
	assert.Equal(t, []any{1, 2, 3, 4}, hooks.Discarded, "each once")
}

// A8, R#1921 and R#2711: a replay under a consumer that requests in batches stopped asking
// its source.
func TestRegressionA8(t *testing.T) {
	for i := range racetest.Iterations(1000) {
		p := run(FlatMap(Cache(Range(0, 60), History(1+i%7)), func(n int) reactor.Publisher[int] {
			if n%2 == 0 {
				return Just(n)
			}
			return Hide(Just(n))
		}, Concurrency(1+i%5), Prefetch(1+i%3)))
		p.Done(t, numbers(60)...)
	}

	// The slowest subscriber holds the source back; when it leaves the others go on, and
	// when all have left the source goes on by itself.
	shared := Replay(Range(0, 300), History(4))
	slow, fast := probeOf[int](1), probeOf[int](reactor.Unbounded)
	shared.Subscribe(context.Background(), slow)
	shared.Subscribe(context.Background(), fast)
	connectTo(shared)
	assert.False(t, fast.Over())
	slow.Cancel()
	fast.Done(t, numbers(300)...)

	shared = Replay(Range(0, 300), History(4))
	slow = probeOf[int](1)
	shared.Subscribe(context.Background(), slow)
	connectTo(shared)
	slow.Cancel()
	run[int](shared).Done(t, 296, 297, 298, 299)
}

// A11, X#6282: several inner publishers that end in one pass are replaced by as many, also
// when it is their queues that the pass has emptied.
func TestRegressionA11EmptiedInOnePass(t *testing.T) {
	inners, src := &allPuppets[int]{}, &puppet[int]{}
	p := probeOf[int](0)
	FlatMap[int, int](src, inners.fn, Concurrency(3)).Subscribe(context.Background(), p)
	for i := range 3 {
		src.last().OnNext(i)
		inners.at(i).OnNext(i)
		inners.at(i).OnComplete()
	}
	p.Request(10)
	p.Open(t, 0, 1, 2)
	assert.EqualValues(t, 6, src.last().requested.Load())
}

// A12, X#6914: switchMap left the inner publisher running when the outer failed.
func TestRegressionA12(t *testing.T) {
	for name, opts := range map[string][]SwitchMapOption{"direct": nil, "queued": {Prefetch(4)}} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src, inner := &puppet[int]{}, &puppet[int]{}
			p := runWith(ctx, SwitchMap[int, int](src, func(int) reactor.Publisher[int] { return inner }, opts...))
			src.last().OnNext(1)
			src.last().OnError(errBoom)
			p.Failed(t, errBoom)
			assert.EqualValues(t, 1, inner.last().cancels.Load())
			inner.last().OnError(errOther)
			require.Len(t, hooks.Errs, 1)
			assert.ErrorIs(t, hooks.Errs[0].(error), errOther)
		})
	}
}

// A13, R#1958: the queues of an ordered merge were smaller than the prefetch: elements were
// dropped, or all stood still.
func TestRegressionA13(t *testing.T) {
	for prefetch := 1; prefetch <= 9; prefetch++ {
		for name, stage := range map[string]func(a, b reactor.Publisher[int]) reactor.Publisher[int]{
			"mergeComparing": func(a, b reactor.Publisher[int]) reactor.Publisher[int] {
				return MergeComparing(cmp.Compare[int], []reactor.Publisher[int]{a, b}, Prefetch(prefetch))
			},
			"mergeSequential": func(a, b reactor.Publisher[int]) reactor.Publisher[int] {
				return MergeSequential([]reactor.Publisher[int]{a, b}, Prefetch(prefetch))
			},
			"flatMapSequential": func(a, b reactor.Publisher[int]) reactor.Publisher[int] {
				return FlatMapSequential(Range(0, 2), func(n int) reactor.Publisher[int] { return []reactor.Publisher[int]{a, b}[n] }, Prefetch(prefetch))
			},
		} {
			t.Run(fmt.Sprint(name, prefetch), func(t *testing.T) {
				// All that is asked for comes at once, before anything is taken.
				a, b := &puppet[int]{}, &puppet[int]{}
				p := probeOf[int](0)
				stage(a, b).Subscribe(context.Background(), p)
				for i := range prefetch {
					a.last().OnNext(i)
					b.last().OnNext(prefetch + i)
				}
				a.last().OnComplete()
				b.last().OnComplete()
				for range 2 * prefetch {
					p.Request(1)
				}
				p.Done(t, numbers(2*prefetch)...)
				run(stage(Hide(Range(0, 50)), Hide(Range(50, 50)))).Done(t, numbers(100)...)
			})
		}
	}
}

// A14, R#2598: whoever subscribed to all of switchOnFirst after its end waited for ever.
func TestRegressionA14(t *testing.T) {
	for name, end := range map[string]func(*puppetSubscription[int]){
		"complete": func(s *puppetSubscription[int]) { s.OnComplete() },
		"error":    func(s *puppetSubscription[int]) { s.OnError(errBoom) },
	} {
		for _, first := range []bool{true, false} {
			t.Run(fmt.Sprint(name, first), func(t *testing.T) {
				ctx, _ := probe.Recorded()
				src, result := &puppet[int]{}, &puppet[int]{}
				var all reactor.Publisher[int]
				runWith(ctx, SwitchOnFirst[int, int](src, func(_ reactor.Signal[int], rest reactor.Publisher[int]) reactor.Publisher[int] {
					all = rest
					return result
				}))
				if first {
					src.last().OnNext(1)
				}
				end(src.last())
				result.last().OnComplete()
				require.NotNil(t, all)
				assert.True(t, runWith(ctx, all).Over())
			})
		}
	}
}

// A16, R#3184: takeUntilOther cancelled a source that had completed. R#4230: it did not
// cancel it when the other side failed.
func TestRegressionA16(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[int]{}
	p := run(TakeUntilOther[int, int](src, other))
	src.last().OnComplete()
	other.last().OnNext(1)
	other.last().OnComplete()
	p.Cancel()
	p.Done(t)
	assert.Zero(t, src.last().cancels.Load())
	assert.EqualValues(t, 1, other.last().cancels.Load())

	src, other = &puppet[int]{}, &puppet[int]{}
	p = run(TakeUntilOther[int, int](src, other))
	other.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

// A17, X#4751: an eager concatMap did not look at the demand again when an inner publisher
// had ended. X#5608: a bounded queue ignored elements.
func TestRegressionA17(t *testing.T) {
	for _, prefetch := range []int{1, 2, 3, 16} {
		for _, size := range []int{0, 1, 2, 5} {
			p := probeOf[int](1)
			p.Each = func(int) { p.Request(1) }
			FlatMapSequential(Range(0, 20), func(n int) reactor.Publisher[int] {
				return Hide(Range(n*size, size))
			}, Prefetch(prefetch), Concurrency(3)).Subscribe(context.Background(), p)
			p.Done(t, numbers(20*size)...)
		}
	}
	ctx, hooks := probe.Recorded()
	inners := &allPuppets[int]{}
	p := runWith(ctx, FlatMapSequential(Range(0, 2), inners.fn, Prefetch(2)))
	for i := range 3 {
		inners.at(1).OnNext(i)
	}
	p.Failed(t, reactor.ErrOverflow)
	assert.ElementsMatch(t, []any{0, 1, 2}, hooks.Discarded)
}
