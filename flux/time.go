package flux

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// TimedOf is satisfied by reactor.Timed[T] alone; see [Self] for why it exists.
type TimedOf[T any] interface{ reactor.Timed[T] }

// Timeout fails with reactor.ErrTimeout when the first or the next element has
// not come within d.
//
// See [operators.Timeout] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) Timeout[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.Timeout(f.Source(), d, opts...))
}

// TimeoutFallback goes on with fallback when the first or the next element has
// not come within d.
//
// See [operators.TimeoutFallback].
func (f Flux[T]) TimeoutFallback[F Self[T]](d time.Duration, fallback reactor.Publisher[T], opts ...SchedulerOption) F {
	return wrap[F](operators.TimeoutFallback(f.Source(), d, fallback, opts...))
}

// TimeoutFirst fails with reactor.ErrTimeout when first emits or completes before
// the first element has come.
//
// See [operators.TimeoutFirst].
func (f Flux[T]) TimeoutFirst[U any, P reactor.Publisher[U]](first P) Flux[T] {
	return Flux[T]{operators.TimeoutFirst(f.Source(), source[U](first))}
}

// TimeoutWhen fails with reactor.ErrTimeout when first emits or completes before
// the first element has come, or the publisher that each returns for an element
// before the next one has come.
//
// See [operators.TimeoutWhen].
func (f Flux[T]) TimeoutWhen[U, V any, P reactor.Publisher[U], Q reactor.Publisher[V]](first P, each func(T) Q) Flux[T] {
	return Flux[T]{operators.TimeoutWhen(f.Source(), source[U](first), publishers[V]("timeout", each))}
}

// TimeoutWhenFallback is [Flux.TimeoutWhen] that goes on with fallback instead of
// failing.
//
// See [operators.TimeoutWhenFallback].
func (f Flux[T]) TimeoutWhenFallback[U, V any, P reactor.Publisher[U], Q reactor.Publisher[V]](first P, each func(T) Q, fallback reactor.Publisher[T]) Flux[T] {
	return Flux[T]{operators.TimeoutWhenFallback(f.Source(), source[U](first), publishers[V]("timeout", each), fallback)}
}

// DelayElements holds each element back for d after the one before.
//
// See [operators.DelayElements] for demand, errors, cancellation and the
// goroutine.
func (f Flux[T]) DelayElements[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.DelayElements(f.Source(), d, opts...))
}

// DelayUntil holds each element back until the publisher that fn returns for it
// completes.
//
// See [operators.DelayUntil] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) DelayUntil[U any, P reactor.Publisher[U]](fn func(T) P) Flux[T] {
	return Flux[T]{operators.DelayUntil(f.Source(), publishers[U]("delayUntil", fn))}
}

// DelaySequence delivers everything d later, with the distances kept.
//
// See [operators.DelaySequence] for demand, errors, cancellation and the
// goroutine.
func (f Flux[T]) DelaySequence[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.DelaySequence(f.Source(), d, opts...))
}

// ThrottleOption is an option of [Flux.Throttle]: [Burst], [Prefetch] or [On].
type ThrottleOption = operators.ThrottleOption

// Burst lets n > 0 elements come at once when none has come for long enough.
func Burst(n int) ThrottleOption { return operators.Burst(n) }

// Throttle emits n elements per interval at most, evenly spaced, the first one at
// once. Nothing is dropped, and time in which nothing was emitted is not made up
// for, or only by [Burst] elements: a rate limit.
//
//		src:  1 2 3 ------------------- 4 5 |
//		      Throttle(1, 4 steps)
//		out:  1 ---- 2 ---- 3 --------- 4 ---- 5 |
//
//	  - Demand: the source is asked for 32 elements ([Prefetch]), and for more as they
//	    are delivered, however large the demand is.
//	  - Errors wait until everything received before was delivered.
//	  - Cancelling discards what waits and stops the timer.
//	  - Goroutine: one worker of schedulers.Parallel(), or see [On].
//
// [Flux.LimitRate] is about demand, not about time. See [operators.Throttle] for what
// happens when timers fire late.
func (f Flux[T]) Throttle[F Self[T]](n int, interval time.Duration, opts ...ThrottleOption) F {
	return wrap[F](operators.Throttle(f.Source(), n, interval, opts...))
}

// DelaySubscription subscribes to everything above this point when other emits or
// completes.
//
// See [operators.DelaySubscription].
func (f Flux[T]) DelaySubscription[U any, P reactor.Publisher[U]](other P) Flux[T] {
	return Flux[T]{operators.DelaySubscription(f.Source(), source[U](other))}
}

// DelaySubscriptionFor subscribes to everything above this point when d has
// passed.
//
// See [operators.DelaySubscriptionFor].
func (f Flux[T]) DelaySubscriptionFor[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.DelaySubscriptionFor(f.Source(), d, opts...))
}

// Sample emits the newest element each time other emits.
//
// See [operators.Sample] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) Sample[U any, P reactor.Publisher[U]](other P) Flux[T] {
	return Flux[T]{operators.Sample(f.Source(), source[U](other))}
}

// SampleEvery emits the newest element once every period.
//
// See [operators.SampleEvery].
func (f Flux[T]) SampleEvery[F Self[T]](period time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.SampleEvery(f.Source(), period, opts...))
}

// SampleFirst emits an element and discards those that come before the publisher
// that fn returns for it emits or completes.
//
// See [operators.SampleFirst] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) SampleFirst[U any, P reactor.Publisher[U]](fn func(T) P) Flux[T] {
	return Flux[T]{operators.SampleFirst(f.Source(), publishers[U]("sampleFirst", fn))}
}

// SampleFirstFor emits an element and discards those that come within d after it.
//
// See [operators.SampleFirstFor].
func (f Flux[T]) SampleFirstFor[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.SampleFirstFor(f.Source(), d, opts...))
}

// SampleTimeout emits an element if the publisher that fn returns for it emits or
// completes before the next element comes: debouncing.
//
// See [operators.SampleTimeout] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) SampleTimeout[U any, P reactor.Publisher[U]](fn func(T) P, opts ...SampleTimeoutOption) Flux[T] {
	return Flux[T]{operators.SampleTimeout(f.Source(), publishers[U]("sampleTimeout", fn), opts...)}
}

// SampleTimeoutFor emits an element if none comes within d after it: debouncing.
//
// See [operators.SampleTimeoutFor].
func (f Flux[T]) SampleTimeoutFor[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.SampleTimeoutFor(f.Source(), d, opts...))
}

// Elapsed emits fn(d, v) for every v, where d is the time since the element before.
//
// See [operators.Elapsed].
func (f Flux[T]) Elapsed[R any](fn func(d time.Duration, v T) R, opts ...SchedulerOption) Flux[R] {
	return Flux[R]{operators.Elapsed(f.Source(), fn, opts...)}
}

// Timestamp emits fn(t, v) for every v, where t is the time when it came.
//
// See [operators.Timestamp].
func (f Flux[T]) Timestamp[R any](fn func(t time.Time, v T) R, opts ...SchedulerOption) Flux[R] {
	return Flux[R]{operators.Timestamp(f.Source(), fn, opts...)}
}

// Timed emits every element together with its times.
//
// See [operators.Timed].
func (f Flux[T]) Timed[R TimedOf[T]](opts ...SchedulerOption) Flux[R] {
	return Flux[R]{operators.Timed(f.Source(), func(t reactor.Timed[T]) R { return R(t) }, opts...)}
}

// TakeFor passes elements on until d has passed, then completes.
//
// See [operators.TakeFor] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) TakeFor[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.TakeFor(f.Source(), d, opts...))
}

// TakeUntilOther passes elements on until other emits or completes, then
// completes.
//
// See [operators.TakeUntilOther] for demand, errors, cancellation and the
// goroutine.
func (f Flux[T]) TakeUntilOther[U any, P reactor.Publisher[U]](other P) Flux[T] {
	return Flux[T]{operators.TakeUntilOther(f.Source(), source[U](other))}
}

// SkipFor discards the elements that come within d.
//
// See [operators.SkipFor] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) SkipFor[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.SkipFor(f.Source(), d, opts...))
}

// SkipUntilOther discards the elements that come before other emits or completes.
//
// See [operators.SkipUntilOther] for demand, errors, cancellation and the
// goroutine.
func (f Flux[T]) SkipUntilOther[U any, P reactor.Publisher[U]](other P) Flux[T] {
	return Flux[T]{operators.SkipUntilOther(f.Source(), source[U](other))}
}
