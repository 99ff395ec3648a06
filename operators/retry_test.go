package operators

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

func TestRetry(t *testing.T) {
	run(Retry(failing(1, 2), Times(2))).Failed(t, errBoom, 1, 2, 1, 2, 1, 2)
	run(Retry(failing(1), Times(0))).Failed(t, errBoom, 1)
	run(Retry(failing(1), Times(5), WhenIs(io.EOF))).Failed(t, errBoom, 1)
	run(Retry(FromSlice([]int{1, 2}))).Done(t, 1, 2)
	left := 3
	run(Retry(TryMap(Just(7), func(v int) (int, error) {
		if left--; left > 0 {
			return 0, errBoom
		}
		return v, nil
	}))).Done(t, 7)
}

func TestRetryDoesNotRepeatGoexit(t *testing.T) {
	p := probeOf[int](reactor.Unbounded)
	runs := 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		Retry(Map(FromSlice([]int{1, 2}), func(v int) int {
			if v == 2 {
				runs++
				runtime.Goexit()
			}
			return v
		})).Subscribe(context.Background(), p)
	}()
	<-done
	p.Failed(t, reactor.ErrGoexit, 1)
	assert.Equal(t, 1, runs)
}

func TestRetrySpecFilter(t *testing.T) {
	run(RetryWhen(failing(1), RetryMax(2).Filter(WhenIs(io.EOF)))).Failed(t, errBoom, 1)
	run(RetryWhen(failing(1), RetryMax(2).Filter(WhenIs(io.EOF), WhenIs(errBoom)))).Failed(t, reactor.ErrRetryExhausted, 1, 1, 1)
	not := func(f ErrorFilter) ErrorFilter { return func(err error) bool { return !f(err) } }
	run(RetryWhen(failing(1), RetryMax(2).ModifyFilter(not))).Failed(t, errBoom, 1)
	run(RetryWhen(failing(1), RetryMax(1).Filter(WhenIs(io.EOF)).ModifyFilter(not))).Failed(t, reactor.ErrRetryExhausted, 1, 1)
	p := run(RetryWhen(failing(1), RetryMax(2).Filter(WhenError(func(error) bool { panic(errOther) }))))
	p.Failed(t, errOther, 1)
	assert.ErrorIs(t, p.Failure(), errBoom)
}

func TestRetryOnExhausted(t *testing.T) {
	p := run(RetryWhen(failing(1), RetryMax(1).OnExhausted(func(s RetrySignal) error {
		return fmt.Errorf("after %d: %w", s.TotalRetries, errOther)
	})))
	p.Failed(t, errOther, 1, 1)
	assert.EqualError(t, p.Failure(), "after 1: other")
	p = run(RetryWhen(failing(1), RetryMax(0).OnExhausted(func(RetrySignal) error { panic(errOther) })))
	p.Failed(t, errOther, 1)
	assert.ErrorIs(t, p.Failure(), errBoom)
	run(RetryWhen(failing(1), RetryMax(0).OnExhausted(func(RetrySignal) error { return nil }))).Failed(t, reactor.ErrNilError, 1)
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
		"negative":   {RetryBackoff(2, 5*ms).Jitter(0).Multiplier(-3), []time.Duration{5 * ms, 5 * ms}},
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
			p.Failed(t, reactor.ErrRetryExhausted)
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
	p.Failed(t, errBoom, 1)
}

func TestRetryCallbacksThatFail(t *testing.T) {
	broken := func(RetrySignal) { panic(errOther) }
	run(RetryWhen(failing(1), RetryMax(1).DoBeforeRetry(broken))).Failed(t, errOther, 1)
	run(RetryWhen(failing(1), RetryMax(1).DoAfterRetry(broken))).Failed(t, errOther, 1)
	run(RetryWhen(failing(1), RetryMax(1).DoAfterRetryAsync[int](func(RetrySignal) reactor.Publisher[int] { panic(errOther) }))).Failed(t, errOther, 1)
	run(RetryWhen(failing(1), RetryMax(1).DoAfterRetryAsync[int](func(RetrySignal) reactor.Publisher[int] { return nil }))).Items(t, 1)
}

// A function around a retry is called because of a failure, which its own failure does not hide. Behind a delay it
// runs on a worker, where the stack tells nothing of the operator.
func TestRetryCallbacksThatFailSayWhatTheyWereCalledFor(t *testing.T) {
	broken := func(RetrySignal) { panic("broken") }
	gate := func(RetrySignal) reactor.Publisher[int] { panic("broken") }
	for name, spec := range map[string]func(RetrySpec) RetrySpec{
		"before":       func(r RetrySpec) RetrySpec { return r.DoBeforeRetry(broken) },
		"after":        func(r RetrySpec) RetrySpec { return r.DoAfterRetry(broken) },
		"before async": func(r RetrySpec) RetrySpec { return r.DoBeforeRetryAsync[int](gate) },
		"after async":  func(r RetrySpec) RetrySpec { return r.DoAfterRetryAsync[int](gate) },
	} {
		for _, delay := range []time.Duration{0, ms} {
			clock := &handScheduler{}
			p := run(RetryWhen(failing(1), spec(RetryFixedDelay(1, delay).On(clock))))
			clock.forward(delay)
			p.Failed(t, errBoom, 1)
			assert.EqualError(t, p.Failure(), "reactor: retryWhen: panic: broken (while handling: boom)", "%s, %v", name, delay)
		}
	}
	clock := &handScheduler{}
	p := run(RepeatWhen(Just(1), RepeatTimes(1).FixedDelay(ms).On(clock).DoAfterRepeat(func(RepeatSignal) { panic("broken") })))
	clock.forward(ms)
	assert.EqualError(t, p.Failure(), "reactor: repeatWhen: panic: broken")
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
	p.Cancel()
	assert.Zero(t, clock.pending())
	clock.forward(ms)
	assert.Equal(t, 1, src.count())
	p.Open(t)

	race(t, 1000, func() ([]func(), func()) {
		clock, src := &handScheduler{}, &puppet[int]{}
		p := probeOf[int](1)
		RetryWhen[int](src, RetryFixedDelay(2, ms).On(clock)).Subscribe(quiet(), p)
		first := src.last()
		sides := []func(){
			func() { first.OnError(errBoom); clock.forward(ms) },
			p.Cancel,
		}
		return sides, func() {
			clock.forward(ms)
			assert.Zero(t, clock.pending())
			if src.count() == 2 {
				assert.Equal(t, int64(1), src.last().cancels.Load())
			}
			p.Open(t)
		}
	})
}

func TestRetryCancelledDuringAGate(t *testing.T) {
	gate, src := &puppet[int]{}, &puppet[int]{}
	p := run(RetryWhen[int](src, RetryMax(1).DoBeforeRetryAsync[int](func(RetrySignal) *puppet[int] { return gate })))
	src.last().OnError(errBoom)
	p.Cancel()
	assert.Equal(t, int64(1), gate.last().cancels.Load())
	gate.last().OnComplete()
	assert.Equal(t, 1, src.count())
}

func TestRetryWithASchedulerThatRefuses(t *testing.T) {
	clock := &handScheduler{}
	clock.refuse(schedulers.ErrUnavailable)
	run(RetryWhen(failing(1), RetryFixedDelay(2, ms).On(clock))).Failed(t, reactor.ErrRejected, 1)
}

func TestRetrySpecArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: retryMax: n must not be negative, got -1", func() { RetryMax(-1) })
	assert.PanicsWithValue(t, "reactor: jitter: the factor must be between 0 and 1, got 1.5", func() { RetryMax(1).Jitter(1.5) })
	assert.PanicsWithValue(t, "reactor: retryWhen: the policy is nil", func() { RetryWhen(Just(1), nil) })
	assert.PanicsWithValue(t, "reactor: jitter: the factor must be between 0 and 1, got NaN", func() { RetryMax(1).Jitter(math.NaN()) })
	for text, factor := range map[string]float64{"NaN": math.NaN(), "+Inf": math.Inf(1), "-Inf": math.Inf(-1)} {
		assert.PanicsWithValue(t, "reactor: multiplier: the factor must be a finite number, got "+text, func() { RetryMax(1).Multiplier(factor) })
	}
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
				p.Done(t, 7)
			} else {
				p.Failed(t, c.end)
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

// After a cancellation nobody is asked, and nobody tries again: the error is reported as dropped.
func TestRetryAfterACancellation(t *testing.T) {
	for name, op := range map[string]func(src stream) stream{
		"retry":  func(src stream) stream { return Retry(src) },
		"a spec": func(src stream) stream { return RetryWhen(src, RetryMax(3)) },
		"another": func(src stream) stream {
			return RetryWhen(src, RetryFrom[RetrySignal](func(f reactor.Publisher[RetrySignal]) reactor.Publisher[RetrySignal] { return f }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src, p := &puppet[int]{}, probeOf[int](9)
			op(src).Subscribe(ctx, p)
			p.Cancel()
			src.last().OnError(errBoom)
			assert.Equal(t, []any{errBoom}, hooks.Errs)
			assert.Equal(t, 1, src.count())
			p.Open(t)
		})
	}
}
