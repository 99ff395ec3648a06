package flux

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// Retry runs the stream again whenever it fails: without end, or within the limits that
// [Times], [WhenIs] and the other filters set.
//
//	f:    1 --- #  1 --- 2 |
//	      Retry(Times(1))
//	out:  1 ------ 1 --- 2 |
//
// Demand that an attempt leaves open is asked of the next one. The last error passes. Failures of
// stages downstream are not retried, nor is reactor.ErrGoexit. A panic of a filter ends the stream
// with an error that wraps both the panic and the failure of f. After cancellation f is not
// subscribed again. An f that fails at once is subscribed again in a loop, at constant stack depth,
// on the goroutine on which it failed.
func (f Flux[T]) Retry[F Self[T]](opts ...RetryOption) F {
	return wrap[F](operators.Retry(f.Source(), opts...))
}

// Repeat runs the stream again whenever it completes: without end, or within the limits that
// [Times] and [While] set.
//
//	f:    1 --- 2 | 1 --- 2 |
//	      Repeat(Times(1))
//	out:  1 --- 2 - 1 --- 2 |
//
// Times counts the repetitions, not the first subscription: Times(1) runs f twice. Demand that a
// round leaves open is asked of the next one. An empty f that is repeated without end runs for
// ever, whatever the demand. An error of f passes, and a panic of the condition ends the stream.
// After cancellation f is not subscribed again. An f that completes at once is subscribed again in
// a loop, at constant stack depth, on the goroutine on which it completed.
func (f Flux[T]) Repeat[F Self[T]](opts ...RepeatOption) F {
	return wrap[F](operators.Repeat(f.Source(), opts...))
}

// RetryWhen runs the stream again after its failures as policy decides: a [RetrySpec] such as
// [RetryBackoff], or a companion stream, see [RetryFrom].
//
//	f:    1 --- #      1 --- 2 |
//	      RetryWhen(RetryFixedDelay(3, 5ms))
//	out:  1 ---------- 1 --- 2 |
//
// Demand that an attempt leaves open is asked of the next one. Failures of stages downstream
// are not retried, nor is reactor.ErrGoexit. Cancellation ends a delay or a companion that is
// under way; after a cancellation f is not subscribed again. The next attempt starts on the
// goroutine on which f failed or, after a delay, on the scheduler of the policy.
func (f Flux[T]) RetryWhen[F Self[T]](policy RetryPolicy, opts ...RetryWhenOption) F {
	return wrap[F](operators.RetryWhen(f.Source(), policy, opts...))
}

// RepeatWhen runs the stream again after its completions as policy decides: a [RepeatSpec] such
// as [RepeatTimes], or a companion stream, see [RepeatFrom].
//
//	f:    1 --- 2 |       1 --- 2 |
//	      RepeatWhen(RepeatTimes(1).FixedDelay(5ms))
//	out:  1 --- 2 ------- 1 --- 2 |
//
// Demand that a round leaves open is asked of the next one. An error of f passes. Cancellation
// ends a delay or a companion that is under way; after a cancellation f is not subscribed again.
// The next round starts on the goroutine on which f completed or, after a delay, on the
// scheduler of the policy.
func (f Flux[T]) RepeatWhen[F Self[T]](policy RepeatPolicy, opts ...RepeatWhenOption) F {
	return wrap[F](operators.RepeatWhen(f.Source(), policy, opts...))
}

// RetryOption is an option of Retry.
type RetryOption = operators.RetryOption

// RepeatOption is an option of Repeat.
type RepeatOption = operators.RepeatOption

// Times limits how often a source is subscribed again to n ≥ 0 times; the first subscription does
// not count.
func Times(n int) TimesOption { return operators.Times(n) }

// While makes Repeat ask condition before each further round.
func While(condition func() bool) WhileOption { return operators.While(condition) }

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

// RetryFrom makes a retry policy of a companion stream: fn gets the stream of failures and returns
// the companion. Each element of the companion, whatever it is, subscribes to the source again. An
// error of the companion ends the stream with that error, and its completion completes the stream.
// An element that is a context.Context provides values for the subscriptions that follow. The
// values of earlier such contexts stay visible behind the newer ones, so each of these contexts is
// kept as long as the stream. RetrySignal.Context has these values at the next failure; the context
// of the companion itself, as in SyncSink.Context, never has them, unlike in Reactor.
//
// The companion is subscribed before the source, and asked for one element per failure. The
// publisher of failures serves one subscriber, which may ask for as many as it likes.
func RetryFrom[X any, P reactor.Publisher[X]](fn func(failures Flux[RetrySignal]) P) RetryPolicy {
	argument.Given("retryFrom", "function", fn != nil)
	return operators.RetryFrom[X](func(failures reactor.Publisher[RetrySignal]) P { return fn(Flux[RetrySignal]{failures}) })
}

// RepeatPolicy is what RepeatWhen takes.
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

// RepeatFrom makes a repeat policy of a companion stream: fn gets a stream that emits, for each
// completion, how many elements the round had, and returns the companion. Each element of the
// companion, whatever it is, subscribes to the source again. An error of the companion ends the
// stream with that error, and its completion completes the stream. An element that is a
// context.Context provides values for the subscriptions that follow. The values of earlier such
// contexts stay visible behind the newer ones, so each of these contexts is kept as long as the
// stream. The context of the companion itself never has these values, unlike in Reactor.
//
// The companion is subscribed before the source, and asked for one element per completion. The
// publisher of completions serves one subscriber, which may ask for as many as it likes.
func RepeatFrom[X any, P reactor.Publisher[X]](fn func(completions Flux[int64]) P) RepeatPolicy {
	argument.Given("repeatFrom", "function", fn != nil)
	return operators.RepeatFrom[X](func(completions reactor.Publisher[int64]) P { return fn(Flux[int64]{completions}) })
}
