package mono

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// Share runs m once for all subscribers that come before m has ended; later subscribers get the
// same outcome.
//
//	m:    ------ 1 |
//	      Share()
//	out:  ------ 1 |
//	out:    ---- 1 |            a second subscriber
//	out:             1 |        one that came after
//
// It differs from [Mono.Cache] in this: if the last subscriber leaves before m has ended, m is
// cancelled, and the next subscriber starts m again. m gets unbounded demand and the values of the
// first subscriber's context; each subscriber gets the element when it requests. Signals come on
// the goroutine of m, or on that of the subscriber. While there are other subscribers, the first
// one may be held up as with [Mono.Cache].
func (m Mono[T]) Share[M Self[T]]() M { return wrap[M](operators.MonoShare(m.Source())) }

// Cache runs m once and keeps its outcome: for ever, or as long as [TTL] says.
//
//	m:    ------ 1 |
//	      Cache()
//	out:  ------ 1 |
//	out:    ---- 1 |            a second subscriber
//	out:             1 |        one that came after
//
// The first subscriber starts m, with unbounded demand and the values of its own context; each
// subscriber gets the element when it requests. Cancellation does not reach m, which goes on for
// later subscribers. Signals come on the goroutine of m, or on that of the subscriber.
//
// An m that works on the goroutine that requests, as [FromFunc] does without [Mono.SubscribeOn],
// holds up the first subscriber until m is done. The end of that subscriber's context does not
// reach m, so it does not shorten the wait.
func (m Mono[T]) Cache[M Self[T]](opts ...CacheOption) M {
	return wrap[M](operators.MonoCache(m.Source(), opts...))
}

// CacheFor is [Mono.Cache], but ttl decides for each outcome how long it is kept: with
// [Forever] for ever, with 0 or less not at all.
//
// ttl is called once per outcome, before any subscriber gets the outcome. A panic of ttl becomes
// the outcome, and is not kept. The option [TTL] panics here, because ttl already sets the
// lifetime.
func (m Mono[T]) CacheFor[M Self[T]](ttl func(reactor.Signal[T]) time.Duration, opts ...CacheOption) M {
	return wrap[M](operators.MonoCacheFor(m.Source(), ttl, opts...))
}

// CacheInvalidateIf keeps the element until, at a subscription, stale reports true for it.
//
//	m:    --- 1 |           --- 2 |
//	      CacheInvalidateIf(stale)
//	out:  --- 1 |
//	out:            1 |                  stale(1) = false
//	out:                    --- 2 |      stale(1) = true
//
// Subscribers that come while m runs share that run, with unbounded demand and the values of the
// first subscriber's context; when the last of them leaves, the run is cancelled. An error is not
// kept, nor is an empty end, which becomes reactor.ErrNoElements. A panic of stale discards the
// element and fails the subscriber concerned. stale runs on the subscriber's goroutine.
func (m Mono[T]) CacheInvalidateIf[M Self[T]](stale func(T) bool) M {
	return wrap[M](operators.MonoCacheInvalidateIf(m.Source(), stale))
}

// CacheInvalidateWhen keeps the element v until the publisher trigger(v) ends; then
// invalidated, which may be nil, is called with v.
//
//	m:           --- 1 |           --- 2 |
//	trigger(1):      ------- |
//	             CacheInvalidateWhen(trigger, nil)
//	out:         --- 1 |
//	out:                 1 |
//	out:                           --- 2 |
//
// Subscribers share runs of m as with [Mono.CacheInvalidateIf]; errors and empty ends are not kept.
// The trigger is subscribed, with unbounded demand, when the waiting subscribers have got the
// element; the elements of the trigger are discarded, and its error, which no subscriber can get,
// is reported as dropped. A panic of the function trigger fails all waiting subscribers; then
// invalidated is called or, if it is nil, the element is discarded. A panic of invalidated is
// reported as a dropped error. Both run on the goroutine of m or of the trigger.
func (m Mono[T]) CacheInvalidateWhen[U any, P reactor.Publisher[U], M Self[T]](trigger func(T) P, invalidated func(T)) M {
	return wrap[M](operators.MonoCacheInvalidateWhen[T, U](m.Source(), trigger, invalidated))
}

// Publish runs m once, and lets fn use its outcome several times.
//
//	m:    ------ 1 |
//	      Publish(x => zip(x, x))
//	out:  ------ (1, 1) |
//
// m is subscribed right after the result of fn, with unbounded demand. The outcome of m goes to
// all who have subscribed to the shared Mono by then; without a subscriber it waits for the
// first one. Later subscribers get the end only. When the result ends or is cancelled, m is
// cancelled. A panic of fn ends the stream.
func (m Mono[T]) Publish[R any](fn func(Mono[T]) Mono[R]) Mono[R] {
	argument.Given("publish", "function", fn != nil)
	return Mono[R]{operators.MonoPublish[T, R](m.Source(), func(shared reactor.Publisher[T]) reactor.Publisher[R] {
		return fn(Mono[T]{shared}).Source()
	})}
}

// CacheOption is an option of Cache: [TTL] or [On].
type CacheOption = operators.MonoCacheOption

// Forever is the lifetime of an outcome that is kept for ever.
const Forever = operators.Forever

// TTL limits how long an outcome is kept, counted from its arrival; with d ≤ 0 it is not kept.
func TTL(d time.Duration) TTLOption { return operators.TTL(d) }
