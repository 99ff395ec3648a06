package operators

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

const ms = time.Millisecond

func TestRetryMax(t *testing.T) {
	p := run(RetryWhen(failing(1), RetryMax(2)))
	p.Failed(t, reactor.ErrRetryExhausted, 1, 1, 1)
	assert.ErrorIs(t, p.Failure(), errBoom)
	assert.EqualError(t, p.Failure(), "reactor: retryWhen: retries exhausted: 2/2: boom")
	run(RetryWhen(failing(1), RetryMax(5).MaxAttempts(0))).Failed(t, reactor.ErrRetryExhausted, 1)
	run(RetryWhen(Just(1), RetryIndefinitely())).Done(t, 1)
}

func TestRetryMaxInARow(t *testing.T) {
	rounds := 0
	// Every other round has an element, up to a point.
	src := OnErrorResume(Error[int](errOther), func(error) reactor.Publisher[int] {
		rounds++
		if rounds%2 == 0 && rounds < 8 {
			return failing(rounds)
		}
		return Error[int](errBoom)
	})
	p := run(RetryWhen(src, RetryMaxInARow(2)))
	p.Failed(t, reactor.ErrRetryExhausted, 2, 4, 6)
	assert.EqualError(t, p.Failure(), "reactor: retryWhen: retries exhausted: 2/2 in a row (7 total): boom")
}

func TestRetryWhenDoesNotCatchWhatFailsDownstream(t *testing.T) {
	for name, policy := range map[string]RetryPolicy{
		"spec":      RetryMax(3),
		"companion": RetryFrom[RetrySignal](func(s reactor.Publisher[RetrySignal]) reactor.Publisher[RetrySignal] { return s }),
	} {
		t.Run(name, func(t *testing.T) {
			p := run(Map(RetryWhen(FromSlice([]int{1, 2, 3}), policy), func(v int) int {
				if v == 2 {
					panic(errBoom)
				}
				return v
			}))
			p.Failed(t, errBoom, 1)
		})
	}
}

// TestRetryWhenPolicies that are one by way of a RetrySpec.
func TestRetryWhenPolicies(t *testing.T) {
	spec := RetryMax(1)
	run(RetryWhen(failing(1), &spec)).Failed(t, reactor.ErrRetryExhausted, 1, 1)
	assert.PanicsWithValue(t, "reactor: retryWhen: the policy is nil", func() { RetryWhen(failing(1), (*RetrySpec)(nil)) })
	assert.PanicsWithValue(t, "reactor: retryWhen: the policy is a struct { operators.RetrySpec }, and neither a RetrySpec nor the result of RetryFrom", func() {
		RetryWhen(failing(1), struct{ RetrySpec }{spec})
	})
}

func TestRetryFrom(t *testing.T) {
	var seen []RetrySignal
	twice := RetryFrom[RetrySignal](func(failures reactor.Publisher[RetrySignal]) reactor.Publisher[RetrySignal] {
		return TryMap(failures, func(s RetrySignal) (RetrySignal, error) {
			seen = append(seen, s)
			if s.TotalRetries == 2 {
				return s, errOther
			}
			return s, nil
		})
	})
	run(RetryWhen(failing(1), twice)).Failed(t, errOther, 1, 1, 1)
	assert.Len(t, seen, 3)
	assert.Equal(t, errBoom, seen[0].Failure)
	assert.Zero(t, seen[2].TotalRetriesInARow, "each round had an element")

	// The companion completes right behind its last answer: a round that does not wait for
	// anything is over by then.
	run(RetryWhen(failing(1), RetryFrom[int](func(reactor.Publisher[RetrySignal]) reactor.Publisher[int] {
		return FromSlice([]int{1, 2})
	}))).Done(t, 1, 1, 1)
	run(RetryWhen(failing(1), RetryFrom[int](func(reactor.Publisher[RetrySignal]) reactor.Publisher[int] { return Empty[int]() }))).Done(t)
	run(RetryWhen(failing(1), RetryFrom[int](func(reactor.Publisher[RetrySignal]) reactor.Publisher[int] { panic(errOther) }))).Failed(t, errOther)
	run(RetryWhen(failing(1), RetryFrom[int](func(f reactor.Publisher[RetrySignal]) reactor.Publisher[int] {
		return Map(f, func(RetrySignal) int { panic(errOther) })
	}))).Failed(t, errOther, 1)
}

func TestRetryFromServesOneSubscriber(t *testing.T) {
	policy := RetryFrom[RetrySignal](func(f reactor.Publisher[RetrySignal]) reactor.Publisher[RetrySignal] {
		return FirstWithValue(Filter(f, func(RetrySignal) bool { return false }), f)
	})
	p := run(RetryWhen(failing(1), policy))
	p.Open(t, 1)
	p.Cancel()
}

func TestRetryFromWithAContext(t *testing.T) {
	type key struct{}
	var seen []any
	src := &puppet[int]{}
	tap := &contextRecorder{src: src, see: func(ctx context.Context) { seen = append(seen, ctx.Value(key{})) }}
	values := context.WithValue(context.Background(), key{}, "new")
	p := runWith[int](context.WithValue(context.Background(), key{}, "old"), RetryWhen[int](tap, RetryFrom[context.Context](
		func(f reactor.Publisher[RetrySignal]) reactor.Publisher[context.Context] {
			return Map(f, func(RetrySignal) context.Context { return values })
		})))
	src.last().OnError(errBoom)
	assert.Equal(t, []any{"old", "new"}, seen)
	p.Cancel()
}

// contextRecorder shows the context of each subscription of src.
type contextRecorder struct {
	src reactor.Publisher[int]
	see func(context.Context)
}

func (c *contextRecorder) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	c.see(ctx)
	c.src.Subscribe(ctx, s)
}

func TestRetryFromCancelled(t *testing.T) {
	src, companion := &puppet[int]{}, &puppet[int]{}
	p := run(RetryWhen[int](src, RetryFrom[int](func(reactor.Publisher[RetrySignal]) *puppet[int] { return companion })))
	p.Cancel()
	assert.Equal(t, int64(1), src.last().cancels.Load())
	assert.Equal(t, int64(1), companion.last().cancels.Load())

	src, companion = &puppet[int]{}, &puppet[int]{}
	p = run(RetryWhen[int](src, RetryFrom[int](func(reactor.Publisher[RetrySignal]) *puppet[int] { return companion })))
	companion.last().OnNext(1)
	assert.Equal(t, 1, src.count(), "nobody asked")
	src.last().OnError(errBoom)
	assert.Equal(t, int64(1), companion.last().requested.Load())
	companion.last().OnNext(1)
	assert.Equal(t, 2, src.count())
	companion.last().OnError(errOther)
	p.Failed(t, errOther)
	assert.Equal(t, int64(1), src.last().cancels.Load())
}

// The end of the companion meets elements of the source.
func TestRetryFromRaces(t *testing.T) {
	race(t, 2000, func() ([]func(), func()) {
		ctx, hooks := probe.Recorded()
		src, companion := &puppet[int]{}, &puppet[int]{}
		p := probeOf[int](reactor.Unbounded)
		RetryWhen[int](src, RetryFrom[int](func(reactor.Publisher[RetrySignal]) *puppet[int] { return companion })).Subscribe(ctx, p)
		sides := []func(){
			func() { src.last().OnNext(1); src.last().OnNext(2) },
			func() { companion.last().OnError(errOther) },
		}
		return sides, func() {
			p.Failed(t, errOther, p.Got()...)
			assert.Equal(t, 2, len(p.Got())+len(hooks.Discarded))
			assert.Equal(t, int64(1), src.last().cancels.Load())
		}
	})
	race(t, 2000, func() ([]func(), func()) {
		src, companion := &puppet[int]{}, &puppet[int]{}
		p := probeOf[int](7)
		RetryWhen[int](src, RetryFrom[int](func(reactor.Publisher[RetrySignal]) *puppet[int] { return companion })).Subscribe(quiet(), p)
		src.last().OnNext(1)
		src.last().OnError(errBoom)
		sides := []func(){
			func() { companion.last().OnNext(1) },
			p.Cancel,
			func() { p.Request(1) },
		}
		return sides, func() {
			if src.count() == 2 {
				assert.Equal(t, int64(1), src.last().cancels.Load())
			}
			assert.Equal(t, int64(1), companion.last().cancels.Load())
		}
	})
}

func TestRepeatTimes(t *testing.T) {
	run(RepeatWhen(FromSlice([]int{1, 2}), RepeatTimes(2))).Done(t, 1, 2, 1, 2, 1, 2)
	run(RepeatWhen(Just(1), RepeatTimes(0))).Done(t, 1)
	run(RepeatWhen(failing(1), RepeatTimes(2))).Failed(t, errBoom, 1)
	run(RepeatWhen(Just(1), RepeatTimes(9).OnlyIf(func(s RepeatSignal) bool { return s.Iteration < 2 }))).Done(t, 1, 1, 1)
	run(RepeatWhen(Just(1), RepeatTimes(9).OnlyIf(func(RepeatSignal) bool { panic(errBoom) }))).Failed(t, errBoom, 1)
	run(RepeatWhen(Just(1), RepeatTimes(9).DoBeforeRepeat(func(RepeatSignal) { panic(errBoom) }))).Failed(t, errBoom, 1)
	assert.PanicsWithValue(t, "reactor: repeatTimes: n must not be negative, got -1", func() { RepeatTimes(-1) })
}

func TestRepeatSpecSignalsAndDelays(t *testing.T) {
	clock := &handScheduler{}
	var log []string
	note := func(name string) func(RepeatSignal) {
		return func(s RepeatSignal) { log = append(log, fmt.Sprint(name, s.Iteration, s.Elements, s.Backoff)) }
	}
	p := run(RepeatWhen(FromSlice([]int{1, 2}), RepeatTimes(2).FixedDelay(5*ms).On(clock).DoBeforeRepeat(note("before")).DoAfterRepeat(note("after"))))
	assert.Equal(t, []string{"before0 2 5ms"}, log)
	clock.forward(5 * ms)
	assert.Equal(t, []string{"after0 2 5ms", "before1 2 5ms"}, log[1:])
	clock.forward(4 * ms)
	p.Open(t, 1, 2, 1, 2)
	clock.forward(ms)
	p.Done(t, 1, 2, 1, 2, 1, 2)

	p = run(RepeatWhen(Just(1), RepeatTimes(2).FixedDelay(5*ms).On(clock)))
	p.Cancel()
	assert.Zero(t, clock.pending())

	var low, high time.Duration = math.MaxInt64, 0
	spec := RepeatTimes(1).FixedDelay(100 * ms).Jitter(0.2)
	for range 2000 {
		d := spec.delay()
		low, high = min(low, d), max(high, d)
	}
	assert.GreaterOrEqual(t, low, 80*ms)
	assert.LessOrEqual(t, high, 120*ms)
	assert.Less(t, low, high)
}

func TestMonoRepeatWhenEmpty(t *testing.T) {
	runs := 0
	src := SwitchIfEmpty(Empty[int](), OnErrorResume(Error[int](errBoom), func(error) reactor.Publisher[int] {
		if runs++; runs < 4 {
			return Empty[int]()
		}
		return Just(runs)
	}))
	run(MonoRepeatWhenEmpty(src, RepeatTimes(9))).Done(t, 4)
	runs = 0
	run(MonoRepeatWhenEmpty(src, RepeatTimes(2))).Done(t)
	runs = 0
	run(MonoRepeatWhenEmpty(src, RepeatTimes(9), MaxRepeats(3))).Done(t, 4)
	runs = 0
	p := run(MonoRepeatWhenEmpty(src, RepeatTimes(9), MaxRepeats(2)))
	p.Failed(t, reactor.ErrIllegalState)
	assert.EqualError(t, p.Failure(), "reactor: repeatWhenEmpty: illegal state: still empty after 2 repetitions")
	assert.Equal(t, 3, runs)
	runs = 0
	var seen []int64
	all := RepeatFrom[int64](func(c reactor.Publisher[int64]) reactor.Publisher[int64] {
		return Map(c, func(n int64) int64 { seen = append(seen, n); return n })
	})
	run(MonoRepeatWhenEmpty(src, all)).Done(t, 4)
	assert.Equal(t, []int64{0, 1, 2}, seen)
	runs = 0
	run(MonoRepeatWhenEmpty(src, all, MaxRepeats(2))).Failed(t, reactor.ErrIllegalState)
	runs, seen = 0, nil
	run(MonoRepeatWhenEmpty(src, all, MaxRepeats(0))).Failed(t, reactor.ErrIllegalState)
	assert.Equal(t, 1, runs, "no repetition, as with a spec")
	assert.Empty(t, seen)
	runs = 0
	run(MonoRepeatWhenEmpty(src, RepeatTimes(9), MaxRepeats(0))).Failed(t, reactor.ErrIllegalState)
	assert.Equal(t, 1, runs)
	run(MonoRepeatWhenEmpty(Error[int](errBoom), RepeatTimes(2))).Failed(t, errBoom)
}
