package flux

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// Just returns the Flux of the given elements.
//
// See [operators.JustAll] for demand, cancellation and the goroutine.
func Just[T any](items ...T) Flux[T] { return Flux[T]{operators.JustAll(items...)} }

// FromSlice returns the Flux of the elements of items, which is not copied. What
// is left at cancellation is discarded.
//
// See [operators.FromSlice] for demand and the goroutine.
func FromSlice[T any](items []T) Flux[T] { return Flux[T]{operators.FromSlice(items)} }

// FromSeq returns the Flux of the elements of seq, which is started once per
// subscription and always runs to its end or is told to stop.
//
// See [operators.FromSeq] for demand, errors, cancellation and the goroutine.
func FromSeq[T any](seq iter.Seq[T]) Flux[T] { return Flux[T]{operators.FromSeq(seq)} }

// FromSeq2 returns the Flux of the elements of seq; the first error in it ends the
// Flux.
//
// See [operators.FromSeq2] for demand, errors, cancellation and the goroutine.
func FromSeq2[T any](seq iter.Seq2[T, error]) Flux[T] { return Flux[T]{operators.FromSeq2(seq)} }

// FromChan returns the Flux of what is received from ch, on demand; it completes
// when ch is closed.
//
// See [operators.FromChan] for demand, cancellation and the goroutine.
func FromChan[T any](ch <-chan T) Flux[T] { return Flux[T]{operators.FromChan(ch)} }

// Range returns the Flux of count consecutive integers from start on.
//
// See [operators.Range] for demand and the goroutine.
func Range(start, count int) Flux[int] { return Flux[int]{operators.Range(start, count)} }

// Empty returns the Flux that completes without an element and without waiting
// for demand.
func Empty[T any]() Flux[T] { return Flux[T]{operators.Empty[T]()} }

// Never returns the Flux that sends nothing at all.
func Never[T any]() Flux[T] { return Flux[T]{operators.Never[T]()} }

// Error returns the Flux that fails with err, without waiting for demand.
func Error[T any](err error) Flux[T] { return Flux[T]{operators.Error[T](err)} }

// ErrorFrom returns the Flux that fails with what supply returns, asked once per
// subscription.
//
// See [operators.ErrorFrom] for errors and the goroutine.
func ErrorFrom[T any](supply func() error) Flux[T] {
	return Flux[T]{operators.ErrorFrom[T](supply)}
}

// ErrorOnRequest returns the Flux that fails with err at the first request.
func ErrorOnRequest[T any](err error) Flux[T] { return Flux[T]{operators.ErrorOnRequest[T](err)} }

// Defer returns the Flux that asks supply for a publisher at every subscription,
// with its context, and goes on with that one.
//
// See [operators.Defer] for errors and the goroutine.
func Defer[T any, P reactor.Publisher[T]](supply func(context.Context) P) Flux[T] {
	notNil("defer", "supplier", supply == nil)
	return Flux[T]{operators.Defer(func(ctx context.Context) reactor.Publisher[T] { return source(supply(ctx)) })}
}

// From returns the Flux of what any publisher sends: a Mono, a publisher of
// package operators, or one of your own.
//
// See [operators.From] for what is checked.
func From[T any](p reactor.Publisher[T]) Flux[T] { return Flux[T]{operators.From(p)} }

// IntervalOption is an option of [Interval].
type IntervalOption = operators.IntervalOption

// InitialDelay sets the time before the first tick of [Interval].
func InitialDelay(d time.Duration) InitialDelayOption { return operators.InitialDelay(d) }

// Interval returns the Flux of 0, 1, 2, … at a fixed rate; a tick that finds no
// demand ends it with an overflow.
//
// See [operators.Interval] for demand, errors and the goroutine.
func Interval(period time.Duration, opts ...IntervalOption) Flux[int64] {
	return Flux[int64]{operators.Interval(period, opts...)}
}

// Sink is where the producer of [Create] or [Push] puts what it has.
//
// It has, see [operators.FluxSink]:
//
//	Next(v T)
//	Error(err error)
//	Complete()
//	Requested() int64
//	IsCancelled() bool
//	OnRequest(fn func(n int64))
//	OnCancel(fn func())
//	OnDispose(fn func())
//	Context() context.Context
type Sink[T any] = operators.FluxSink[T]

// CreateOption is an option of [Create] and [Push].
type CreateOption = operators.CreateOption

// OverflowStrategy says what becomes of elements that a sink gets without demand.
type OverflowStrategy = operators.OverflowStrategy

// The strategies; see [operators.OverflowStrategy].
const (
	OverflowBuffer = operators.OverflowBuffer
	OverflowDrop   = operators.OverflowDrop
	OverflowLatest = operators.OverflowLatest
	OverflowError  = operators.OverflowError
	OverflowIgnore = operators.OverflowIgnore
)

// Create returns the Flux of what produce puts into a sink, from any number of
// goroutines: the bridge from callbacks, listeners and goroutines of your own.
//
// See [operators.Create] for demand, errors, cancellation and the goroutine.
func Create[T any](produce func(*Sink[T]), opts ...CreateOption) Flux[T] {
	return Flux[T]{operators.Create(produce, opts...)}
}

// Push is [Create] for a producer that calls its sink from one goroutine at a time.
//
// See [operators.Push].
func Push[T any](produce func(*Sink[T]), opts ...CreateOption) Flux[T] {
	return Flux[T]{operators.Push(produce, opts...)}
}

// UsingOption is an option of [Using] and [UsingCloser].
type UsingOption = operators.UsingOption

// LateRelease makes [Using] release the resource after downstream has learnt of the
// end, not before.
func LateRelease() LateReleaseOption { return operators.LateRelease() }

// Using returns the Flux of what use makes of a resource, acquired at subscription
// and released once: at the end, before downstream learns of it, or at the
// cancellation.
//
// See [operators.Using] for demand, errors and the goroutine.
func Using[T, R any, P reactor.Publisher[T]](
	acquire func(context.Context) (R, error), use func(R) P, release func(R) error, opts ...UsingOption,
) Flux[T] {
	notNil("using", "function that uses", use == nil)
	return Flux[T]{operators.Using(acquire, func(r R) reactor.Publisher[T] { return source(use(r)) }, release, opts...)}
}

// UsingCloser is [Using] for a resource that is released by its Close method.
//
// See [operators.UsingCloser].
func UsingCloser[T any, C io.Closer, P reactor.Publisher[T]](
	acquire func(context.Context) (C, error), use func(C) P, opts ...UsingOption,
) Flux[T] {
	notNil("using", "function that uses", use == nil)
	return Flux[T]{operators.UsingCloser(acquire, func(c C) reactor.Publisher[T] { return source(use(c)) }, opts...)}
}

// UsingWhen returns the Flux of what use makes of the first element of resource; at
// its end or cancellation the publisher that cleanup returns runs.
//
// See [operators.UsingWhen] for demand, errors, cancellation and the goroutine.
func UsingWhen[T, R, C any, P reactor.Publisher[T], Q reactor.Publisher[C]](
	resource reactor.Publisher[R], use func(R) P, cleanup func(R) Q,
) Flux[T] {
	notNil("usingWhen", "cleanup", cleanup == nil)
	return UsingWhenOutcome(resource, use, cleanup, func(r R, _ error) Q { return cleanup(r) }, cleanup)
}

// UsingWhenOutcome is [UsingWhen] with a cleanup for each outcome: completion (to
// commit), failure (to roll back), cancellation.
//
// See [operators.UsingWhen].
func UsingWhenOutcome[T, R, C any, P reactor.Publisher[T], Q reactor.Publisher[C]](
	resource reactor.Publisher[R], use func(R) P,
	onComplete func(R) Q, onError func(R, error) Q, onCancel func(R) Q,
) Flux[T] {
	notNil("usingWhen", "function that uses", use == nil)
	notNil("usingWhen", "cleanup", onComplete == nil || onError == nil || onCancel == nil)
	_, single := resource.(mono.Mono[R])
	return Flux[T]{operators.UsingWhen(resource, func(r R) reactor.Publisher[T] { return source(use(r)) },
		operators.AsyncCleanup[R, C]{
			Complete:         func(r R) reactor.Publisher[C] { return source(onComplete(r)) },
			Error:            func(r R, err error) reactor.Publisher[C] { return source(onError(r, err)) },
			Cancel:           func(r R) reactor.Publisher[C] { return source(onCancel(r)) },
			ResourceIsSingle: single,
		})}
}

// SyncSink takes what one call of the function of [Generate] or [Flux.Handle] produces.
//
// It has, see [operators.SyncSink]:
//
//	Next(v T)
//	Error(err error)
//	Complete()
//	Context() context.Context
type SyncSink[T any] = operators.SyncSink[T]

// Generate returns the Flux of elements computed one by one from a state: step
// gets the state that the call before returned, and gives at most one element, or
// the end, to its sink. cleanup gets the last state.
//
// See [operators.Generate] for demand, errors, cancellation and the goroutine.
func Generate[T, S any](initial func() S, step func(S, *SyncSink[T]) S, cleanup ...func(S)) Flux[T] {
	return Flux[T]{operators.Generate(initial, step, cleanup...)}
}

// GenerateStateless is [Generate] without a state.
//
// See [operators.GenerateStateless].
func GenerateStateless[T any](step func(*SyncSink[T])) Flux[T] {
	return Flux[T]{operators.GenerateStateless(step)}
}

// notNil panics if a function that is wrapped before it is handed to package
// operators is missing.
func notNil(op, name string, missing bool) {
	if missing {
		panic("reactor: " + op + ": the " + name + " is nil")
	}
}
