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
// The time starts when downstream has its subscription, before anything is requested of f, and
// starts again when downstream has taken an element. So the limit also holds for an f that works on
// the goroutine that requests, as mono.FromFunc does: the context of its function ends. Demand
// passes through; a subscriber that requests too late causes a timeout as well. A timeout cancels
// f. A duration ≤ 0 panics. Timers are those of schedulers.Parallel() unless [On] names another
// scheduler; if they are refused, the stream fails with reactor.ErrRejected. The failure comes on
// the goroutine of the timer, elements on that of f.
func (f Flux[T]) Timeout[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.Timeout(f.Source(), d, opts...))
}

// TimeoutFallback goes on with fallback when the first or the next element has not come within
// d. With a nil fallback the stream fails with reactor.ErrTimeout.
func (f Flux[T]) TimeoutFallback[F Self[T]](d time.Duration, fallback reactor.Publisher[T], opts ...SchedulerOption) F {
	return wrap[F](operators.TimeoutFallback(f.Source(), d, fallback, opts...))
}

// TimeoutFirst fails with reactor.ErrTimeout when first emits or completes before the first
// element has come.
//
// first is subscribed after f has been asked for elements: so an f that works on the goroutine
// that requests, such as mono.FromFunc, needs a [Flux.SubscribeOn]. An error of first ends the
// stream. See [Flux.Timeout] for the rest.
func (f Flux[T]) TimeoutFirst[U any](first reactor.Publisher[U]) Flux[T] {
	return Flux[T]{operators.TimeoutFirst(f.Source(), first)}
}

// TimeoutWhen fails with reactor.ErrTimeout when first emits or completes before the first
// element has come, or when the publisher that each returns for an element does so before the
// next element has come.
//
// An error of one of these publishers, or a panic of each, ends the stream. See [Flux.Timeout]
// for the rest.
func (f Flux[T]) TimeoutWhen[U, V any, P reactor.Publisher[V]](first reactor.Publisher[U], each func(T) P) Flux[T] {
	return Flux[T]{operators.TimeoutWhen(f.Source(), first, publishers[V]("timeout", each))}
}

// TimeoutWhenFallback is [Flux.TimeoutWhen], but goes on with fallback instead of failing.
// With a nil fallback the stream fails with reactor.ErrTimeout.
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
// schedulers.Parallel() unless [On] names another scheduler, or on the goroutine that requests. If
// the scheduler refuses a timer, the stream fails with reactor.ErrRejected. The tick of each timer,
// the int64 0, is discarded as the elements of any trigger are; a discard hook for int64 sees it.
func (f Flux[T]) DelayElements[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.DelayElements(f.Source(), d, opts...))
}

// DelayUntil holds each element back until the publisher that fn returns for it completes.
//
//	f:     1 - 2 - 3 |
//	       DelayUntil(v => done after 4 steps)
//	out:   ---- 1 ---- 2 ---- 3 |
//
// It asks f for one element at a time: the first when something is requested, the next when the
// element before was delivered. An error of f or of one of the publishers, or a panic of fn, ends
// the stream at once and discards what waits, but an element that came before it and need not
// wait is still delivered. Elements of the publishers are discarded. Cancelling cancels
// everything. An element goes down on the goroutine on which its publisher completes, or on the
// one that requests. fn runs on the goroutine of f; if f answers a request while the element
// before goes down, fn runs on the goroutine of that delivery.
func (f Flux[T]) DelayUntil[U any, P reactor.Publisher[U]](fn func(T) P) Flux[T] {
	return Flux[T]{operators.DelayUntil(f.Source(), publishers[U]("delayUntil", fn))}
}

// DelaySequence delivers every element d later, and keeps the distances between them.
//
//	f:     1 - 2 ------ 3 |
//	       DelaySequence(4 steps)
//	out:   ---- 1 - 2 ------ 3 |
//
// The terminal signal is delayed too; if no element is under way, it comes at once. Demand
// passes through. Signals come on one worker of schedulers.Parallel() unless [On] names another
// scheduler; if it refuses a timer, the stream fails with reactor.ErrRejected. Cancelling
// discards what is under way.
func (f Flux[T]) DelaySequence[F Self[T]](d time.Duration, opts ...SchedulerOption) F {
	return wrap[F](operators.DelaySequence(f.Source(), d, opts...))
}

// ThrottleOption is an option of [Flux.Throttle]: [Burst], [Prefetch] or [On].
type ThrottleOption = operators.ThrottleOption

// Burst lets n > 0 elements come at once when none has come for long enough.
func Burst(n int) ThrottleOption { return operators.Burst(n) }

// Throttle emits at most n elements per interval, evenly spaced, the first one at once: a rate
// limit.
//
//	f:    1 2 3 ------------------- 4 5 |
//	      Throttle(1, 7 steps)
//	out:  1 ---- 2 ---- 3 --------- 4 ---- 5 |
//
// Nothing is left out: an element that comes too early waits for its turn. Lost time is not made up
// for, whether there was nothing to emit or no demand, or the subscriber was busy: the next element
// comes at once, and those after it keep their distance. With [Burst](k) up to k elements may
// follow one another at once if none has come for as long as they would have taken; at most n+k-1
// elements are due in an interval. A timer that fires up to 10 ms late does not lower the rate: the
// elements that were due meanwhile come at once.
//
// It asks f for 32 elements ([Prefetch]), and for another three quarters of that number
// whenever as many were delivered, however large the demand downstream is. A late request gets
// the elements that wait, at the same distances. An error waits until everything received
// before it was delivered; completion follows the last element at once. Cancelling discards
// what waits and stops the timer. Signals come on one worker of schedulers.Parallel() unless
// [On] names another scheduler; if that refuses a task or a timer, the stream fails with
// reactor.ErrRejected.
//
// [Flux.LimitRate] limits demand, not the rate; [Flux.SampleFirst] discards what comes too early.
func (f Flux[T]) Throttle[F Self[T]](n int, interval time.Duration, opts ...ThrottleOption) F {
	return wrap[F](operators.Throttle(f.Source(), n, interval, opts...))
}

// DelaySubscription subscribes to everything above this point when other emits or completes.
//
//	other:  ----- x
//	f:            1 - 2 - 3 |
//	out:    ----- 1 - 2 - 3 |
//
// An error of other ends the stream. Demand is kept until f is subscribed, and then passes through.
// Cancelling cancels other, or f once f is subscribed. f is subscribed on the goroutine of other.
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
// demand for a sample the stream fails with reactor.ErrOverflow. When f completes, the newest
// element that was not sampled yet is emitted as soon as there is demand. The completion of
// other cancels f and completes the stream; an error of either one ends it. other is subscribed
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
// It asks f for everything. An element that comes without demand is discarded as well, and the
// next element for which there is demand is emitted: so a slow downstream samples less often.
// (Reactor emits such an element regardless of demand.) An error of a publisher of fn, or a
// panic of fn, cancels f and ends the stream. fn runs after the element was delivered. Elements
// come on the goroutine of f.
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
// of a publisher of fn, or a panic of fn, ends the stream. At most one of these publishers is
// subscribed at a time. An element comes on the goroutine of its publisher.
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
// other is subscribed before f. An error of other cancels f and ends the stream; when the stream
// ends otherwise, other is cancelled. Demand passes through. Signals come on the goroutine of f;
// the end that other causes comes on the goroutine of other.
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
// other is subscribed before f. An error of other cancels f and ends the stream; when the stream
// ends otherwise, other is cancelled. Demand passes through; for each discarded element one more is
// requested. Elements come on the goroutine of f.
func (f Flux[T]) SkipUntilOther[U any](other reactor.Publisher[U]) Flux[T] {
	return Flux[T]{operators.SkipUntilOther(f.Source(), other)}
}
