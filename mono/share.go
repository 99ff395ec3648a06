package mono

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Share runs m once for all subscribers that there are until it has ended; those who come
// after get the same outcome.
//
// See [operators.MonoShare] for demand, errors and the goroutine.
func (m Mono[T]) Share[M Self[T]]() M { return wrap[M](operators.MonoShare(m.Source())) }

// Cache runs m once and keeps its outcome: for ever, or as long as [TTL] says.
//
// See [operators.MonoCache] for demand, errors and the goroutine.
func (m Mono[T]) Cache[M Self[T]](opts ...CacheOption) M {
	return wrap[M](operators.MonoCache(m.Source(), opts...))
}

// CacheFor is Cache that keeps each outcome as long as ttl says for it: [Forever], or not
// at all if that is 0 or less.
//
// See [operators.MonoCacheFor] for demand, errors and the goroutine.
func (m Mono[T]) CacheFor[M Self[T]](ttl func(reactor.Signal[T]) time.Duration, opts ...CacheOption) M {
	return wrap[M](operators.MonoCacheFor(m.Source(), ttl, opts...))
}

// CacheInvalidateIf keeps the element until stale reports true for it at a subscription.
//
// See [operators.MonoCacheInvalidateIf] for demand, errors and the goroutine.
func (m Mono[T]) CacheInvalidateIf[M Self[T]](stale func(T) bool) M {
	return wrap[M](operators.MonoCacheInvalidateIf(m.Source(), stale))
}

// CacheInvalidateWhen keeps the element v until the publisher trigger(v) ends; then
// invalidated, which may be nil, gets it.
//
// See [operators.MonoCacheInvalidateWhen] for demand, errors and the goroutine.
func (m Mono[T]) CacheInvalidateWhen[M Self[T], U any, P reactor.Publisher[U]](trigger func(T) P, invalidated func(T)) M {
	return wrap[M](operators.MonoCacheInvalidateWhen[T, U](m.Source(), trigger, invalidated))
}

// Publish lets fn use m several times while it runs once.
//
// See [operators.MonoPublish] for demand, errors and the goroutine.
func (m Mono[T]) Publish[R any](fn func(Mono[T]) Mono[R]) Mono[R] {
	notNil("publish", "function", fn == nil)
	return Mono[R]{operators.MonoPublish[T, R](m.Source(), func(shared reactor.Publisher[T]) reactor.Publisher[R] {
		return fn(Mono[T]{shared}).Source()
	})}
}

// CacheOption is an option of Cache: [TTL] or [On].
type CacheOption = operators.MonoCacheOption

// Forever is the lifetime of what is never thrown away.
const Forever = operators.Forever

// TTL limits how long an outcome is kept.
func TTL(d time.Duration) TTLOption { return operators.TTL(d) }
