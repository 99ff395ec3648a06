package operators

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// The tests called TestRegression… hold on to bugs that other libraries had: the comment
// names the thread, R# for reactor/reactor-core, X# for ReactiveX/RxJava, G# for
// ReactiveX/RxGo.

// A2, R#2778: concat subscribed to the next source after the cancellation.
func TestRegressionA2(t *testing.T) {
	for name, concat := range map[string]func(a, b *puppet[int]) reactor.Publisher[int]{
		"concat":           func(a, b *puppet[int]) reactor.Publisher[int] { return Concat[int](a, b) },
		"concatDelayError": func(a, b *puppet[int]) reactor.Publisher[int] { return ConcatDelayError[int](a, b) },
		"concatMap": func(a, b *puppet[int]) reactor.Publisher[int] {
			return ConcatMap(Range(0, 2), func(n int) reactor.Publisher[int] { return []*puppet[int]{a, b}[n] })
		},
		"startWith": func(a, b *puppet[int]) reactor.Publisher[int] { return StartWith[int](b, a) },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := &puppet[int]{}, &puppet[int]{}
			p := run(concat(a, b))
			p.Cancel()
			a.last().OnComplete()
			assert.Zero(t, b.count())
			assert.EqualValues(t, 1, a.last().cancels.Load())

			// From within the last element of the source.
			a, b = &puppet[int]{}, &puppet[int]{}
			p = probeOf[int](reactor.Unbounded)
			p.Each = func(int) { p.Cancel() }
			concat(a, b).Subscribe(context.Background(), p)
			a.last().OnNext(1)
			a.last().OnComplete()
			assert.Zero(t, b.count())
		})
	}
}

// A3, R#4399: concat of an array did that too, once in 800,000 cancellations. The look at
// the cancellation and the subscription are two steps, and nothing may be locked while a
// source is subscribed, so a cancellation may come between them. Then the source is
// cancelled before it is asked for anything, and none follows it; and a cancellation that
// is there before the source ends, as seen by the one who ends it, is never overlooked.
// That is what forced yields (the tag chaos) try to break.
func TestRegressionA3(t *testing.T) {
	for name, concat := range map[string]func(...reactor.Publisher[int]) reactor.Publisher[int]{
		"concat": Concat[int], "concatDelayError": ConcatDelayError[int],
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(20_000), func(race func(...func())) {
				var cancelled, late, known atomic.Bool
				first, second, third := &puppet[int]{}, &puppet[int]{}, &puppet[int]{}
				p := run(concat(first, Defer(func(context.Context) reactor.Publisher[int] {
					late.Store(cancelled.Load())
					return second
				}), third))
				race(
					func() { known.Store(cancelled.Load()); first.last().OnComplete() },
					func() { p.Cancel(); cancelled.Store(true) },
				)
				if known.Load() && second.count() > 0 {
					require.Fail(t, "subscribed after the cancellation")
				}
				if second.count() == 0 {
					return
				}
				up := second.last()
				if up.cancels.Load() != 1 || late.Load() && up.requested.Load() != 0 {
					require.Fail(t, "left running, or asked for something")
				}
				up.OnComplete()
				if third.count() > 0 {
					require.Fail(t, "and another one")
				}
			})
		})
	}
}

// A4, R#4398: a subscription that came just after the cancellation was left running, in
// every operator that has several upstreams one after the other.
func TestRegressionA4(t *testing.T) {
	type puppets struct{ src, next, other *puppet[int] }
	complete := func(p puppets) { p.src.last().OnComplete() }
	fail := func(p puppets) { p.src.last().OnError(errBoom) }
	for name, c := range map[string]struct {
		swap  func(puppets)
		stage func(puppets) reactor.Publisher[int]
	}{
		"concat":           {complete, func(p puppets) reactor.Publisher[int] { return Concat[int](p.src, p.next) }},
		"concatDelayError": {fail, func(p puppets) reactor.Publisher[int] { return ConcatDelayError[int](p.src, p.next) }},
		"switchIfEmpty":    {complete, func(p puppets) reactor.Publisher[int] { return SwitchIfEmpty[int](p.src, p.next) }},
		"onErrorResume": {fail, func(p puppets) reactor.Publisher[int] {
			return OnErrorResume(p.src, func(error) *puppet[int] { return p.next })
		}},
		"retry":      {fail, func(p puppets) reactor.Publisher[int] { return Retry(firstThen(p.src, p.next)) }},
		"repeat":     {complete, func(p puppets) reactor.Publisher[int] { return Repeat(firstThen(p.src, p.next)) }},
		"retryWhen":  {fail, func(p puppets) reactor.Publisher[int] { return RetryWhen(firstThen(p.src, p.next), RetryMax(3)) }},
		"repeatWhen": {complete, func(p puppets) reactor.Publisher[int] { return RepeatWhen(firstThen(p.src, p.next), RepeatTimes(3)) }},
		"concatMap": {complete, func(p puppets) reactor.Publisher[int] {
			return ConcatMap(Range(0, 2), func(n int) reactor.Publisher[int] { return []*puppet[int]{p.src, p.next}[n] })
		}},
		"switchMap": {func(p puppets) { p.src.last().OnNext(1) }, func(p puppets) reactor.Publisher[int] {
			return SwitchMap[int, int](p.src, func(int) reactor.Publisher[int] { return p.next })
		}},
		"expand": {func(p puppets) { p.src.last().OnNext(1); p.src.last().OnComplete() }, func(p puppets) reactor.Publisher[int] {
			return Expand[int](p.src, func(int) reactor.Publisher[int] { return p.next })
		}},
		"timeout": {func(p puppets) { p.other.last().OnNext(0) }, func(p puppets) reactor.Publisher[int] {
			return TimeoutFirstFallback[int, int](p.src, p.other, p.next)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
				all := puppets{&puppet[int]{}, &puppet[int]{}, &puppet[int]{}}
				p := probeOf[int](reactor.Unbounded)
				c.stage(all).Subscribe(quiet(), p)
				race(func() { c.swap(all) }, p.Cancel)
				if all.next.count() > 0 {
					require.EqualValues(t, 1, all.next.last().cancels.Load(), "the next upstream is cancelled")
				}
				require.Empty(t, p.Faults())
			})
		})
	}
}

// firstThen subscribes its first subscriber to a, the others to b.
func firstThen(a, b reactor.Publisher[int]) reactor.Publisher[int] {
	var n atomic.Int32
	return Defer(func(context.Context) reactor.Publisher[int] {
		if n.Add(1) == 1 {
			return a
		}
		return b
	})
}

// A5, R#2567: concat with limitRate and a hop to another goroutine counted demand wrongly
// while its sources were swapped; the queue of the hop overflowed.
func TestRegressionA5(t *testing.T) {
	s := newParallel(t, 2)
	var sources []reactor.Publisher[int]
	n := 0
	for i := range 20 {
		sources = append(sources, Range(n, i%4))
		n += i % 4
	}
	for i := range racetest.Iterations(500) {
		got, err := Collect(context.Background(), PublishOn(LimitRate(Concat(sources...), 1+i%5), s, Prefetch(1+i%3)))
		require.NoError(t, err)
		require.Equal(t, numbers(n), got)
	}
}

// A5: the same step many times: whatever meets the swap, the next source is asked for
// what the last one has left open, no more and no less.
func TestRegressionA5Races(t *testing.T) {
	racetest.Repeat(racetest.Iterations(100_000), func(race func(...func())) {
		first, second := &puppet[int]{}, &puppet[int]{}
		p := probeOf[int](3)
		Concat[int](first, second).Subscribe(context.Background(), p)
		up := first.last()
		up.OnNext(1)
		race(
			func() { up.OnNext(2); up.OnComplete() },
			func() { p.Request(2); p.Request(3) },
		)
		if n := second.last().requested.Load(); n != 6 {
			require.EqualValues(t, 6, n)
		}
	})
}
