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
// Demand is unbounded. An error of f, a panic of a user function, or the end of ctx is
// returned without elements, which are discarded. On a worker that must not block the result is
// reactor.ErrBlocking, unless f ends at once; elements that came before are discarded then.
func (f Flux[T]) Collect[S Slice[T]](ctx context.Context) (S, error) {
	items, err := operators.Collect(ctx, f.Source())
	return S(items), err
}

// ForEach runs the stream and calls fn with every element, blocking until it ends.
//
//	f:    1 --- 2 |
//	      ForEach(ctx, f, fn) calls fn(1), fn(2), returns nil
//
// Demand is unbounded. The result is the error of f, or the cause of ctx if that ends first,
// or a *reactor.PanicError if fn panics, which cancels f. fn runs on the goroutine that
// emits, which need not be the caller's. The end of ctx waits for fn, and for no other function that
// runs elsewhere. On a worker that must not block the result is reactor.ErrBlocking, unless f ends at once.
func (f Flux[T]) ForEach[F Self[T]](ctx context.Context, fn func(T)) error {
	return operators.ForEach(ctx, f.Source(), fn)
}

// TryForEach is [Flux.ForEach] for a function that can fail: its first error cancels the stream
// and is returned.
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

// All returns the elements as a sequence for a range loop; an error is the last pair. Leaving
// the loop early cancels the stream.
//
//	f:    1 --- 2 --- 3 |
//	      for v, err := range All(ctx, f) { … }
//
// An error of f, a panic of a user function, or the end of ctx is the last pair, with the
// zero value; then the loop ends. A loop that is left early discards what was prefetched, and is
// left when f has been told. The end of ctx is told on a goroutine of its
// own: what was computed or queued before that may still come, and if it is all there was the loop
// ends without an error.
//
// Where f computes its elements when they are asked for, as Range, FromSeq and Generate do, and no
// stage between it and the loop does more than Map, Filter, Take, Scan, DoOnNext and their like, each
// is computed when the loop comes to it. Else (Distinct, Retry, ConcatMap, PublishOn, …) up to a
// prefetch of elements (256, see [Prefetch]) are requested ahead, and replenished when three quarters
// of them have been taken; f emits them on its own goroutine into a queue; with a prefetch of 1 the
// loop asks for one at a time. No goroutine is started. The loop waits while the queue is empty; on
// a worker that must not block the last pair is reactor.ErrBlocking instead.
func (f Flux[T]) All[F Self[T]](ctx context.Context, opts ...AllOption) iter.Seq2[T, error] {
	return operators.All(ctx, f.Source(), opts...)
}

// BlockFirst returns the first element, blocking until it is there, and cancels the stream. The
// error for an empty stream is reactor.ErrNoElements.
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

// ToChan runs the stream and sends its elements to the first channel; when that is closed, the
// second yields the error, if any. A reader that stops early has to end ctx.
//
//	f:    1 --- 2 |
//	      ToChan(ctx, f) sends 1, 2, closes
//
// The end of ctx cancels f and ends the goroutine that sends; the error is the cause then. Where a
// user function ended that goroutine, it is reactor.ErrGoexit. Prefetching is that of [Flux.All].
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

// SubscribeFunc runs the stream without waiting for it, calls onNext, which may be nil, with
// every element, and returns what stops that again.
//
//	f:    1 --- 2 |
//	      SubscribeFunc(ctx, f, fn) calls fn(1), fn(2)
//
// Demand is unbounded, or see [OnSubscribe]. An error of f, a panic of onNext or of the function
// given to OnSubscribe, which cancel f, or the end of ctx go to [OnError]. Panics of the other
// functions are reported as dropped errors. Disposing cancels, after which nothing is called.
// Functions run on the goroutine of f, one at a time.
//
// How soon the end of ctx is told depends on who sends:
//
//   - a source that computes its elements when they are asked for, as Range, FromSeq and Generate do,
//     and a stage that hands on many at a time, as PublishOn, Zip and FlatMapSlice do, look for it
//     before every element;
//   - Create, FromChan, FlatMap and whatever else has a queue, in which one of several sends at a time,
//     and what delivers to several subscribers, as Publish and the sinks for many do, tell of it when
//     the element on its way has arrived: a function on that way that blocks holds it up;
//   - anything else tells of it at once or, while onNext runs, when that has returned.
//
// [Flux.ForEach] and its like do not wait for an element on its way, unless a stage above hands on
// many at a time.
func (f Flux[T]) SubscribeFunc[F Self[T]](ctx context.Context, onNext func(T), opts ...SubscribeOption) reactor.Disposable {
	return operators.SubscribeFunc(ctx, f.Source(), onNext, opts...)
}

// SubscribeWith subscribes s and returns it.
func (f Flux[T]) SubscribeWith[S reactor.Subscriber[T]](ctx context.Context, s S) S {
	f.Subscribe(ctx, s)
	return s
}
