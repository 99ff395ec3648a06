package mono

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Retry subscribes again whenever the Mono fails: without end, or within the limits that
// [Times], [WhenIs] and the other filters set.
//
//	m:    --- #  --- 1 |
//	      Retry(Times(1))
//	out:  ---------- 1 |
//
// Demand that an attempt leaves open is asked of the next one. The last error passes. Failures of
// stages downstream are not retried, nor is reactor.ErrGoexit. A panic of a filter ends the stream
// with an error that wraps both the panic and the failure of m. After cancellation m is not
// subscribed again. An m that fails at once is subscribed again in a loop, at constant stack depth,
// on the goroutine on which it failed.
func (m Mono[T]) Retry[M Self[T]](opts ...RetryOption) M {
	return wrap[M](operators.Retry(m.Source(), opts...))
}

// RetryWhen subscribes again after failures as policy decides: a [RetrySpec] such as
// [RetryBackoff], or a companion publisher, see [RetryFrom].
//
//	m:    --- #    --- 1 |
//	      RetryWhen(RetryFixedDelay(3, 5ms))
//	out:  ------------ 1 |
//
// Demand that an attempt leaves open is asked of the next one. Failures of stages downstream
// are not retried, nor is reactor.ErrGoexit. Cancellation ends a delay or a companion that is
// under way; after a cancellation m is not subscribed again. The next attempt starts on the
// goroutine on which m failed or, after a delay, on the scheduler of the policy.
func (m Mono[T]) RetryWhen[M Self[T]](policy RetryPolicy, opts ...RetryWhenOption) M {
	return wrap[M](operators.RetryWhen(m.Source(), policy, opts...))
}

// RepeatWhenEmpty subscribes again as long as m is empty, as policy decides: a [RepeatSpec]
// such as [RepeatTimes], or a companion publisher, see [RepeatFrom].
//
//	m:    - |     - |     --- 1 |
//	      RepeatWhenEmpty(RepeatTimes(9).FixedDelay(5ms))
//	out:  ------------------- 1 |
//
// The first request asks m for its element; m is cancelled when the element has come. An error of m
// passes. Cancellation and goroutines are as with [operators.RepeatWhen].
func (m Mono[T]) RepeatWhenEmpty[M Self[T]](policy RepeatPolicy, opts ...RepeatWhenEmptyOption) M {
	return wrap[M](operators.MonoRepeatWhenEmpty(m.Source(), policy, opts...))
}

// MaxRepeats makes the stream fail instead of subscribing to its source again more than n ≥ 0
// times.
func MaxRepeats(n int) MaxRepeatsOption { return operators.MaxRepeats(n) }

// RetryOption is an option of Retry.
type RetryOption = operators.RetryOption

// Times limits how often a source is subscribed again to n ≥ 0 times; the first subscription does
// not count.
func Times(n int) TimesOption { return operators.Times(n) }

// RetryPolicy is what RetryWhen takes.
type RetryPolicy = operators.RetryPolicy

// RetrySpec is a retry policy: how often, after which errors, and how long to wait in
// between.
//
// It has, see [operators.RetrySpec]:
//
//	MaxAttempts(n int) RetrySpec
//	Filter(when ...ErrorFilter) RetrySpec
//	ModifyFilter(fn func(ErrorFilter) ErrorFilter) RetrySpec
//	TransientErrors(in bool) RetrySpec
//	MinBackoff(d time.Duration) RetrySpec
//	MaxBackoff(d time.Duration) RetrySpec
//	Multiplier(factor float64) RetrySpec
//	Jitter(factor float64) RetrySpec
//	DelayFrom(fn func(err error) (time.Duration, bool)) RetrySpec
//	On(s schedulers.Scheduler) RetrySpec
//	WithContext(ctx context.Context) RetrySpec
//	DoBeforeRetry(fn func(RetrySignal)) RetrySpec
//	DoAfterRetry(fn func(RetrySignal)) RetrySpec
//	DoBeforeRetryAsync[X any, P reactor.Publisher[X]](fn func(RetrySignal) P) RetrySpec
//	DoAfterRetryAsync[X any, P reactor.Publisher[X]](fn func(RetrySignal) P) RetrySpec
//	OnExhausted(fn func(RetrySignal) error) RetrySpec
type RetrySpec = operators.RetrySpec

// RetrySignal describes a failure to a retry policy.
//
// It has, see [operators.RetrySignal]:
//
//	TotalRetries int64
//	TotalRetriesInARow int64
//	Failure error
//	Context context.Context
type RetrySignal = operators.RetrySignal

// RetryMax retries at once, n times in total.
func RetryMax(n int) RetrySpec { return operators.RetryMax(n) }

// RetryMaxInARow retries at once, n times in a row; each element starts the count anew.
func RetryMaxInARow(n int) RetrySpec { return operators.RetryMaxInARow(n) }

// RetryIndefinitely retries at once and without end.
func RetryIndefinitely() RetrySpec { return operators.RetryIndefinitely() }

// RetryFixedDelay retries n times in total, each time after delay. The delay is also the upper
// limit: MinBackoff, Jitter and Multiplier have an effect only after MaxBackoff has raised that
// limit.
func RetryFixedDelay(n int, delay time.Duration) RetrySpec {
	return operators.RetryFixedDelay(n, delay)
}

// RetryBackoff retries n times in total, after delays that begin with first and double each
// time, with a jitter of a half.
func RetryBackoff(n int, first time.Duration) RetrySpec { return operators.RetryBackoff(n, first) }

// RetryFrom makes a retry policy of a companion publisher: fn gets the publisher of failures and
// returns the companion. Each element of the companion, whatever it is, subscribes to the source
// again. An error of the companion ends the Mono with that error, and its completion completes the
// Mono without an element. An element that is a context.Context provides values for the
// subscriptions that follow. The values of earlier such contexts stay visible behind the newer
// ones, so each of these contexts is kept as long as the stream. RetrySignal.Context has these
// values at the next failure; the context of the companion itself, as in SyncSink.Context, never
// has them, unlike in Reactor.
//
// The companion is subscribed before the source, and asked for one element per failure. The
// publisher of failures serves one subscriber, which may ask for as many as it likes.
func RetryFrom[X any, P reactor.Publisher[X]](fn func(failures reactor.Publisher[RetrySignal]) P) RetryPolicy {
	return operators.RetryFrom[X](fn)
}

// RepeatPolicy is what RepeatWhenEmpty takes.
type RepeatPolicy = operators.RepeatPolicy

// RepeatSpec is a repeat policy: how often, under which condition, and how long to wait in
// between.
//
// It has, see [operators.RepeatSpec]:
//
//	OnlyIf(condition func(RepeatSignal) bool) RepeatSpec
//	FixedDelay(d time.Duration) RepeatSpec
//	Jitter(factor float64) RepeatSpec
//	On(s schedulers.Scheduler) RepeatSpec
//	WithContext(ctx context.Context) RepeatSpec
//	DoBeforeRepeat(fn func(RepeatSignal)) RepeatSpec
//	DoAfterRepeat(fn func(RepeatSignal)) RepeatSpec
type RepeatSpec = operators.RepeatSpec

// RepeatSignal describes a completion to a repeat policy.
//
// It has, see [operators.RepeatSignal]:
//
//	Iteration int64
//	Elements int64
//	Backoff time.Duration
//	Context context.Context
type RepeatSignal = operators.RepeatSignal

// RepeatTimes repeats at once, n times.
func RepeatTimes(n int) RepeatSpec { return operators.RepeatTimes(n) }

// RepeatFrom makes a repeat policy of a companion publisher: fn gets a publisher of the numbers 0,
// 1, 2, … of the empty runs and returns the companion. Each element of the companion, whatever it
// is, subscribes to the source again. An error of the companion ends the Mono with that error, and
// its completion completes the Mono without an element. An element that is a context.Context
// provides values for the subscriptions that follow. The values of earlier such contexts stay
// visible behind the newer ones, so each of these contexts is kept as long as the stream. The
// context of the companion itself never has these values, unlike in Reactor.
//
// The companion is subscribed before the source, and asked for one element per completion. The
// publisher of completions serves one subscriber, which may ask for as many as it likes.
func RepeatFrom[X any, P reactor.Publisher[X]](fn func(completions reactor.Publisher[int64]) P) RepeatPolicy {
	return operators.RepeatFrom[X](fn)
}
