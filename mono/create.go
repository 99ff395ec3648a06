package mono

import (
	"context"
	"io"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// Just returns the Mono that emits v.
//
//	      Just(7)
//	out:  7 |
//
// v is emitted at the first request, on the goroutine that requests. Operators such as
// [Mono.FlatMap] take v without subscribing.
func Just[T any](v T) Mono[T] { return Mono[T]{operators.Just(v)} }

// JustOrEmpty returns the Mono that emits v if ok is true, and otherwise an empty
// Mono. It takes the two results of a map lookup and the like.
func JustOrEmpty[T any](v T, ok bool) Mono[T] {
	if ok {
		return Just(v)
	}
	return Empty[T]()
}

// Empty returns the Mono that completes without an element and without waiting
// for demand.
func Empty[T any]() Mono[T] { return Mono[T]{operators.Empty[T]()} }

// Never returns the Mono that sends nothing at all.
func Never[T any]() Mono[T] { return Mono[T]{operators.Never[T]()} }

// Error returns the Mono that fails with err, without waiting for demand.
func Error[T any](err error) Mono[T] { return Mono[T]{operators.Error[T](err)} }

// ErrorFrom returns the Mono that fails with the error that supplier returns; supplier is called
// once per subscription.
//
//	      ErrorFrom(() => fmt.Errorf("at %v", time.Now()))
//	out:  #
//
// A nil error becomes reactor.ErrNilError. supplier runs on the goroutine that subscribes.
func ErrorFrom[T any](supplier func() error) Mono[T] {
	return Mono[T]{operators.ErrorFrom[T](supplier)}
}

// Defer returns the Mono that calls supplier at every subscription, with the context of the
// subscription, and subscribes to the Mono that supplier returns.
//
//	m:    --- a |
//	      Defer(ctx => order(ctx))
//	out:  --- a |      order is called at subscription
//
// The context of supplier does not end when the stream ends or is cancelled: it is for its values,
// and for what supplier itself waits for. Put what is to last as long as the stream into the Mono
// that supplier returns, for example [Using] or [Create].
//
// Everything else is up to the supplied publisher. A panic of supplier, or a nil publisher, ends
// the stream. supplier runs on the goroutine that subscribes and should not block.
func Defer[T any](supplier func(context.Context) Mono[T]) Mono[T] {
	argument.Given("defer", "supplier", supplier != nil)
	return Mono[T]{operators.Defer(func(ctx context.Context) reactor.Publisher[T] { return supplier(ctx).Source() })}
}

// Delay returns the Mono that emits 0 when d has passed since the subscription.
//
//	      Delay(3ms)
//	out:  --- 0 |
//
// The element waits for demand. It is emitted on the scheduler (schedulers.Parallel(), or see
// [On]), or on the goroutine of the first request if that comes later. A delay ≤ 0 means as
// soon as possible. Cancellation stops the timer.
func Delay(d time.Duration, opts ...SchedulerOption) Mono[int64] {
	return Mono[int64]{operators.Delay(d, opts...)}
}

// Sink is where the producer of [Create] puts its result.
//
// It has, see [operators.MonoSink]:
//
//	Success(v T)
//	Complete()
//	Error(err error)
//	IsCancelled() bool
//	OnRequest(fn func())
//	OnCancel(fn func())
//	OnDispose(fn func())
//	Context() context.Context
type Sink[T any] = operators.MonoSink[T]

// Create returns the Mono of what produce puts into a sink: the bridge from callbacks.
//
//	      Create(func(s) { client.Get(key, s.Success) })
//	out:  --- a |
//
// produce runs once per subscription, on the goroutine that subscribes, after OnSubscribe. The
// sink may be used from any goroutine; the first of Success, Complete and Error counts. The
// element waits for demand. The functions given to OnDispose are called at the end or at the
// cancellation. A panic of produce is the error of the stream.
func Create[T any](produce func(*Sink[T])) Mono[T] { return Mono[T]{operators.MonoCreate(produce)} }

// UsingOption is an option of [Using] and [UsingCloser].
type UsingOption = operators.UsingOption

// LateRelease makes [Using] release the resource after downstream has learnt of the
// end, not before. A failure of the release is then reported as a dropped error.
func LateRelease() LateReleaseOption { return operators.LateRelease() }

// Using returns the Mono that use makes of a resource. The resource is acquired at subscription
// and released once: before the element or the end goes down, or at the cancellation.
//
//	m:    --- a |
//	      Using(open, first, close)
//	out:  --- a |      close(r) before a
func Using[T, R any](
	acquire func(context.Context) (R, error), use func(R) Mono[T], release func(R) error, opts ...UsingOption,
) Mono[T] {
	argument.Given("using", "function that uses", use != nil)
	return Mono[T]{operators.MonoUsing(acquire, func(r R) reactor.Publisher[T] { return use(r).Source() }, release, opts...)}
}

// UsingCloser is [Using] for a resource that is released by its Close method.
//
//	m:    --- a |
//	      UsingCloser(open, first)
//	out:  --- a |      f.Close() before a
func UsingCloser[T any, C io.Closer](
	acquire func(context.Context) (C, error), use func(C) Mono[T], opts ...UsingOption,
) Mono[T] {
	argument.Given("using", "function that uses", use != nil)
	return Mono[T]{operators.MonoUsingCloser(acquire, func(c C) reactor.Publisher[T] { return use(c).Source() }, opts...)}
}

// UsingWhen returns the Mono that use makes of the first element of resource. The element of
// that Mono is held back until the publisher that cleanup returns has ended.
//
//	resource:  --- r |
//	use(r):          --- a |
//	           UsingWhen(resource, use, cleanup)
//	out:       --------- a |
func UsingWhen[T, R, C any, Q reactor.Publisher[C]](
	resource reactor.Publisher[R], use func(R) Mono[T], cleanup func(R) Q,
) Mono[T] {
	argument.Given("usingWhen", "cleanup", cleanup != nil)
	return UsingWhenOutcome(resource, use, cleanup, func(r R, _ error) Q { return cleanup(r) }, cleanup)
}

// UsingWhenOutcome is [UsingWhen] with a cleanup for each outcome: completion (to commit),
// failure (to roll back), cancellation.
//
//	resource:  --- r |
//	use(r):          --- a |
//	           UsingWhenOutcome(resource, use, complete, fail, cancel)
//	out:       --------- a |
func UsingWhenOutcome[T, R, C any, Q reactor.Publisher[C]](
	resource reactor.Publisher[R], use func(R) Mono[T],
	onComplete func(R) Q, onError func(R, error) Q, onCancel func(R) Q,
) Mono[T] {
	argument.Given("usingWhen", "function that uses", use != nil)
	argument.Given("usingWhen", "cleanup", onComplete != nil && onError != nil && onCancel != nil)
	_, single := resource.(Mono[R])
	return Mono[T]{operators.MonoUsingWhen(resource, func(r R) reactor.Publisher[T] { return use(r).Source() },
		operators.AsyncCleanup[R, C]{
			Complete:         func(r R) reactor.Publisher[C] { return onComplete(r) },
			Error:            func(r R, err error) reactor.Publisher[C] { return onError(r, err) },
			Cancel:           func(r R) reactor.Publisher[C] { return onCancel(r) },
			ResourceIsSingle: single,
		})}
}

// FromFunc returns the Mono of the result of fn, which may block. fn runs at the first request,
// on the goroutine that requests (see SubscribeOn); its context ends when the subscriber
// cancels while fn runs.
//
//	      FromFunc(func(ctx context.Context) (User, error) { return db.Load(ctx, id) })
//	out:  user |
//
// fn runs once per subscription, at the first request, on the goroutine that requests:
// [Mono.SubscribeOn] decides which goroutine that is. Without it fn holds up the goroutine that
// requests: flux.Flux.FlatMap runs the functions of its inner publishers one after the other,
// whatever its Concurrency, unless each has a SubscribeOn. The context of fn has the values and the
// deadline of the subscription's context. It ends when the subscriber cancels while fn runs, and
// when the context given to [Mono.Block] or [Mono.SubscribeFunc] ends. It does not end when fn
// returns, so that the result of fn may go on using it. The result of a cancelled call is
// discarded.
func FromFunc[T any](fn func(context.Context) (T, error)) Mono[T] {
	return Mono[T]{operators.FromFunc(fn)}
}

// FromCallable returns the Mono of the result of fn, which must not block.
//
//	      FromCallable(os.Hostname)
//	out:  "hal" |
//
// fn runs once per subscription, at the first request, on the goroutine that requests.
// Operators such as [Mono.FlatMap] call fn without subscribing, so fn must not block; for
// functions that block there is [FromFunc]. The result of a call that was cancelled while it
// ran is discarded.
func FromCallable[T any](fn func() (T, error)) Mono[T] {
	return Mono[T]{operators.FromCallable(fn)}
}

// FromSupplier returns the Mono of the result of fn, which must not block.
//
//	      FromSupplier(time.Now)
//	out:  12:00 |
func FromSupplier[T any](fn func() T) Mono[T] { return Mono[T]{operators.FromSupplier(fn)} }

// FromOptional returns the Mono of the result of fn, empty if fn reports false. fn must not
// block.
//
//	      FromOptional(func() (int, bool, error) { return cache.Get("a") })
//	out:  |
func FromOptional[T any](fn func() (T, bool, error)) Mono[T] {
	return Mono[T]{operators.FromOptional(fn)}
}

// FromRunnable returns the Mono that runs fn at subscription and completes empty.
//
//	      FromRunnable(flush)
//	out:  |
//
// fn needs no demand; it runs on the goroutine that subscribes, after OnSubscribe, unless the
// subscriber has cancelled there. Operators such as [Mono.FlatMap] call fn without subscribing,
// so fn must not block.
func FromRunnable[T any](fn func() error) Mono[T] { return Mono[T]{operators.FromRunnable[T](fn)} }

// FromChan returns the Mono of the first element received from ch; it is empty if ch is closed
// before an element comes.
//
//	      FromChan(ch)
//	out:  a |
func FromChan[T any](ch <-chan T) Mono[T] { return Mono[T]{operators.MonoFromChan(ch)} }

// From returns the Mono of the first element of p; after that element p is cancelled. If p is a
// Mono, From returns it unchanged.
//
//	p:    --- 1 X
//	      From(p)
//	out:  --- 1 |
func From[T any](p reactor.Publisher[T]) Mono[T] {
	if m, ok := p.(Mono[T]); ok {
		return m
	}
	return Mono[T]{operators.MonoFrom(p)}
}
