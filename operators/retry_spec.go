package operators

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/schedulers"
)

// RetrySpec is a retry policy for [RetryWhen]: how often, after which errors, how long to
// wait in between, and what to do before and after the wait. It is a value: each method
// returns a changed copy, so that one spec may be the base of others. [RetryMax],
// [RetryMaxInARow], [RetryIndefinitely], [RetryFixedDelay] and [RetryBackoff] make specs.
type RetrySpec struct {
	max        int64
	transient  bool // count the failures in a row
	filter     ErrorFilter
	min, limit time.Duration // of the delay
	multiplier float64
	jitter     float64
	told       func(error) (time.Duration, bool) // by the failure; nil: nothing
	exhausted  func(RetrySignal) error
	backoffSettings[RetrySignal]
}

func (RetrySpec) retryPolicy() {}

// RetryMax retries at once, n ≥ 0 times in total.
func RetryMax(n int) RetrySpec {
	argument.NotNegative("retryMax", "n", n)
	return RetrySpec{max: count(n), limit: math.MaxInt64}
}

// RetryMaxInARow retries at once, n ≥ 0 times in a row: each element of the source starts
// the count anew.
func RetryMaxInARow(n int) RetrySpec {
	argument.NotNegative("retryMaxInARow", "n", n)
	return RetrySpec{max: count(n), transient: true, limit: math.MaxInt64}
}

// RetryIndefinitely retries at once and without end.
func RetryIndefinitely() RetrySpec { return RetryMax(math.MaxInt) }

// RetryFixedDelay retries n ≥ 0 times in total, each time after delay. The delay is also
// the upper limit: [RetrySpec.MinBackoff], Jitter and Multiplier have an effect only after
// [RetrySpec.MaxBackoff] has raised that limit.
func RetryFixedDelay(n int, delay time.Duration) RetrySpec {
	argument.NotNegative("retryFixedDelay", "n", n)
	argument.NotNegative("retryFixedDelay", "delay", delay)
	return RetrySpec{max: count(n), min: delay, limit: delay, multiplier: 1}
}

// RetryBackoff retries n ≥ 0 times in total, after delays that begin with first and double
// each time. The delays have a jitter of 0.5, see [RetrySpec.Jitter], and no upper limit,
// see [RetrySpec.MaxBackoff].
func RetryBackoff(n int, first time.Duration) RetrySpec {
	argument.NotNegative("retryBackoff", "n", n)
	argument.NotNegative("retryBackoff", "first", first)
	return RetrySpec{max: count(n), min: first, limit: math.MaxInt64, multiplier: 2, jitter: 0.5}
}

// MaxAttempts changes the number of retries to n ≥ 0.
func (r RetrySpec) MaxAttempts(n int) RetrySpec {
	argument.NotNegative("maxAttempts", "n", n)
	r.max = count(n)
	return r
}

// Filter retries only errors that one of the filters accepts; other errors end the
// stream. It replaces the filters set before. Without filters every error is retried.
func (r RetrySpec) Filter(when ...ErrorFilter) RetrySpec {
	r.filter = anyFilter("filter", when)
	return r
}

// ModifyFilter replaces the filter by the one that fn makes of it.
func (r RetrySpec) ModifyFilter(fn func(ErrorFilter) ErrorFilter) RetrySpec {
	argument.Given("modifyFilter", "function", fn != nil)
	old := r.filter
	if old == nil {
		old = func(error) bool { return true }
	}
	r.filter = fn(old)
	argument.NotNil("modifyFilter", "error filter", r.filter)
	return r
}

// TransientErrors makes the spec count failures in a row if in is true: each element of
// the source starts the number of attempts and the delays anew. If in is false, the
// spec counts all failures.
func (r RetrySpec) TransientErrors(in bool) RetrySpec {
	r.transient = in
	return r
}

// MinBackoff changes the first, and smallest, delay.
func (r RetrySpec) MinBackoff(d time.Duration) RetrySpec {
	argument.NotNegative("minBackoff", "delay", d)
	r.min = d
	return r
}

// MaxBackoff limits the delays.
func (r RetrySpec) MaxBackoff(d time.Duration) RetrySpec {
	argument.NotNegative("maxBackoff", "delay", d)
	r.limit = d
	return r
}

// Multiplier sets the factor between a delay and the next one, a finite number; a factor
// less than 1 counts as 1.
func (r RetrySpec) Multiplier(factor float64) RetrySpec {
	// Delays that are no number would be taken for the largest there may be, 292 years as a rule.
	if math.IsNaN(factor) || math.IsInf(factor, 0) {
		panic(fmt.Sprintf("reactor: multiplier: the factor must be a finite number, got %v", factor))
	}
	r.multiplier = factor
	return r
}

// Jitter makes each delay d random, between d - factor·d and d + factor·d, within the
// smallest and largest delay; 0 ≤ factor ≤ 1.
func (r RetrySpec) Jitter(factor float64) RetrySpec {
	r.jitter = jitter(factor)
	return r
}

// DelayFrom takes the delay from the failure: fn returns it, and it replaces the computed
// delay. Where fn reports false, the computed delay stays, so that a back-off goes on
// beside it. It is for servers that say when to ask again:
//
//	RetryBackoff(5, 100*time.Millisecond).DelayFrom(httpstream.RetryAfter)
//
// Neither MaxBackoff nor Jitter changes the delay that fn returns; a delay ≤ 0 means at
// once. fn is called only for failures that are retried. A panic of fn ends the stream.
func (r RetrySpec) DelayFrom(fn func(err error) (time.Duration, bool)) RetrySpec {
	argument.Given("delayFrom", "function", fn != nil)
	r.told = fn
	return r
}

// On makes the delays run on s. The default is schedulers.Parallel().
func (r RetrySpec) On(s schedulers.Scheduler) RetrySpec {
	argument.NotNil("on", "scheduler", s)
	r.clock = foreign.Scheduler(s)
	return r
}

// WithContext sets the context that the callbacks find in [RetrySignal].
func (r RetrySpec) WithContext(ctx context.Context) RetrySpec {
	argument.NotNil("withContext", "context", ctx)
	r.ctx = ctx
	return r
}

// DoBeforeRetry calls fn before the delay of each retry, after the functions added before.
// A panic of fn ends the stream.
func (r RetrySpec) DoBeforeRetry(fn func(RetrySignal)) RetrySpec {
	argument.Given("doBeforeRetry", "callback", fn != nil)
	r.before = append(slices.Clip(r.before), fn)
	return r
}

// DoAfterRetry calls fn after the delay of each retry, right before the source is
// subscribed. A panic of fn ends the stream.
func (r RetrySpec) DoAfterRetry(fn func(RetrySignal)) RetrySpec {
	argument.Given("doAfterRetry", "callback", fn != nil)
	r.after = append(slices.Clip(r.after), fn)
	return r
}

// DoBeforeRetryAsync holds each retry up, before its delay, until the publisher that fn
// returns has completed. The elements of that publisher are discarded, and its error ends
// the stream. A cancellation reaches it.
func (r RetrySpec) DoBeforeRetryAsync[X any, P reactor.Publisher[X]](fn func(RetrySignal) P) RetrySpec {
	argument.Given("doBeforeRetryAsync", "function", fn != nil)
	r.beforeGates = append(slices.Clip(r.beforeGates), retryGate[X](fn))
	return r
}

// DoAfterRetryAsync is [RetrySpec.DoBeforeRetryAsync], but holds each retry up after
// its delay.
func (r RetrySpec) DoAfterRetryAsync[X any, P reactor.Publisher[X]](fn func(RetrySignal) P) RetrySpec {
	argument.Given("doAfterRetryAsync", "function", fn != nil)
	r.afterGates = append(slices.Clip(r.afterGates), retryGate[X](fn))
	return r
}

func retryGate[X any, P reactor.Publisher[X]](fn func(RetrySignal) P) func(RetrySignal) reactor.Publisher[struct{}] {
	return func(s RetrySignal) reactor.Publisher[struct{}] { return ignored[X, struct{}]("retryWhen", fn(s)) }
}

// OnExhausted sets the function that makes the error with which the stream ends when no
// retries are left. By default that error matches reactor.ErrRetryExhausted and wraps the
// failure.
func (r RetrySpec) OnExhausted(fn func(RetrySignal) error) RetrySpec {
	argument.Given("onExhausted", "function", fn != nil)
	r.exhausted = fn
	return r
}

// decide returns the delay before the next attempt. If it reports false, there is no
// further attempt, and it has called fail with the error to end with. If a function has
// failed, the guard calls fail, because nothing runs after the guard if the function has
// ended the goroutine.
func (r *RetrySpec) decide(ctx context.Context, s RetrySignal, fail func(error)) (delay time.Duration, again bool) {
	if !r.filter.accepts(ctx, s.Failure, fail) {
		return 0, false
	}
	index := s.TotalRetries
	if r.transient {
		index = s.TotalRetriesInARow
	}
	if index < r.max {
		return r.delayAfter(ctx, s.Failure, index, fail)
	}
	if r.exhausted == nil {
		detail := fmt.Sprintf("%d/%d", index, r.max)
		if r.transient {
			detail += fmt.Sprintf(" in a row (%d total)", s.TotalRetries)
		}
		fail(&reactor.OpError{Op: "retryWhen", Kind: reactor.ErrRetryExhausted, Detail: detail, Cause: s.Failure})
		return 0, false
	}
	var err error
	if failure.Guard(func() { err = reactor.NonNil(r.exhausted(s)) }, func(broken error) {
		fail(whileHandling(ctx, broken, s.Failure))
	}) {
		fail(err)
	}
	return 0, false
}

// delayAfter returns the delay that the failure says or, if it says none, the one before
// the retry with the given index; fail is as in decide.
func (r *RetrySpec) delayAfter(ctx context.Context, failed error, index int64, fail func(error)) (d time.Duration, again bool) {
	told := false
	if r.told != nil && !failure.Guard(
		func() { d, told = r.told(failed) },
		func(broken error) { fail(whileHandling(ctx, broken, failed)) },
	) {
		return 0, false
	}
	if !told {
		d = r.delay(index)
	}
	return d, true
}

// delay returns the delay before the retry with the given index.
func (r *RetrySpec) delay(index int64) time.Duration {
	if r.min <= 0 {
		return 0
	}
	next := r.limit
	if f := float64(r.min) * math.Pow(max(r.multiplier, 1), float64(index)); f < float64(next) {
		next = time.Duration(f)
	}
	spread := time.Duration(float64(next) * r.jitter)
	if spread < 0 { // beyond what a duration holds
		spread = next
	}
	low, high := max(r.min-next, -spread), min(r.limit-next, spread)
	if high <= low {
		return next
	}
	return next + low + time.Duration(rand.Int64N(int64(high-low)))
}
