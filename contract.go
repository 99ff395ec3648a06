package reactor

import (
	"context"
	"math"
)

// Unbounded is the demand that is never used up (§3.17). After a Request of
// Unbounded, or requests that add up to it, a publisher may send without counting.
const Unbounded int64 = math.MaxInt64

// Publisher is a source of up to infinitely many elements that sends them only
// on demand.
type Publisher[T any] interface {
	// Subscribe starts a stream for s, which receives OnSubscribe exactly once
	// before any other signal (§1.9). Failures are reported by OnError, never
	// by a panic out of Subscribe; the one exception is a nil s.
	//
	// The end of ctx cancels the stream and is delivered as
	// OnError(context.Cause(ctx)).
	Subscribe(ctx context.Context, s Subscriber[T])
}

// Subscriber receives the signals of one stream. Its methods are called one at
// a time (§1.3) and must not panic (§2.13); a subscriber that panics is
// regarded as cancelled and receives nothing more.
type Subscriber[T any] interface {
	// OnSubscribe hands over the subscription. Nothing is sent before
	// Request is called on it, which may happen right here (§3.2).
	OnSubscribe(Subscription)
	// OnNext delivers one element. The zero value and nil are legal elements.
	OnNext(T)
	// OnError ends the stream with a failure; err is never nil.
	OnError(err error)
	// OnComplete ends the stream successfully.
	OnComplete()
}

// Subscription is the link between one Subscriber and one Publisher. Both
// methods may be called from any goroutine, concurrently, and from within the
// subscriber's callbacks; both return promptly and never panic (§3.4, §3.5,
// §3.15, §3.16).
type Subscription interface {
	// Request adds n to the demand. The sum saturates at Unbounded. A value
	// of n ≤ 0 ends the stream with [ErrIllegalRequest] (§3.9). After Cancel or
	// a terminal signal it does nothing (§3.6).
	Request(n int64)
	// Cancel asks the publisher to stop and to release its resources. It is
	// idempotent (§3.7). Signals already under way may still arrive (§2.8).
	Cancel()
}

// Processor is a stage that is both a Subscriber and a Publisher and obeys the
// rules of both (§4.1).
type Processor[T, R any] interface {
	Subscriber[T]
	Publisher[R]
}

// Disposable is a handle on something that can be stopped.
type Disposable interface {
	// Dispose stops it. It is idempotent and safe from any goroutine.
	Dispose()
	// IsDisposed reports whether it was stopped or has ended by itself.
	IsDisposed() bool
}
