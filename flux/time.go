package flux

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// TimedOf is satisfied by reactor.Timed[T] alone; see [Self] for why it exists.
type TimedOf[T any] interface{ reactor.Timed[T] }

// Timeout fails with reactor.ErrTimeout when the first or the next element has not come within
// d.
//
//	f:    1 -- 2 ----------- 3 |
//	      Timeout(5 steps)
//	out:  1 -- 2 ---- #
//
// The time begins when downstream has its subscription, before f is asked for anything, and
// again when downstream has taken an element. So the limit holds also for an f that works where
// it is asked, as mono.FromFunc does: its context ends. Demand passes through; a
// subscriber that requests too late causes a timeout as well. A timeout cancels f. A duration ≤
// 0 panics. Timers are those of schedulers.Parallel() unless [On] names another scheduler; if
// they are refused, the stream fails with reactor.ErrRejected. The failure comes on the
// goroutine of the timer, elements on that of f.
func (f Flux[T]) Timeout[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.Timeout(f.Source(), d, opts...))
}

// TimeoutFallback goes on with fallback when the first or the next element has not come within
// d. A nil fallback means none.
func (f Flux[T]) TimeoutFallback[F Self[T]](d time.Duration, fallback reactor.Publisher[T], opts ...SchedulerOption) F {
	return wrap[F](operators.TimeoutFallback(f.Source(), d, fallback, opts...))
}

// TimeoutFirst fails with reactor.ErrTimeout when first emits or completes before the first
// element has come.
//
// first is subscribed when f was asked: an f that works where it is asked, such as
// mono.FromFunc, needs a [Flux.SubscribeOn]. An error of first ends the stream. See
// [Flux.Timeout] for the rest.
func (f Flux[T]) TimeoutFirst[U any](first reactor.Publisher[U]) Flux[T] {
	return Flux[T]{operators.TimeoutFirst(f.Source(), first)}
}

// TimeoutWhen fails with reactor.ErrTimeout when first emits or completes before the first
// element has come, or the publisher that each returns for an element before the next one has
// come.
//
// An error of one of them, or a panic of each, ends the stream. See [Flux.Timeout] for the
// rest.
func (f Flux[T]) TimeoutWhen[U, V any, P reactor.Publisher[V]](first reactor.Publisher[U], each func(T) P) Flux[T] {
	return Flux[T]{operators.TimeoutWhen(f.Source(), first, publishers[V]("timeout", each))}
}

// TimeoutWhenFallback is [Flux.TimeoutWhen] that goes on with fallback instead of failing.
// A nil fallback means none.
func (f Flux[T]) TimeoutWhenFallback[U, V any, P reactor.Publisher[V]](first reactor.Publisher[U], each func(T) P, fallback reactor.Publisher[T]) Flux[T] {
	return Flux[T]{operators.TimeoutWhenFallback(f.Source(), first, publishers[V]("timeout", each), fallback)}
}

// DelayElements holds each element back for d after the one before.
//
//	f:     1 - 2 - 3 |
//	       DelayElements(4 steps)
//	out:   ---- 1 ---- 2 ---- 3 |
//
// Demand and errors are as for [Flux.DelayUntil]; completion is not delayed. Elements come on
// schedulers.Parallel() unless [On] names another scheduler, or on the goroutine that requests.
// If the scheduler refuses a timer, the stream fails with reactor.ErrRejected. The tick of each timer, an int64 that is 0, is
// discarded as what any trigger emits is, which hooks for that type see.
func (f Flux[T]) DelayElements[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.DelayElements(f.Source(), d, opts...))
}

// DelayUntil holds each element back until the publisher that fn returns for it completes.
//
//	f:     1 - 2 - 3 |
//	       DelayUntil(v => done after 4 steps)
//	out:   ---- 1 ---- 2 ---- 3 |
//
// It asks f for one element at a time, the first when something is requested, the next when one
// was delivered. An error of f or of one of the publishers cuts in at once and discards what
// waits, but an element that came before it and need not wait is delivered; so does a panic of
// fn. Elements of the publishers are discarded. Cancelling cancels everything. An element goes
// down on the goroutine on which its publisher completes, or which requests; fn runs on the one
// of f or, if f answers a request meanwhile, on that on which the element before has gone down.
func (f Flux[T]) DelayUntil[U any, P reactor.Publisher[U]](fn func(T) P) Flux[T] {
	return Flux[T]{operators.DelayUntil(f.Source(), publishers[U]("delayUntil", fn))}
}

// DelaySequence delivers everything d later, with the distances kept.
//
//	f:     1 - 2 ------ 3 |
//	       DelaySequence(4 steps)
//	out:   ---- 1 - 2 ------ 3 |
//
// The terminal signal is delayed too, unless nothing is under way: then it comes at once.
// Demand passes through. Signals come on one worker of schedulers.Parallel() unless [On] names
// another scheduler; if it refuses a timer, the stream fails with reactor.ErrRejected.
// Cancelling discards what is under way.
func (f Flux[T]) DelaySequence[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.DelaySequence(f.Source(), d, opts...))
}

// ThrottleOption is an option of [Flux.Throttle]: [Burst], [Prefetch] or [On].
type ThrottleOption = operators.ThrottleOption

// Burst lets n > 0 elements come at once when none has come for long enough.
func Burst(n int) ThrottleOption { return operators.Burst(n) }

// Throttle emits n elements per interval at most, evenly spaced, the first one at once: a rate
// limit.
//
//	f:    1 2 3 ------------------- 4 5 |
//	      Throttle(1, 7 steps)
//	out:  1 ---- 2 ---- 3 --------- 4 ---- 5 |
//
// Nothing is left out: what comes too early waits for its turn. Time in which there was nothing
// to emit, or no demand, or in which the subscriber was busy is not made up for: the next
// element comes at once, those after it at their distance. With [Burst](k) up to k elements may
// follow one another at once, if as much time has passed without any; in each interval
// n + k - 1 at most are due. A timer that fires late costs nothing of the rate, as long as it
// is not more than 10 ms late: what was due meanwhile comes at once.
//
// It asks f for 32 elements ([Prefetch]) and, when three quarters of them were delivered, for
// as many again, however large the demand downstream is; a late request gets what waits, at the
// same distances. An error waits until everything received before it was delivered; completion
// follows the last element at once. Cancelling discards what waits and stops the timer. Signals
// come on one worker of schedulers.Parallel() unless [On] names another scheduler; if that
// refuses a task or a timer, the stream fails with reactor.ErrRejected.
//
// [Flux.LimitRate] is about demand, not about time, and [Flux.SampleFirst] is what discards.
func (f Flux[T]) Throttle[F Self[T]](n int, interval time.Duration, opts ...ThrottleOption) F {
	return wrap[F](operators.Throttle(f.Source(), n, interval, opts...))
}

// DelaySubscription subscribes to everything above this point when other emits or completes.
//
//	other:  ----- x
//	f:            1 - 2 - 3 |
//	out:    ----- 1 - 2 - 3 |
//
// An error of other ends the stream. Demand is kept until f is there, then passes through.
// Cancelling cancels other, or f. f is subscribed on the goroutine of other.
func (f Flux[T]) DelaySubscription[U any](other reactor.Publisher[U]) Flux[T] {
	return Flux[T]{operators.DelaySubscription(f.Source(), other)}
}

// DelaySubscriptionFor subscribes to everything above this point when d has passed.
//
//	        DelaySubscriptionFor(5 steps)
//	f:            1 - 2 - 3 |
//	out:    ----- 1 - 2 - 3 |
//
// Demand is kept until then. f is subscribed on schedulers.Parallel() unless [On] names another
// scheduler; if it refuses the timer, the stream fails with reactor.ErrRejected.
func (f Flux[T]) DelaySubscriptionFor[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.DelaySubscriptionFor(f.Source(), d, opts...))
}

// Sample emits the newest element each time other emits.
//
//	f:      1 - 2 - 3 - 4 ------- 5 |
//	other:  ----- x ----- x - x ----
//	out:    ----- 2 ----- 4 ----- 5 |
//
// Elements that are not sampled are discarded. It asks f and other for everything; without
// demand for a sample the stream fails with reactor.ErrOverflow. When f completes, the element
// that was not sampled yet is emitted, as soon as there is demand. The completion of other
// cancels f and completes the stream; an error of either one ends it. other is subscribed
// before f. Samples come on the goroutine of other, the last one on that of f or the one that
// requests.
func (f Flux[T]) Sample[U any](other reactor.Publisher[U]) Flux[T] {
	return Flux[T]{operators.Sample(f.Source(), other)}
}

// SampleEvery emits the newest element once every period.
//
//	f:    1 - 2 - 3 - 4 -------- 5 |
//	      SampleEvery(5 steps)
//	out:  ----- 2 ----- 4 ------ 5 |
//
// Samples come on schedulers.Parallel() unless [On] names another scheduler; if it refuses the
// timer, the stream fails with reactor.ErrRejected. See [Flux.Sample] for demand and errors.
func (f Flux[T]) SampleEvery[F Self[T]](period time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.SampleEvery(f.Source(), period, opts...))
}

// SampleFirst emits an element and discards those that come before the publisher that fn
// returns for it emits or completes.
//
//	f:    1 - 2 - 3 - 4 - 5 - 6 |
//	      SampleFirst(v => done after 10 steps)
//	out:  1 --------- 4 ------- |
//
// It asks f for everything. An element that comes when nobody has requested one is discarded as
// well, and the next one is emitted for which there is demand: so a slow downstream samples
// less often. (Reactor emits it all the same.) An error of such a publisher, or a panic of fn,
// cancels f and ends the stream. fn runs after the element was delivered. Elements come on the
// goroutine of f.
func (f Flux[T]) SampleFirst[U any, P reactor.Publisher[U]](fn func(T) P) Flux[T] {
	return Flux[T]{operators.SampleFirst(f.Source(), publishers[U]("sampleFirst", fn))}
}

// SampleFirstFor emits an element and discards those that come within d after it.
//
//	f:    1 - 2 - 3 - 4 - 5 - 6 |
//	      SampleFirstFor(7 steps)
//	out:  1 --------- 4 ------- |
//
// Timers are those of schedulers.Parallel() unless [On] names another scheduler; if they are
// refused, the stream fails with reactor.ErrRejected. See [Flux.SampleFirst] for the rest.
func (f Flux[T]) SampleFirstFor[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.SampleFirstFor(f.Source(), d, opts...))
}

// SampleTimeout emits an element if the publisher that fn returns for it emits or completes
// before the next element comes: debouncing.
//
//	f:    1 - 2 - 3 --------- 4 - 5 |
//	      SampleTimeout(v => done after 5 steps)
//	out:  ------------- 3 ------- 5 |
//
// It asks f for everything; without demand for an element the stream fails with
// reactor.ErrOverflow. When f completes, its last element is emitted at once. An error of f or
// of such a publisher, or a panic of fn, ends the stream. At most one of the publishers is
// subscribed at a time. Elements come on their goroutine.
func (f Flux[T]) SampleTimeout[U any, P reactor.Publisher[U]](fn func(T) P, opts ...SampleTimeoutOption) Flux[T] {
	return Flux[T]{operators.SampleTimeout(f.Source(), publishers[U]("sampleTimeout", fn), opts...)}
}

// SampleTimeoutFor emits an element if none comes within d after it: debouncing.
//
//	f:    1 - 2 - 3 --------- 4 - 5 |
//	      SampleTimeoutFor(5 steps)
//	out:  ------------- 3 ------- 5 |
//
// Timers are those of schedulers.Parallel() unless [On] names another scheduler; if they are
// refused, the stream fails with reactor.ErrRejected. See [Flux.SampleTimeout] for the rest.
func (f Flux[T]) SampleTimeoutFor[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.SampleTimeoutFor(f.Source(), d, opts...))
}

// Elapsed emits fn(d, v) for every v, where d is the time since the element before, or since
// the subscription for the first one.
//
//	f:    -- 1 - 2 --- 3 |
//	      Elapsed((d, v) => d)
//	out:  -- 3 - 4 --- 6 |
//
// The time is that of schedulers.Parallel() unless [On] names another scheduler. Demand passes
// through; a panic of fn cancels f and ends the stream. fn runs on the goroutine of f.
func (f Flux[T]) Elapsed[R any](fn func(d time.Duration, v T) R, opts ...SchedulerOption) Flux[R] {
	return Flux[R]{operators.Elapsed(f.Source(), fn, opts...)}
}

// Timestamp emits fn(t, v) for every v, where t is the time when it came.
//
// The time is that of schedulers.Parallel() unless [On] names another scheduler. Demand passes
// through; a panic of fn cancels f and ends the stream. fn runs on the goroutine of f.
func (f Flux[T]) Timestamp[R any](fn func(t time.Time, v T) R, opts ...SchedulerOption) Flux[R] {
	return Flux[R]{operators.Timestamp(f.Source(), fn, opts...)}
}

// Timed emits every element together with its times.
//
// The times are those of schedulers.Parallel() unless [On] names another scheduler. Demand
// passes through.
func (f Flux[T]) Timed[R TimedOf[T]](opts ...SchedulerOption) Flux[R] {
	return Flux[R]{operators.Timed(f.Source(), func(t reactor.Timed[T]) R { return R(t) }, opts...)}
}

// TakeFor passes elements on until d has passed, then completes.
//
//	f:    1 - 2 - 3 - 4 - 5 |
//	      TakeFor(7 steps)
//	out:  1 - 2 - 3 - 4 -|
//
// A duration of 0 makes it empty. Demand passes through. The completion comes on
// schedulers.Parallel() unless [On] names another scheduler, everything else on the goroutine
// of f. If the scheduler refuses the timer, the stream fails with reactor.ErrRejected.
func (f Flux[T]) TakeFor[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.TakeFor(f.Source(), d, opts...))
}

// TakeUntilOther passes elements on until other emits or completes, then completes.
//
//	f:      1 - 2 - 3 - 4 - 5 |
//	other:  -------------- x
//	out:    1 - 2 - 3 - 4 -|
//
// other is subscribed before f. Its error cancels f and ends the stream; when the stream ends
// otherwise, other is cancelled. Demand passes through. Signals come on the goroutine of f, the
// end that other causes on that of other.
func (f Flux[T]) TakeUntilOther[U any](other reactor.Publisher[U]) Flux[T] {
	return Flux[T]{operators.TakeUntilOther(f.Source(), other)}
}

// SkipFor discards the elements that come within d.
//
//	f:    1 - 2 - 3 - 4 - 5 |
//	      SkipFor(7 steps)
//	out:  ------------- 5 |
//
// Demand passes through; for each discarded element one more is requested. Elements come on the
// goroutine of f. The timer is one of schedulers.Parallel() unless [On] names another
// scheduler; if it is refused, the stream fails with reactor.ErrRejected.
func (f Flux[T]) SkipFor[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.SkipFor(f.Source(), d, opts...))
}

// SkipUntilOther discards the elements that come before other emits or completes.
//
//	f:      1 - 2 - 3 - 4 - 5 |
//	other:  ------ x
//	out:    -------- 3 - 4 - 5 |
//
// other is subscribed before f. Its error cancels f and ends the stream; when the stream ends
// otherwise, other is cancelled. Demand passes through; for each discarded element one more is
// requested. Elements come on the goroutine of f.
func (f Flux[T]) SkipUntilOther[U any](other reactor.Publisher[U]) Flux[T] {
	return Flux[T]{operators.SkipUntilOther(f.Source(), other)}
}
