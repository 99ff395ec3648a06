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
// See [operators.MonoTimeout] for demand, errors, cancellation and the goroutine.
func (m Mono[T]) Timeout[M Self[T]](d time.Duration, opts ...SchedulerOption) M {
	return wrap[M](operators.MonoTimeout(m.Source(), d, nil, opts...))
}

// TimeoutFallback goes on with fallback when nothing has come within d.
//
// See [operators.MonoTimeout].
func (m Mono[T]) TimeoutFallback[M Self[T]](d time.Duration, fallback M, opts ...SchedulerOption) M {
	return wrap[M](operators.MonoTimeout(m.Source(), d, Mono[T](fallback).Source(), opts...))
}

// TimeoutFirst fails with reactor.ErrTimeout when first emits or completes before
// something has come.
//
// See [operators.TimeoutFirst].
func (m Mono[T]) TimeoutFirst[U any, P reactor.Publisher[U]](first P) Mono[T] {
	return Mono[T]{operators.TimeoutFirst(m.Source(), reactor.Publisher[U](first))}
}

// TimeoutFirstFallback goes on with fallback when first emits or completes before
// something has come.
//
// See [operators.TimeoutFirstFallback].
func (m Mono[T]) TimeoutFirstFallback[U any, P reactor.Publisher[U]](first P, fallback Mono[T]) Mono[T] {
	return Mono[T]{operators.TimeoutFirstFallback(m.Source(), reactor.Publisher[U](first), fallback.Source())}
}

// DelayElement holds the element back for d.
//
// See [operators.MonoDelayElement] for demand, errors, cancellation and the
// goroutine.
func (m Mono[T]) DelayElement[M Self[T]](d time.Duration, opts ...SchedulerOption) M {
	return wrap[M](operators.MonoDelayElement(m.Source(), d, opts...))
}

// DelaySubscription subscribes to everything above this point when other emits or
// completes.
//
// See [operators.DelaySubscription].
func (m Mono[T]) DelaySubscription[U any, P reactor.Publisher[U]](other P) Mono[T] {
	return Mono[T]{operators.DelaySubscription(m.Source(), reactor.Publisher[U](other))}
}

// DelaySubscriptionFor subscribes to everything above this point when d has
// passed.
//
// See [operators.DelaySubscriptionFor].
func (m Mono[T]) DelaySubscriptionFor[M Self[T]](d time.Duration, opts ...SchedulerOption) M {
	return wrap[M](operators.DelaySubscriptionFor(m.Source(), d, opts...))
}

// TakeFor completes empty if nothing has come within d.
//
// See [operators.TakeFor] for demand, errors, cancellation and the goroutine.
func (m Mono[T]) TakeFor[M Self[T]](d time.Duration, opts ...SchedulerOption) M {
	return wrap[M](operators.TakeFor(m.Source(), d, opts...))
}

// TakeUntilOther completes empty if other emits or completes before something has
// come.
//
// See [operators.TakeUntilOther] for demand, errors, cancellation and the
// goroutine.
func (m Mono[T]) TakeUntilOther[U any, P reactor.Publisher[U]](other P) Mono[T] {
	return Mono[T]{operators.TakeUntilOther(m.Source(), reactor.Publisher[U](other))}
}

// Elapsed emits fn(d, v), where d is the time from the subscription to the element.
//
// See [operators.Elapsed].
func (m Mono[T]) Elapsed[R any](fn func(d time.Duration, v T) R, opts ...SchedulerOption) Mono[R] {
	return Mono[R]{operators.Elapsed(m.Source(), fn, opts...)}
}

// Timestamp emits fn(t, v), where t is the time when the element came.
//
// See [operators.Timestamp].
func (m Mono[T]) Timestamp[R any](fn func(t time.Time, v T) R, opts ...SchedulerOption) Mono[R] {
	return Mono[R]{operators.Timestamp(m.Source(), fn, opts...)}
}

// Timed emits the element together with its times.
//
// See [operators.Timed].
func (m Mono[T]) Timed[R TimedOf[T]](opts ...SchedulerOption) Mono[R] {
	return Mono[R]{operators.Timed(m.Source(), func(t reactor.Timed[T]) R { return R(t) }, opts...)}
}
