package mono

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Block runs the Mono and returns its element, blocking until it ends. The error for an empty
// Mono is reactor.ErrNoElements; to wait for a Mono that has no element, such as a result of
// [Mono.Then] or [When], use [Mono.Run].
//
//	m:    --- 1 |
//	      Block(ctx, m) returns 1
//
// Demand is unbounded. An error of m, a panic of a user function, or the end of ctx is
// returned. On a worker that must not block the result is reactor.ErrBlocking, unless m ends
// at once.
func (m Mono[T]) Block[M Self[T]](ctx context.Context) (T, error) {
	return operators.Block(ctx, m.Source())
}

// BlockOptional is [Mono.Block], but returns false as ok if the Mono was empty.
//
//	m:    --- |
//	      BlockOptional(ctx, m) returns 0, false
func (m Mono[T]) BlockOptional[M Self[T]](ctx context.Context) (v T, ok bool, err error) {
	return operators.BlockOptional(ctx, m.Source())
}

// Run runs the Mono for its side effects, blocking until it ends.
//
// Demand is unbounded. Errors are those of [operators.ForEach].
func (m Mono[T]) Run[M Self[T]](ctx context.Context) error { return operators.Run(ctx, m.Source()) }

// SubscribeOption is an option of [Mono.SubscribeFunc].
type SubscribeOption = operators.SubscribeOption

// OnError makes [Mono.SubscribeFunc] call fn if the Mono fails.
func OnError(fn func(error)) SubscribeOption { return operators.OnError(fn) }

// OnComplete makes [Mono.SubscribeFunc] call fn when the Mono has completed, with
// or without an element.
func OnComplete(fn func()) SubscribeOption { return operators.OnComplete(fn) }

// OnSubscribe makes [Mono.SubscribeFunc] call fn with the subscription, and leave all requests to
// fn.
func OnSubscribe(fn func(reactor.Subscription)) SubscribeOption { return operators.OnSubscribe(fn) }

// SubscribeFunc runs the Mono without waiting for it, calls onNext, which may be nil, with the
// element, and returns a handle that stops the Mono.
//
// Demand is unbounded, unless [OnSubscribe] is given. An error of m, a panic of onNext or of the
// function given to OnSubscribe (such a panic cancels m), and the end of ctx go to [OnError].
// Panics of the other functions are reported as dropped errors. Disposing the handle cancels m;
// after that no function is called. Functions run on the goroutine of m, one at a time. If m
// computes its element on request, as FromFunc does, the caller waits for that function, and the
// end of ctx is reported when the function has returned.
func (m Mono[T]) SubscribeFunc[M Self[T]](ctx context.Context, onNext func(T), opts ...SubscribeOption) reactor.Disposable {
	return operators.SubscribeFunc(ctx, m.Source(), onNext, opts...)
}

// SubscribeWith subscribes s and returns it.
func (m Mono[T]) SubscribeWith[S reactor.Subscriber[T]](ctx context.Context, s S) S {
	m.Subscribe(ctx, s)
	return s
}

// Future is the result of a Mono that runs; see [operators.Future].
//
// It has, see [operators.Future]:
//
//	Done() <-chan struct{}
//	Wait(ctx context.Context) (v T, ok bool, err error)
//	Cancel()
type Future[T any] = operators.Future[T]

// ToFuture runs the Mono without waiting for it and returns a future for its result.
//
//	m:    --- 1 |
//	      ToFuture(ctx, m).Wait(ctx) returns 1, true
//
// Demand is unbounded. The end of ctx cancels m and becomes the result, as does
// [Future.Cancel].
func (m Mono[T]) ToFuture[M Self[T]](ctx context.Context) *Future[T] {
	return operators.ToFuture(ctx, m.Source())
}

// FutureOption is an option of [FromFuture].
type FutureOption = operators.FutureOption

// SuppressCancel makes [FromFuture] not cancel the future when a subscriber cancels.
func SuppressCancel() SuppressCancelOption { return operators.SuppressCancel() }

// FromFuture returns the Mono of the result of f. Cancellation cancels f, unless
// [SuppressCancel] is given.
//
//	      FromFuture(f)
//	out:  --- a |
//
// The element waits for demand. A future runs already; to start one per subscription, wrap the call
// of FromFuture in [Defer]. The element is emitted on the goroutine that brings the result or, if
// the result is already there, on the one that subscribes or requests.
func FromFuture[T any](f *Future[T], opts ...FutureOption) Mono[T] {
	return Mono[T]{operators.FromFuture(f, opts...)}
}
