package operators

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

const ms = time.Millisecond

func TestRetryMax(t *testing.T) {
	p := run(RetryWhen(failing(1), RetryMax(2)))
	p.assertFailed(t, reactor.ErrRetryExhausted, 1, 1, 1)
	assert.ErrorIs(t, p.failure(), errBoom)
	assert.EqualError(t, p.failure(), "reactor: retryWhen: retries exhausted: 2/2: boom")
	run(RetryWhen(failing(1), RetryMax(5).MaxAttempts(0))).assertFailed(t, reactor.ErrRetryExhausted, 1)
	run(RetryWhen(Just(1), RetryIndefinitely())).assertCompleted(t, 1)
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
	p.assertFailed(t, reactor.ErrRetryExhausted, 2, 4, 6)
	assert.EqualError(t, p.failure(), "reactor: retryWhen: retries exhausted: 2/2 in a row (7 total): boom")
}

func TestRetrySpecFilter(t *testing.T) {
	run(RetryWhen(failing(1), RetryMax(2).Filter(WhenIs(io.EOF)))).assertFailed(t, errBoom, 1)
	run(RetryWhen(failing(1), RetryMax(2).Filter(WhenIs(io.EOF), WhenIs(errBoom)))).assertFailed(t, reactor.ErrRetryExhausted, 1, 1, 1)
	not := func(f ErrorFilter) ErrorFilter { return func(err error) bool { return !f(err) } }
	run(RetryWhen(failing(1), RetryMax(2).ModifyFilter(not))).assertFailed(t, errBoom, 1)
	run(RetryWhen(failing(1), RetryMax(1).Filter(WhenIs(io.EOF)).ModifyFilter(not))).assertFailed(t, reactor.ErrRetryExhausted, 1, 1)
	p := run(RetryWhen(failing(1), RetryMax(2).Filter(WhenError(func(error) bool { panic(errOther) }))))
	p.assertFailed(t, errOther, 1)
	assert.ErrorIs(t, p.failure(), errBoom)
}

func TestRetryOnExhausted(t *testing.T) {
	p := run(RetryWhen(failing(1), RetryMax(1).OnExhausted(func(s RetrySignal) error {
		return fmt.Errorf("after %d: %w", s.TotalRetries, errOther)
	})))
	p.assertFailed(t, errOther, 1, 1)
	assert.EqualError(t, p.failure(), "after 1: other")
	p = run(RetryWhen(failing(1), RetryMax(0).OnExhausted(func(RetrySignal) error { panic(errOther) })))
	p.assertFailed(t, errOther, 1)
	assert.ErrorIs(t, p.failure(), errBoom)
	run(RetryWhen(failing(1), RetryMax(0).OnExhausted(func(RetrySignal) error { return nil }))).assertFailed(t, reactor.ErrNilError, 1)
}

func TestRetryDelays(t *testing.T) {
	clock := &handScheduler{}
	src := &puppet[int]{onSubscription: func(_ int, s *puppetSubscription[int]) { s.OnError(errBoom) }}
	for name, c := range map[string]struct {
		spec RetrySpec
		want []time.Duration
	}{
		"fixed":      {RetryFixedDelay(3, 5*ms), []time.Duration{5 * ms, 5 * ms, 5 * ms}},
		"backoff":    {RetryBackoff(4, 5*ms).Jitter(0), []time.Duration{5 * ms, 10 * ms, 20 * ms, 40 * ms}},
		"limit":      {RetryBackoff(4, 5*ms).Jitter(0).MaxBackoff(12 * ms), []time.Duration{5 * ms, 10 * ms, 12 * ms, 12 * ms}},
		"multiplier": {RetryBackoff(3, 5*ms).Jitter(0).Multiplier(3), []time.Duration{5 * ms, 15 * ms, 45 * ms}},
		"less":       {RetryBackoff(2, 5*ms).Jitter(0).Multiplier(0.1), []time.Duration{5 * ms, 5 * ms}},
		"min":        {RetryMax(2).MinBackoff(7 * ms), []time.Duration{7 * ms, 7 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			src.subs = nil
			p := run(RetryWhen[int](src, c.spec.On(clock)))
			for i, d := range c.want {
				assert.Equal(t, i+1, src.count())
				clock.forward(d - 1)
				assert.Equal(t, i+1, src.count())
				clock.forward(1)
				assert.Equal(t, i+2, src.count())
			}
			p.assertFailed(t, reactor.ErrRetryExhausted)
			assert.Zero(t, clock.pending())
		})
	}
}

// seen is the shortest and the longest delay that the original was seen to wait, of 400 each.
func TestRetryDelaysWithJitterStayInBounds(t *testing.T) {
	backoff := RetryBackoff(9, 100*ms)
	for _, c := range []struct {
		name     string
		spec     RetrySpec
		index    int64
		min, max time.Duration
		seen     [2]time.Duration
	}{
		{"default", backoff, 0, 100 * ms, 150 * ms, [2]time.Duration{100 * ms, 149 * ms}},
		{"default", backoff, 1, 100 * ms, 300 * ms, [2]time.Duration{100 * ms, 299 * ms}},
		{"default", backoff, 2, 200 * ms, 600 * ms, [2]time.Duration{200 * ms, 597 * ms}},
		{"default", backoff, 3, 400 * ms, 1200 * ms, [2]time.Duration{404 * ms, 1199 * ms}},
		{"limit", backoff.MaxBackoff(450 * ms), 2, 200 * ms, 450 * ms, [2]time.Duration{200 * ms, 448 * ms}},
		{"limit", backoff.MaxBackoff(450 * ms), 3, 225 * ms, 450 * ms, [2]time.Duration{225 * ms, 449 * ms}},
		{"all", backoff.Jitter(1), 0, 100 * ms, 200 * ms, [2]time.Duration{100 * ms, 199 * ms}},
		{"all", backoff.Jitter(1), 1, 100 * ms, 400 * ms, [2]time.Duration{101 * ms, 399 * ms}},
		{"all", backoff.Jitter(1), 2, 100 * ms, 800 * ms, [2]time.Duration{102 * ms, 798 * ms}},
		{"little", backoff.Jitter(0.1), 1, 180 * ms, 220 * ms, [2]time.Duration{180 * ms, 219 * ms}},
		{"none", backoff.Jitter(0), 2, 400 * ms, 400 * ms, [2]time.Duration{400 * ms, 400 * ms}},
		{"another minimum", backoff.MinBackoff(50 * ms), 1, 50 * ms, 150 * ms, [2]time.Duration{50 * ms, 149 * ms}},
		{"limit is minimum", backoff.MaxBackoff(100 * ms), 2, 100 * ms, 100 * ms, [2]time.Duration{100 * ms, 100 * ms}},
		{"fixed", RetryFixedDelay(9, 100*ms).Jitter(0.5), 2, 100 * ms, 100 * ms, [2]time.Duration{100 * ms, 100 * ms}},
		{"for ever", RetryBackoff(9, time.Second).Jitter(1), 5000, time.Second, math.MaxInt64, [2]time.Duration{}},
		// The original fails when it is to choose between these two.
		{"limit below minimum", backoff.MaxBackoff(50 * ms), 3, 50 * ms, 50 * ms, [2]time.Duration{}},
	} {
		t.Run(fmt.Sprint(c.name, " ", c.index), func(t *testing.T) {
			if c.seen[1] > 0 {
				assert.GreaterOrEqual(t, c.seen[0], c.min)
				assert.LessOrEqual(t, c.seen[1], c.max)
			}
			var low, high time.Duration = math.MaxInt64, 0
			for range 2000 {
				d := c.spec.delay(c.index)
				low, high = min(low, d), max(high, d)
			}
			near := (c.max - c.min) / 10
			assert.GreaterOrEqual(t, low, c.min)
			assert.LessOrEqual(t, low, c.min+near, "it is random, down to the smallest")
			assert.LessOrEqual(t, high, c.max)
			assert.GreaterOrEqual(t, high, c.max-near, "and up to the largest")
		})
	}
}

func TestRetryCallbacksAndGatesInOrder(t *testing.T) {
	clock := &handScheduler{}
	var log []string
	note := func(name string) func(RetrySignal) {
		return func(s RetrySignal) {
			log = append(log, fmt.Sprintf("%s %d/%d %v", name, s.TotalRetries, s.TotalRetriesInARow, s.Failure))
		}
	}
	before, after := &puppet[int]{}, &puppet[string]{}
	src := &puppet[int]{}
	spec := RetryFixedDelay(2, ms).On(clock).
		DoBeforeRetry(note("before")).
		DoAfterRetry(note("after")).
		DoBeforeRetryAsync[int](func(s RetrySignal) *puppet[int] { note("before async")(s); return before }).
		DoAfterRetryAsync[string](func(s RetrySignal) *puppet[string] { note("after async")(s); return after })
	p := run(RetryWhen[int](src, spec))
	src.last().OnNext(1)
	src.last().OnError(errBoom)
	assert.Equal(t, []string{"before 0/0 boom", "before async 0/0 boom"}, log)
	assert.Equal(t, reactor.Unbounded, before.last().requested.Load())
	clock.forward(5 * ms)
	before.last().OnNext(1)
	before.last().OnComplete()
	assert.Len(t, log, 2)
	clock.forward(ms)
	assert.Equal(t, []string{"after 0/0 boom", "after async 0/0 boom"}, log[2:])
	assert.Equal(t, 1, src.count())
	after.last().OnComplete()
	assert.Equal(t, 2, src.count())
	src.last().OnError(errOther)
	assert.Equal(t, []string{"before 1/1 other", "before async 1/1 other"}, log[4:])
	before.last().OnError(errBoom)
	p.assertFailed(t, errBoom, 1)
}

func TestRetryCallbacksThatFail(t *testing.T) {
	broken := func(RetrySignal) { panic(errOther) }
	run(RetryWhen(failing(1), RetryMax(1).DoBeforeRetry(broken))).assertFailed(t, errOther, 1)
	run(RetryWhen(failing(1), RetryMax(1).DoAfterRetry(broken))).assertFailed(t, errOther, 1)
	run(RetryWhen(failing(1), RetryMax(1).DoAfterRetryAsync[int](func(RetrySignal) reactor.Publisher[int] { panic(errOther) }))).assertFailed(t, errOther, 1)
	run(RetryWhen(failing(1), RetryMax(1).DoAfterRetryAsync[int](func(RetrySignal) reactor.Publisher[int] { return nil }))).assertItems(t, 1)
}

func TestRetrySpecsDoNotShareCallbacks(t *testing.T) {
	var log []string
	note := func(s string) func(RetrySignal) { return func(RetrySignal) { log = append(log, s) } }
	base := RetryMax(1).DoBeforeRetry(note("base"))
	a, b := base.DoBeforeRetry(note("a")), base.DoBeforeRetry(note("b"))
	run(RetryWhen(failing(1), a))
	run(RetryWhen(failing(1), b))
	assert.Equal(t, []string{"base", "a", "base", "b"}, log)
}

func TestRetryContext(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(context.Background(), key{}, "subscription")
	var seen []any
	note := func(s RetrySignal) { seen = append(seen, s.Context.Value(key{})) }
	runWith(ctx, RetryWhen(failing(1), RetryMax(1).DoBeforeRetry(note)))
	own := context.WithValue(context.Background(), key{}, "spec")
	runWith(ctx, RetryWhen(failing(1), RetryMax(1).DoBeforeRetry(note).WithContext(own)))
	assert.Equal(t, []any{"subscription", "spec"}, seen)
}

func TestRetryCancelledDuringTheDelay(t *testing.T) {
	clock := &handScheduler{}
	src := &puppet[int]{}
	p := run(RetryWhen[int](src, RetryFixedDelay(2, ms).On(clock)))
	src.last().OnError(errBoom)
	assert.Equal(t, 1, clock.pending())
	p.cancel()
	assert.Zero(t, clock.pending())
	clock.forward(ms)
	assert.Equal(t, 1, src.count())
	p.assertOpen(t)

	race(t, 1000, func() ([]func(), func()) {
		clock, src := &handScheduler{}, &puppet[int]{}
		p := probeOf[int](1)
		RetryWhen[int](src, RetryFixedDelay(2, ms).On(clock)).Subscribe(quiet(), p)
		first := src.last()
		sides := []func(){
			func() { first.OnError(errBoom); clock.forward(ms) },
			p.cancel,
		}
		return sides, func() {
			clock.forward(ms)
			assert.Zero(t, clock.pending())
			if src.count() == 2 {
				assert.Equal(t, int64(1), src.last().cancels.Load())
			}
			p.assertOpen(t)
		}
	})
}

func TestRetryCancelledDuringAGate(t *testing.T) {
	gate, src := &puppet[int]{}, &puppet[int]{}
	p := run(RetryWhen[int](src, RetryMax(1).DoBeforeRetryAsync[int](func(RetrySignal) *puppet[int] { return gate })))
	src.last().OnError(errBoom)
	p.cancel()
	assert.Equal(t, int64(1), gate.last().cancels.Load())
	gate.last().OnComplete()
	assert.Equal(t, 1, src.count())
}

func TestRetryWithASchedulerThatRefuses(t *testing.T) {
	clock := &handScheduler{}
	clock.refuse(schedulers.ErrUnavailable)
	run(RetryWhen(failing(1), RetryFixedDelay(2, ms).On(clock))).assertFailed(t, reactor.ErrRejected, 1)
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
			p.assertFailed(t, errBoom, 1)
		})
	}
}

func TestRetrySpecArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: retryMax: n must not be negative, got -1", func() { RetryMax(-1) })
	assert.PanicsWithValue(t, "reactor: jitter: the factor must be between 0 and 1, got 1.5", func() { RetryMax(1).Jitter(1.5) })
	assert.PanicsWithValue(t, "reactor: retryWhen: the policy is nil", func() { RetryWhen(Just(1), nil) })
	assert.Panics(t, func() { RetryMax(1).Jitter(math.NaN()) })
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
	run(RetryWhen(failing(1), twice)).assertFailed(t, errOther, 1, 1, 1)
	assert.Len(t, seen, 3)
	assert.Equal(t, errBoom, seen[0].Failure)
	assert.Zero(t, seen[2].TotalRetriesInARow, "each round had an element")

	// The companion completes right behind its last answer: a round that does not wait for
	// anything is over by then.
	run(RetryWhen(failing(1), RetryFrom[int](func(reactor.Publisher[RetrySignal]) reactor.Publisher[int] {
		return FromSlice([]int{1, 2})
	}))).assertCompleted(t, 1, 1, 1)
	run(RetryWhen(failing(1), RetryFrom[int](func(reactor.Publisher[RetrySignal]) reactor.Publisher[int] { return Empty[int]() }))).assertCompleted(t)
	run(RetryWhen(failing(1), RetryFrom[int](func(reactor.Publisher[RetrySignal]) reactor.Publisher[int] { panic(errOther) }))).assertFailed(t, errOther)
	run(RetryWhen(failing(1), RetryFrom[int](func(f reactor.Publisher[RetrySignal]) reactor.Publisher[int] {
		return Map(f, func(RetrySignal) int { panic(errOther) })
	}))).assertFailed(t, errOther, 1)
}

func TestRetryFromServesOneSubscriber(t *testing.T) {
	policy := RetryFrom[RetrySignal](func(f reactor.Publisher[RetrySignal]) reactor.Publisher[RetrySignal] {
		return FirstWithValue(Filter(f, func(RetrySignal) bool { return false }), f)
	})
	p := run(RetryWhen(failing(1), policy))
	p.assertOpen(t, 1)
	p.cancel()
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
	p.cancel()
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
	p.cancel()
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
	p.assertFailed(t, errOther)
	assert.Equal(t, int64(1), src.last().cancels.Load())
}

// The end of the companion meets elements of the source.
func TestRetryFromRaces(t *testing.T) {
	race(t, 2000, func() ([]func(), func()) {
		ctx, hooks := recordHooks()
		src, companion := &puppet[int]{}, &puppet[int]{}
		p := probeOf[int](reactor.Unbounded)
		RetryWhen[int](src, RetryFrom[int](func(reactor.Publisher[RetrySignal]) *puppet[int] { return companion })).Subscribe(ctx, p)
		sides := []func(){
			func() { src.last().OnNext(1); src.last().OnNext(2) },
			func() { companion.last().OnError(errOther) },
		}
		return sides, func() {
			p.assertFailed(t, errOther, p.got()...)
			assert.Equal(t, 2, len(p.got())+len(hooks.discarded))
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
			p.cancel,
			func() { p.request(1) },
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
	run(RepeatWhen(FromSlice([]int{1, 2}), RepeatTimes(2))).assertCompleted(t, 1, 2, 1, 2, 1, 2)
	run(RepeatWhen(Just(1), RepeatTimes(0))).assertCompleted(t, 1)
	run(RepeatWhen(failing(1), RepeatTimes(2))).assertFailed(t, errBoom, 1)
	run(RepeatWhen(Just(1), RepeatTimes(9).OnlyIf(func(s RepeatSignal) bool { return s.Iteration < 2 }))).assertCompleted(t, 1, 1, 1)
	run(RepeatWhen(Just(1), RepeatTimes(9).OnlyIf(func(RepeatSignal) bool { panic(errBoom) }))).assertFailed(t, errBoom, 1)
	run(RepeatWhen(Just(1), RepeatTimes(9).DoBeforeRepeat(func(RepeatSignal) { panic(errBoom) }))).assertFailed(t, errBoom, 1)
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
	p.assertOpen(t, 1, 2, 1, 2)
	clock.forward(ms)
	p.assertCompleted(t, 1, 2, 1, 2, 1, 2)

	p = run(RepeatWhen(Just(1), RepeatTimes(2).FixedDelay(5*ms).On(clock)))
	p.cancel()
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

func TestRepeatFrom(t *testing.T) {
	var counts []int64
	policy := RepeatFrom[int64](func(completions reactor.Publisher[int64]) reactor.Publisher[int64] {
		return TryMap(completions, func(n int64) (int64, error) {
			if counts = append(counts, n); len(counts) == 3 {
				return 0, errOther
			}
			return n, nil
		})
	})
	run(RepeatWhen(FromSlice([]int{1, 2}), policy)).assertFailed(t, errOther, 1, 2, 1, 2, 1, 2)
	assert.Equal(t, []int64{2, 2, 2}, counts)
	run(RepeatWhen(Just(1), RepeatFrom[int](func(reactor.Publisher[int64]) reactor.Publisher[int] { return Range(0, 2) }))).assertCompleted(t, 1, 1, 1)
	run(RepeatWhen(failing(1), policy)).assertFailed(t, errBoom, 1)
}

func TestMonoRepeatWhenEmpty(t *testing.T) {
	runs := 0
	src := SwitchIfEmpty(Empty[int](), OnErrorResume(Error[int](errBoom), func(error) reactor.Publisher[int] {
		if runs++; runs < 4 {
			return Empty[int]()
		}
		return Just(runs)
	}))
	run(MonoRepeatWhenEmpty(src, RepeatTimes(9))).assertCompleted(t, 4)
	runs = 0
	run(MonoRepeatWhenEmpty(src, RepeatTimes(2))).assertCompleted(t)
	runs = 0
	run(MonoRepeatWhenEmpty(src, RepeatTimes(9), MaxRepeats(3))).assertCompleted(t, 4)
	runs = 0
	p := run(MonoRepeatWhenEmpty(src, RepeatTimes(9), MaxRepeats(2)))
	p.assertFailed(t, reactor.ErrIllegalState)
	assert.EqualError(t, p.failure(), "reactor: repeatWhenEmpty: illegal state: still empty after 2 repetitions")
	assert.Equal(t, 3, runs)
	runs = 0
	var seen []int64
	all := RepeatFrom[int64](func(c reactor.Publisher[int64]) reactor.Publisher[int64] {
		return Map(c, func(n int64) int64 { seen = append(seen, n); return n })
	})
	run(MonoRepeatWhenEmpty(src, all)).assertCompleted(t, 4)
	assert.Equal(t, []int64{0, 1, 2}, seen)
	runs = 0
	run(MonoRepeatWhenEmpty(src, all, MaxRepeats(2))).assertFailed(t, reactor.ErrIllegalState)
	run(MonoRepeatWhenEmpty(Error[int](errBoom), RepeatTimes(2))).assertFailed(t, errBoom)
}

func TestWhenPoliciesAtConstantStackDepth(t *testing.T) {
	rounds := manyRounds() / 4
	old := debug.SetMaxStack(1 << 20)
	defer debug.SetMaxStack(old)
	gate := func(RetrySignal) reactor.Publisher[int] { return Empty[int]() }
	same := func(s reactor.Publisher[RetrySignal]) reactor.Publisher[RetrySignal] {
		return TryMap(s, func(s RetrySignal) (RetrySignal, error) {
			if s.TotalRetries == int64(rounds) {
				return s, errOther
			}
			return s, nil
		})
	}
	for name, src := range map[string]reactor.Publisher[int]{
		"retry":            RetryWhen(Error[int](errBoom), RetryMax(rounds)),
		"retry with gates": RetryWhen(Error[int](errBoom), RetryMax(rounds).DoBeforeRetryAsync[int](gate).DoAfterRetry(func(RetrySignal) {})),
		"retry companion":  RetryWhen(Error[int](errBoom), RetryFrom[RetrySignal](same)),
		"repeat":           RepeatWhen(Empty[int](), RepeatTimes(rounds)),
		"repeat companion": RepeatWhen(Empty[int](), RepeatFrom[int](func(reactor.Publisher[int64]) reactor.Publisher[int] { return Range(0, rounds) })),
	} {
		t.Run(name, func(t *testing.T) {
			p := run(OnErrorComplete(src, WhenError(func(err error) bool {
				return errors.Is(err, errOther) || errors.Is(err, reactor.ErrRetryExhausted)
			})))
			p.assertCompleted(t)
		})
	}
}

func TestNextAndSingle(t *testing.T) {
	run(Next(FromSlice([]int{1, 2}))).assertCompleted(t, 1)
	run(Next(Empty[int]())).assertCompleted(t)
	run(Next(Error[int](errBoom))).assertFailed(t, errBoom)
	run(Map(Next(FromSlice([]int{1, 2})), func(int) int { panic(errBoom) })).assertFailed(t, errBoom)
	run(Single(Just(1))).assertCompleted(t, 1)
	run(Single(Empty[int]())).assertFailed(t, reactor.ErrNoElements)
	run(SingleOrDefault(Empty[int](), 5)).assertCompleted(t, 5)
	run(SingleOrEmpty(Empty[int]())).assertCompleted(t)
	run(Single(failing(1))).assertFailed(t, errBoom)

	ctx, hooks := recordHooks()
	src := &puppet[int]{}
	p := runWith(ctx, Single[int](src))
	src.last().OnNext(1)
	src.last().OnNext(2)
	p.assertFailed(t, reactor.ErrTooManyElements)
	assert.Equal(t, int64(1), src.last().cancels.Load())
	assert.ElementsMatch(t, []any{1, 2}, hooks.discarded)

	race(t, 1000, func() ([]func(), func()) {
		ctx, hooks := recordHooks()
		src := &puppet[int]{}
		p := probeOf[int](1)
		Single[int](src).Subscribe(ctx, p)
		return []func(){func() { src.last().OnNext(1) }, p.cancel}, func() {
			assert.Equal(t, []any{1}, hooks.discarded)
		}
	})
}

func TestRetryDelayFromTheFailure(t *testing.T) {
	wait := errors.New("ask again in 30 ms")
	told := func(err error) (time.Duration, bool) {
		switch {
		case errors.Is(err, wait):
			return 30 * ms, true
		case errors.Is(err, errBoom):
			return -1, true
		}
		return 0, false
	}
	other := errors.New("other")
	for name, c := range map[string]struct {
		spec     RetrySpec
		failures []error
		want     []time.Duration // between the attempts
		end      error
	}{
		"instead of the back-off, which goes on": {
			RetryBackoff(9, ms).Jitter(0).DelayFrom(told), []error{wait, other, wait, other}, []time.Duration{30 * ms, 2 * ms, 30 * ms, 8 * ms}, nil,
		},
		"beyond the limit, without jitter": {
			RetryBackoff(9, ms).MaxBackoff(5 * ms).Jitter(1).DelayFrom(told), []error{wait, wait}, []time.Duration{30 * ms, 30 * ms}, nil,
		},
		"where there was none":    {RetryMax(9).DelayFrom(told), []error{wait, other}, []time.Duration{30 * ms, 0}, nil},
		"none":                    {RetryFixedDelay(9, ms).DelayFrom(told), []error{errBoom}, []time.Duration{0}, nil},
		"not for what is refused": {RetryMax(9).Filter(WhenIs(other)).DelayFrom(told), []error{wait}, nil, wait},
		"not more often":          {RetryMax(1).DelayFrom(told), []error{wait, wait}, []time.Duration{30 * ms}, reactor.ErrRetryExhausted},
		"a panic":                 {RetryMax(9).DelayFrom(func(error) (time.Duration, bool) { panic(errBoom) }), []error{wait}, nil, errBoom},
	} {
		t.Run(name, func(t *testing.T) {
			h := &handScheduler{}
			attempts := 0
			var at []time.Duration
			src := Defer(func(context.Context) reactor.Publisher[int] {
				at = append(at, h.Now().Sub(time.Unix(0, 0)))
				if attempts++; attempts <= len(c.failures) {
					return Error[int](c.failures[attempts-1])
				}
				return Just(7)
			})
			p := run(RetryWhen(src, c.spec.On(h)))
			h.tick(time.Second)
			if c.end == nil {
				p.assertCompleted(t, 7)
			} else {
				p.assertFailed(t, c.end)
			}
			var got []time.Duration
			for i := 1; i < len(at); i++ {
				got = append(got, at[i]-at[i-1])
			}
			assert.Equal(t, c.want, got)
		})
	}
	assert.PanicsWithValue(t, "reactor: delayFrom: the function is nil", func() { RetryMax(1).DelayFrom(nil) })
}
