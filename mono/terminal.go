package mono

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Block runs the Mono and returns its element, blocking until it ends. The error for
// an empty Mono is reactor.ErrNoElements.
//
// See [operators.Block] for errors and blocking.
func (m Mono[T]) Block[M Self[T]](ctx context.Context) (T, error) {
	return operators.Block(ctx, m.Source())
}

// BlockOptional is [Mono.Block] that reports by false that the Mono was empty.
//
// See [operators.BlockOptional].
func (m Mono[T]) BlockOptional[M Self[T]](ctx context.Context) (v T, ok bool, err error) {
	return operators.BlockOptional(ctx, m.Source())
}

// Run runs the Mono for its side effects, blocking until it ends.
//
// See [operators.Run] for errors and blocking.
func (m Mono[T]) Run[M Self[T]](ctx context.Context) error { return operators.Run(ctx, m.Source()) }

// SubscribeOption is an option of [Mono.SubscribeFunc].
type SubscribeOption = operators.SubscribeOption

// OnError makes [Mono.SubscribeFunc] call fn if the Mono fails.
func OnError(fn func(error)) SubscribeOption { return operators.OnError(fn) }

// OnComplete makes [Mono.SubscribeFunc] call fn when the Mono has completed, with
// or without an element.
func OnComplete(fn func()) SubscribeOption { return operators.OnComplete(fn) }

// OnSubscribe makes [Mono.SubscribeFunc] call fn with the subscription, and leave
// the demand to it.
func OnSubscribe(fn func(reactor.Subscription)) SubscribeOption { return operators.OnSubscribe(fn) }

// SubscribeFunc runs the Mono without waiting for it, calls onNext, which may be
// nil, with the element, and returns what stops that again.
//
// See [operators.SubscribeFunc] for demand, errors and the goroutine.
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

// ToFuture runs the Mono without waiting for it and returns what stands for its
// result.
//
// See [operators.ToFuture] for demand, errors and cancellation.
func (m Mono[T]) ToFuture[M Self[T]](ctx context.Context) *Future[T] {
	return operators.ToFuture(ctx, m.Source())
}

// FutureOption is an option of [FromFuture].
type FutureOption = operators.FutureOption

// SuppressCancel keeps the cancellation of one subscriber from the future.
func SuppressCancel() SuppressCancelOption { return operators.SuppressCancel() }

// FromFuture returns the Mono of the result of f. Cancellation cancels f, unless
// [SuppressCancel] is given.
//
// See [operators.FromFuture] for demand, errors and the goroutine.
func FromFuture[T any](f *Future[T], opts ...FutureOption) Mono[T] {
	return Mono[T]{operators.FromFuture(f, opts...)}
}
