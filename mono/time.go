package mono

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// TimedOf is satisfied by reactor.Timed[T] alone; see [Self] for why it exists.
type TimedOf[T any] interface{ reactor.Timed[T] }

// Timeout fails with reactor.ErrTimeout when nothing has come within d.
//
// The time starts when downstream has its subscription, before anything is requested of m. So the
// limit also holds for an m that works on the goroutine that requests, as [FromFunc] does: the
// context of its function ends. Where a [Mono.SubscribeOn] is above, the wait for a worker counts
// too. Demand passes through; a subscriber that requests too late causes a timeout as well. A
// timeout cancels m. A duration ≤ 0 panics. Timers are those of schedulers.Parallel() unless [On]
// names another scheduler; if they are refused, the stream fails with reactor.ErrRejected. The
// failure comes on the goroutine of the timer, the element on that of m.
func (m Mono[T]) Timeout[M Self[T]](d time.Duration, opts ...SchedulerOption) M {
	return wrap[M](operators.MonoTimeout(m.Source(), d, nil, opts...))
}

// TimeoutFallback goes on with fallback when nothing has come within d.
func (m Mono[T]) TimeoutFallback[M Self[T]](d time.Duration, fallback M, opts ...SchedulerOption) M {
	return wrap[M](operators.MonoTimeout(m.Source(), d, Mono[T](fallback).Source(), opts...))
}

// TimeoutFirst fails with reactor.ErrTimeout when first emits or completes before something has
// come.
//
// first is subscribed after m has been asked for its element: so an m that works on the
// goroutine that requests, such as [FromFunc], needs a [Mono.SubscribeOn]. An error of first
// ends the stream. See [Mono.Timeout] for the rest.
func (m Mono[T]) TimeoutFirst[U any](first reactor.Publisher[U]) Mono[T] {
	return Mono[T]{operators.TimeoutFirst(m.Source(), first)}
}

// TimeoutFirstFallback goes on with fallback when first emits or completes before something has
// come.
func (m Mono[T]) TimeoutFirstFallback[U any](first reactor.Publisher[U], fallback Mono[T]) Mono[T] {
	return Mono[T]{operators.TimeoutFirstFallback(m.Source(), first, fallback.Source())}
}

// DelayElement holds the element back for d.
//
//	m:     1 |
//	       DelayElement(4 steps)
//	out:   ---- 1 |
//
// Demand passes through. An empty source completes at once, a failing one fails at once. The
// element comes on schedulers.Parallel() unless [On] names another scheduler; if it refuses the
// timer, the stream fails with reactor.ErrRejected. Cancelling stops the timer and discards the
// element.
func (m Mono[T]) DelayElement[M Self[T]](d time.Duration, opts ...SchedulerOption) M {
	return wrap[M](operators.MonoDelayElement(m.Source(), d, opts...))
}

// DelaySubscription subscribes to everything above this point when other emits or completes.
//
//	other:  ----- x
//	m:            - 1 |
//	        DelaySubscription(other)
//	out:    ------- 1 |
//
// An error of other ends the stream. Demand is kept until m is subscribed, and then passes through.
// Cancelling cancels other, or m once m is subscribed. m is subscribed on the goroutine of other.
func (m Mono[T]) DelaySubscription[U any](other reactor.Publisher[U]) Mono[T] {
	return Mono[T]{operators.DelaySubscription(m.Source(), other)}
}

// DelaySubscriptionFor subscribes to everything above this point when d has passed.
//
//	        DelaySubscriptionFor(5 steps)
//	m:            - 1 |
//	out:    ------- 1 |
//
// Demand is kept until then. m is subscribed on schedulers.Parallel() unless [On] names another
// scheduler; if it refuses the timer, the stream fails with reactor.ErrRejected.
func (m Mono[T]) DelaySubscriptionFor[M Self[T]](d time.Duration, opts ...SchedulerOption) M {
	return wrap[M](operators.DelaySubscriptionFor(m.Source(), d, opts...))
}

// TakeFor completes empty if nothing has come within d.
//
// A duration of 0 makes it empty. Demand passes through. The completion comes on
// schedulers.Parallel() unless [On] names another scheduler, everything else on the goroutine
// of m. If the scheduler refuses the timer, the stream fails with reactor.ErrRejected.
func (m Mono[T]) TakeFor[M Self[T]](d time.Duration, opts ...SchedulerOption) M {
	return wrap[M](operators.TakeFor(m.Source(), d, opts...))
}

// TakeUntilOther completes empty if other emits or completes before something has come.
//
//	m:      --------- 1 |
//	other:  ----- x
//	        TakeUntilOther(other)
//	out:    ----- |
//
// other is subscribed before m. An error of other cancels m and ends the stream; when the stream
// ends otherwise, other is cancelled. Demand passes through. Signals come on the goroutine of m;
// the end that other causes comes on the goroutine of other.
func (m Mono[T]) TakeUntilOther[U any](other reactor.Publisher[U]) Mono[T] {
	return Mono[T]{operators.TakeUntilOther(m.Source(), other)}
}

// Elapsed emits fn(d, v), where d is the time from the subscription to the element.
//
// The time is that of schedulers.Parallel() unless [On] names another scheduler. Demand passes
// through; a panic of fn cancels m and ends the stream. fn runs on the goroutine of m.
func (m Mono[T]) Elapsed[R any](fn func(d time.Duration, v T) R, opts ...SchedulerOption) Mono[R] {
	return Mono[R]{operators.Elapsed(m.Source(), fn, opts...)}
}

// Timestamp emits fn(t, v), where t is the time when the element came.
//
// The time is that of schedulers.Parallel() unless [On] names another scheduler. Demand passes
// through; a panic of fn cancels m and ends the stream. fn runs on the goroutine of m.
func (m Mono[T]) Timestamp[R any](fn func(t time.Time, v T) R, opts ...SchedulerOption) Mono[R] {
	return Mono[R]{operators.Timestamp(m.Source(), fn, opts...)}
}

// Timed emits the element together with its times.
//
// The times are those of schedulers.Parallel() unless [On] names another scheduler. Demand
// passes through.
func (m Mono[T]) Timed[R TimedOf[T]](opts ...SchedulerOption) Mono[R] {
	return Mono[R]{operators.Timed(m.Source(), func(t reactor.Timed[T]) R { return R(t) }, opts...)}
}
