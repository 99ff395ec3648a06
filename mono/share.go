package mono

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// Share runs m once for all subscribers that there are until it has ended; those who come after
// get the same outcome.
//
//	m:    ------ 1 |
//	      Share()
//	out:  ------ 1 |
//	out:    ---- 1 |            a second subscriber
//	out:             1 |        one that came after
//
// It differs from [Mono.Cache] in that m is cancelled when its last subscriber has left before
// it ended; the next subscriber starts it again. m gets unbounded demand and the values of the
// first subscriber's context; each gets the element when it requests. Signals come on the
// goroutine of m, or on that of the subscriber. While there are others, the
// first one may be held up as with [Mono.Cache].
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
// gets the element when it requests. Cancellation does not reach m: it goes on for those who
// come later. Signals come on the goroutine of m, or on that of the subscriber.
//
// An m that works where it is asked, as [FromFunc] does without [Mono.SubscribeOn], holds the first
// subscriber up until it is done, also beyond the end of that one's context, which does not reach it.
func (m Mono[T]) Cache[M Self[T]](opts ...CacheOption) M {
	return wrap[M](operators.MonoCache(m.Source(), opts...))
}

// CacheFor is Cache that keeps each outcome as long as ttl says for it: [Forever], or not at
// all if that is 0 or less.
//
// ttl is called once per outcome, before anybody gets it. A panic of ttl becomes the outcome,
// which is not kept. The option [TTL] panics: there is one lifetime only.
func (m Mono[T]) CacheFor[M Self[T]](ttl func(reactor.Signal[T]) time.Duration, opts ...CacheOption) M {
	return wrap[M](operators.MonoCacheFor(m.Source(), ttl, opts...))
}

// CacheInvalidateIf keeps the element until stale reports true for it at a subscription.
//
//	m:    --- 1 |           --- 2 |
//	      CacheInvalidateIf(stale)
//	out:  --- 1 |
//	out:            1 |                  stale(1) = false
//	out:                    --- 2 |      stale(1) = true
//
// All subscribers that there are meanwhile share one run of m, with unbounded demand and the
// values of the first one's context; when the last of them leaves it is cancelled. An error is
// not kept, nor is an empty end, which becomes reactor.ErrNoElements. A panic of stale discards
// the element and fails the subscriber concerned. stale runs on the subscriber's goroutine.
func (m Mono[T]) CacheInvalidateIf[M Self[T]](stale func(T) bool) M {
	return wrap[M](operators.MonoCacheInvalidateIf(m.Source(), stale))
}

// CacheInvalidateWhen keeps the element v until the publisher trigger(v) ends; then
// invalidated, which may be nil, gets it.
//
//	m:           --- 1 |           --- 2 |
//	trigger(1):      ------- |
//	             CacheInvalidateWhen(trigger, nil)
//	out:         --- 1 |
//	out:                 1 |
//	out:                           --- 2 |
//
// Subscribers share runs of m as with [Mono.CacheInvalidateIf]; errors and empty ends are not
// kept. The trigger is subscribed when those who waited have got the element, with unbounded
// demand; its elements are discarded, and its error, which no subscriber can get, is reported
// as dropped. A panic of the trigger function fails all who wait, and invalidated is called or, if
// it is nil, the element discarded; a panic of invalidated is reported as a dropped error. Both run
// on the goroutine of m or of the trigger.
func (m Mono[T]) CacheInvalidateWhen[U any, P reactor.Publisher[U], M Self[T]](trigger func(T) P, invalidated func(T)) M {
	return wrap[M](operators.MonoCacheInvalidateWhen[T, U](m.Source(), trigger, invalidated))
}

// Publish lets fn use m several times while it runs once.
//
//	m:    ------ 1 |
//	      Publish(x => zip(x, x))
//	out:  ------ (1, 1) |
//
// m is subscribed right after the result of fn, with unbounded demand. Its outcome goes to all
// who have subscribed to the shared publisher by then, or waits for the first one; those who
// come later get the end only. When the result ends or is cancelled m is cancelled. A panic of
// fn ends the stream.
func (m Mono[T]) Publish[R any](fn func(Mono[T]) Mono[R]) Mono[R] {
	argument.Given("publish", "function", fn != nil)
	return Mono[R]{operators.MonoPublish[T, R](m.Source(), func(shared reactor.Publisher[T]) reactor.Publisher[R] {
		return fn(Mono[T]{shared}).Source()
	})}
}

// CacheOption is an option of Cache: [TTL] or [On].
type CacheOption = operators.MonoCacheOption

// Forever is the lifetime of what is never thrown away.
const Forever = operators.Forever

// TTL limits how long an outcome is kept, counted from when it came; with d ≤ 0 it is not kept.
func TTL(d time.Duration) TTLOption { return operators.TTL(d) }
