package flux

import (
	"context"
	"iter"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Collect runs the stream and returns its elements, blocking until it ends.
//
//	f:    1 --- 2 |
//	      Collect(ctx, f) returns [1 2]
//
// Demand is unbounded. If f fails, a user function panics or ctx ends, Collect returns the error
// and no elements; those that have come are discarded. On a worker that must not block, the result
// is reactor.ErrBlocking, unless f ends at once; elements that came before are discarded.
func (f Flux[T]) Collect[S Slice[T]](ctx context.Context) (S, error) {
	items, err := operators.Collect(ctx, f.Source())
	return S(items), err
}

// ForEach runs the stream and calls fn with every element, blocking until it ends.
//
//	f:    1 --- 2 |
//	      ForEach(ctx, f, fn) calls fn(1), fn(2), returns nil
//
// Demand is unbounded. The result is the error of f; the cause of ctx, if ctx ends first; or a
// *reactor.PanicError, if fn panics, which cancels f. fn runs on the goroutine that emits, which
// need not be the caller's. When ctx ends, ForEach still waits for a running call of fn, but for no
// other function that runs elsewhere. On a worker that must not block, the result is
// reactor.ErrBlocking, unless f ends at once.
func (f Flux[T]) ForEach[F Self[T]](ctx context.Context, fn func(T)) error {
	return operators.ForEach(ctx, f.Source(), fn)
}

// TryForEach is [Flux.ForEach] for a function that can fail: the first error of fn cancels the
// stream and is returned.
//
//	f:    1 --- 2 X
//	      TryForEach(ctx, f, fn) calls fn(1), fn(2), returns the error of fn(2)
func (f Flux[T]) TryForEach[F Self[T]](ctx context.Context, fn func(T) error) error {
	return operators.TryForEach(ctx, f.Source(), fn)
}

// Run runs the stream for its side effects, blocking until it ends.
//
//	f:    1 --- 2 |
//	      Run(ctx, f) returns nil
//
// Demand is unbounded. Errors are those of [Flux.ForEach].
func (f Flux[T]) Run[F Self[T]](ctx context.Context) error { return operators.Run(ctx, f.Source()) }

// AllOption is an option of [Flux.All] and [Flux.ToChan]: [Prefetch].
type AllOption = operators.AllOption

// All returns the elements as a sequence for a range loop; an error comes in the last pair.
// Leaving the loop early cancels the stream.
//
//	f:    1 --- 2 --- 3 |
//	      for v, err := range All(ctx, f) { … }
//
// An error of f, a panic of a user function, or the end of ctx comes in the last pair, with the
// zero value; then the loop ends. When the loop is left early, f is cancelled and the prefetched
// elements are discarded before the program goes on. The end of ctx arrives on a goroutine of its
// own: elements that were computed or queued before may still come, and if those were the last
// ones, the loop ends without an error.
//
// If the source computes its elements on request, as Range, FromSeq and Generate do, and the stages
// between it and the loop are only Map, Filter, Take, Scan, DoOnNext and their like, then each
// element is computed when the loop comes to it. Otherwise (Distinct, Retry, ConcatMap, PublishOn,
// …) f emits on its own goroutine into a queue: up to 256 elements (see [Prefetch]) are requested
// ahead, and replenished when three quarters of them have been taken; with a prefetch of 1 the loop
// requests one element at a time. No goroutine is started. The loop waits while the queue is empty;
// on a worker that must not block, the last pair is reactor.ErrBlocking instead.
func (f Flux[T]) All[F Self[T]](ctx context.Context, opts ...AllOption) iter.Seq2[T, error] {
	return operators.All(ctx, f.Source(), opts...)
}

// BlockFirst waits for the first element, cancels the stream and returns the element. The error for
// an empty stream is reactor.ErrNoElements.
//
//	f:    --- 1 --- 2 X
//	      BlockFirst(ctx, f) returns 1
//
// One element is requested. Errors are those of [operators.Block].
func (f Flux[T]) BlockFirst[F Self[T]](ctx context.Context) (T, error) {
	return operators.BlockFirst(ctx, f.Source())
}

// BlockLast runs the stream and returns its last element. The error for an empty stream is
// reactor.ErrNoElements.
//
//	f:    --- 1 --- 2 |
//	      BlockLast(ctx, f) returns 2
//
// Demand is unbounded. Errors are those of [operators.Block].
func (f Flux[T]) BlockLast[F Self[T]](ctx context.Context) (T, error) {
	return operators.BlockLast(ctx, f.Source())
}

// ToChan runs the stream and sends its elements to the first channel. When that channel is closed,
// the second one yields the error, if there is one. A reader that stops early has to end ctx.
//
//	f:    1 --- 2 |
//	      ToChan(ctx, f) sends 1, 2, closes
//
// The end of ctx cancels f and ends the goroutine that sends; the error is then the cause of ctx.
// If a user function ended that goroutine, the error is reactor.ErrGoexit. Prefetching is that of
// [Flux.All].
func (f Flux[T]) ToChan[F Self[T]](ctx context.Context, opts ...AllOption) (<-chan T, <-chan error) {
	return operators.ToChan(ctx, f.Source(), opts...)
}

// SubscribeOption is an option of [Flux.SubscribeFunc].
type SubscribeOption = operators.SubscribeOption

// OnError makes [Flux.SubscribeFunc] call fn if the stream fails.
func OnError(fn func(error)) SubscribeOption { return operators.OnError(fn) }

// OnComplete makes [Flux.SubscribeFunc] call fn when the stream has completed.
func OnComplete(fn func()) SubscribeOption { return operators.OnComplete(fn) }

// OnSubscribe makes [Flux.SubscribeFunc] call fn with the subscription, and leave all requests to
// fn.
func OnSubscribe(fn func(reactor.Subscription)) SubscribeOption { return operators.OnSubscribe(fn) }

// SubscribeFunc runs the stream without waiting for it, calls onNext, which may be nil, with
// every element, and returns a handle that stops the stream.
//
//	f:    1 --- 2 |
//	      SubscribeFunc(ctx, f, fn) calls fn(1), fn(2)
//
// Demand is unbounded, unless [OnSubscribe] is given. An error of f, a panic of onNext or of the
// function given to OnSubscribe (such a panic cancels f), and the end of ctx go to [OnError].
// Panics of the other functions are reported as dropped errors. Disposing the handle cancels f;
// after that no function is called. Functions run on the goroutine of f, one at a time.
//
// How soon the end of ctx reaches the functions depends on the stage that sends:
//
//   - a source that computes its elements on request, as Range, FromSeq and Generate do, and a
//     stage that sends many elements in a row, as PublishOn, Zip and FlatMapSlice do, check ctx
//     before every element;
//   - Create, FromChan, FlatMap and every other stage with a queue that several goroutines feed,
//     and stages that deliver to several subscribers, as Publish and the sinks for many do, report
//     the end of ctx when the element on its way down has arrived: a function on that way that
//     blocks delays the report;
//   - any other stage reports it at once or, while onNext runs, when onNext has returned.
//
// [Flux.ForEach] and its like do not wait for an element on its way down, unless a stage above
// sends many elements in a row.
func (f Flux[T]) SubscribeFunc[F Self[T]](ctx context.Context, onNext func(T), opts ...SubscribeOption) reactor.Disposable {
	return operators.SubscribeFunc(ctx, f.Source(), onNext, opts...)
}

// SubscribeWith subscribes s and returns it.
func (f Flux[T]) SubscribeWith[S reactor.Subscriber[T]](ctx context.Context, s S) S {
	f.Subscribe(ctx, s)
	return s
}
