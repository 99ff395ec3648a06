package flux

import (
	"context"
	"iter"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Collect runs the stream and returns its elements, blocking until it ends.
//
// See [operators.Collect] for demand, errors and blocking.
func (f Flux[T]) Collect[S Slice[T]](ctx context.Context) (S, error) {
	items, err := operators.Collect(ctx, f.Source())
	return S(items), err
}

// ForEach runs the stream and calls fn with every element, blocking until it
// ends.
//
// See [operators.ForEach] for demand, errors and blocking.
func (f Flux[T]) ForEach[F Self[T]](ctx context.Context, fn func(T)) error {
	return operators.ForEach(ctx, f.Source(), fn)
}

// TryForEach is [Flux.ForEach] for a function that can fail: its first error
// cancels the stream and is returned.
//
// See [operators.TryForEach].
func (f Flux[T]) TryForEach[F Self[T]](ctx context.Context, fn func(T) error) error {
	return operators.TryForEach(ctx, f.Source(), fn)
}

// Run runs the stream for its side effects, blocking until it ends.
//
// See [operators.Run] for demand, errors and blocking.
func (f Flux[T]) Run[F Self[T]](ctx context.Context) error { return operators.Run(ctx, f.Source()) }

// AllOption is an option of [Flux.All] and [Flux.ToChan]: [Prefetch].
type AllOption = operators.AllOption

// All returns the elements as a sequence for a range loop; an error is the last
// pair. Leaving the loop early cancels the stream.
//
// See [operators.All] for demand, errors and blocking.
func (f Flux[T]) All[F Self[T]](ctx context.Context, opts ...AllOption) iter.Seq2[T, error] {
	return operators.All(ctx, f.Source(), opts...)
}

// BlockFirst returns the first element, blocking until it is there, and cancels the
// stream. The error for an empty stream is reactor.ErrNoElements.
//
// See [operators.BlockFirst] for demand, errors and blocking.
func (f Flux[T]) BlockFirst[F Self[T]](ctx context.Context) (T, error) {
	return operators.BlockFirst(ctx, f.Source())
}

// BlockLast runs the stream and returns its last element. The error for an empty
// stream is reactor.ErrNoElements.
//
// See [operators.BlockLast] for demand, errors and blocking.
func (f Flux[T]) BlockLast[F Self[T]](ctx context.Context) (T, error) {
	return operators.BlockLast(ctx, f.Source())
}

// ToChan runs the stream and sends its elements to the first channel; when that is
// closed, the second yields the error, if any. A reader that stops early has to end
// ctx.
//
// See [operators.ToChan] for demand and the goroutine.
func (f Flux[T]) ToChan[F Self[T]](ctx context.Context, opts ...AllOption) (<-chan T, <-chan error) {
	return operators.ToChan(ctx, f.Source(), opts...)
}

// SubscribeOption is an option of [Flux.SubscribeFunc].
type SubscribeOption = operators.SubscribeOption

// OnError makes [Flux.SubscribeFunc] call fn if the stream fails.
func OnError(fn func(error)) SubscribeOption { return operators.OnError(fn) }

// OnComplete makes [Flux.SubscribeFunc] call fn when the stream has completed.
func OnComplete(fn func()) SubscribeOption { return operators.OnComplete(fn) }

// OnSubscribe makes [Flux.SubscribeFunc] call fn with the subscription, and leave
// the demand to it.
func OnSubscribe(fn func(reactor.Subscription)) SubscribeOption { return operators.OnSubscribe(fn) }

// SubscribeFunc runs the stream without waiting for it, calls onNext, which may be
// nil, with every element, and returns what stops that again.
//
// See [operators.SubscribeFunc] for demand, errors and the goroutine.
func (f Flux[T]) SubscribeFunc[F Self[T]](ctx context.Context, onNext func(T), opts ...SubscribeOption) reactor.Disposable {
	return operators.SubscribeFunc(ctx, f.Source(), onNext, opts...)
}

// SubscribeWith subscribes s and returns it.
func (f Flux[T]) SubscribeWith[S reactor.Subscriber[T]](ctx context.Context, s S) S {
	f.Subscribe(ctx, s)
	return s
}
