package flux

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// Just returns the Flux of the given elements.
//
//	      Just(a, b, c)
//	out:  a - b - c |
//
// Elements are produced on demand, on the goroutine that requests them. The elements count as
// constants of the program, so those left at cancellation are not discarded; [FromSlice] discards
// them.
func Just[T any](items ...T) Flux[T] { return Flux[T]{operators.JustAll(items...)} }

// FromSlice returns the Flux of the elements of items, which is not copied. Elements left at
// cancellation are discarded.
//
//	      FromSlice([a b c])
//	out:  a - b - c |
//
// Elements are produced on demand, on the goroutine that requests them.
func FromSlice[T any](items []T) Flux[T] { return Flux[T]{operators.FromSlice(items)} }

// FromSeq returns the Flux of the elements of seq, which is started once per subscription and
// always runs to its end or is told to stop.
//
//	      FromSeq(maps.Keys(m))
//	out:  a - b - c |
//
// With unbounded demand it is a range loop over seq on the goroutine that requests. With bounded
// demand seq is suspended between requests, and resumed on the goroutine of the next request; its
// end is noticed when one more element is requested than seq has. After a cancellation its yield
// reports false. Each subscriber starts seq anew, and seq must allow that. A panic of seq ends the
// stream.
//
// A suspended seq is a coroutine ([iter.Pull]). Go ends the process if some of the goroutines that
// request are locked to their thread (runtime.LockOSThread), as the main goroutine of a graphical
// program is, and others are not. In such a program put [Flux.SubscribeOn] behind FromSeq: its
// worker makes all requests.
func FromSeq[T any](seq iter.Seq[T]) Flux[T] { return Flux[T]{operators.FromSeq(seq)} }

// FromSeq2 returns the Flux of the elements of seq; the first error in it ends the Flux.
//
//	      FromSeq2(lines)
//	out:  a - b - #
func FromSeq2[T any](seq iter.Seq2[T, error]) Flux[T] { return Flux[T]{operators.FromSeq2(seq)} }

// FromChan returns the Flux of what is received from ch, on demand; it completes when ch is
// closed.
//
//	      FromChan(ch)
//	out:  a - b - c |
//
// An element is received only when there is demand for it, so ch keeps its own back-pressure;
// its close is noticed when one more element is requested. Where several subscribers receive
// from the same channel, each element goes to one of them. Elements are emitted on one
// goroutine per subscription, which starts with the first request and ends with the stream or
// its cancellation.
func FromChan[T any](ch <-chan T) Flux[T] { return Flux[T]{operators.FromChan(ch)} }

// Range returns the Flux of count consecutive integers from start on.
//
//	      Range(5, 3)
//	out:  5 - 6 - 7 |
//
// Elements are produced on demand, on the goroutine that requests them. A negative count, or
// one that would run past the largest int, panics.
func Range(start, count int) Flux[int] { return Flux[int]{operators.Range(start, count)} }

// Empty returns the Flux that completes without an element and without waiting
// for demand.
func Empty[T any]() Flux[T] { return Flux[T]{operators.Empty[T]()} }

// Never returns the Flux that sends nothing at all.
func Never[T any]() Flux[T] { return Flux[T]{operators.Never[T]()} }

// Error returns the Flux that fails with err, without waiting for demand.
func Error[T any](err error) Flux[T] { return Flux[T]{operators.Error[T](err)} }

// ErrorFrom returns the Flux that fails with the error that supplier returns; supplier is called
// once per subscription.
//
//	      ErrorFrom(() => fmt.Errorf("at %v", time.Now()))
//	out:  #
//
// A nil error becomes reactor.ErrNilError. supplier runs on the goroutine that subscribes.
func ErrorFrom[T any](supplier func() error) Flux[T] {
	return Flux[T]{operators.ErrorFrom[T](supplier)}
}

// ErrorOnRequest returns the Flux that fails with err at the first request.
func ErrorOnRequest[T any](err error) Flux[T] { return Flux[T]{operators.ErrorOnRequest[T](err)} }

// Defer returns the Flux that calls supplier at every subscription, with the context of the
// subscription, and subscribes to the publisher that supplier returns.
//
//	      Defer(ctx => FromSlice(orders(ctx)))
//	out:  a - b |
//
// The context of supplier does not end when the stream ends or is cancelled: it is for its values,
// and for what supplier itself waits for. Put what is to last as long as the stream into the
// publisher that supplier returns, for example [Using] or [Create].
//
// Everything else is up to the supplied publisher. A panic of supplier, or a nil publisher, ends
// the stream. supplier runs on the goroutine that subscribes and should not block.
func Defer[T any, P reactor.Publisher[T]](supplier func(context.Context) P) Flux[T] {
	argument.Given("defer", "supplier", supplier != nil)
	return Flux[T]{operators.Defer(func(ctx context.Context) reactor.Publisher[T] { return source(supplier(ctx)) })}
}

// From returns the Flux of what any publisher sends: a Mono, a publisher of
// package operators, or one of your own.
//
// The signals of a publisher from outside of this module are checked: a signal that breaks the
// rules of Reactive Streams does not reach the stages below, and is reported as dropped. Everything
// else passes.
func From[T any](p reactor.Publisher[T]) Flux[T] { return Flux[T]{operators.From(p)} }

// IntervalOption is an option of [Interval].
type IntervalOption = operators.IntervalOption

// InitialDelay sets the time before the first tick of [Interval], d ≥ 0; by default it is the
// period.
func InitialDelay(d time.Duration) InitialDelayOption { return operators.InitialDelay(d) }

// Interval returns the Flux of 0, 1, 2, … at a fixed rate; a tick without demand ends it with an
// overflow.
//
//	      Interval(6ms)
//	out:  ----- 0 --- 1 --- 2 ---
//
// The overflow is reactor.ErrOverflow: time does not wait for demand, and it takes an operator such
// as [Flux.OnBackpressureDrop] to decide what becomes of a tick without demand. Elements are
// emitted on a worker of the scheduler (schedulers.Parallel(), or see [On]). A period < 0 panics; 0
// means as often as the scheduler can.
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

// OverflowStrategy says what becomes of an element that a sink gets when there is no demand.
type OverflowStrategy = operators.OverflowStrategy

// The strategies; see [operators.OverflowStrategy].
const (
	OverflowBuffer = operators.OverflowBuffer
	OverflowDrop   = operators.OverflowDrop
	OverflowLatest = operators.OverflowLatest
	OverflowError  = operators.OverflowError
	OverflowIgnore = operators.OverflowIgnore
)

// Create returns the Flux of what produce puts into a sink, from any number of goroutines: the
// bridge from callbacks, listeners and goroutines of your own.
//
//	      Create(func(s) { s.OnDispose(feed.Listen(s.Next)) })
//	out:  a --- b - c ---
//
// produce runs once per subscription, on the goroutine that subscribes, after OnSubscribe. It may
// return before the first element. Any number of goroutines may use the sink at a time, and
// elements go down one at a time. An element goes down on the goroutine of its producer; on that of
// another producer, if that producer is sending at the same moment; or on that of a request, if the
// element had to wait for demand. A producer never waits: elements that nobody has requested are
// buffered, unless an [OverflowStrategy] says otherwise.
//
// A producer that sends on demand uses OnRequest or Requested. The function given to OnRequest may
// be called inside a call of Next, if the element of that call leads to the request: so hold no
// lock while you send, and if the producer has a goroutine of its own, let the function do no more
// than wake it. Under [Flux.SubscribeOn] requests come by way of the worker that runs produce: a
// produce that waits there for Requested to grow waits for ever, unless [RequestInPlace] leaves
// requests on the goroutine where they are made. The functions given to OnDispose are called at the
// end or at the cancellation. A panic of produce is the error of the stream.
func Create[T any](produce func(*Sink[T]), opts ...CreateOption) Flux[T] {
	return Flux[T]{operators.Create(produce, opts...)}
}

// Push is [Create] for a producer that calls its sink from one goroutine at a time.
//
//	      Push(func(s) { go read(conn, s) })
//	out:  a --- b - c |
//
// The function given to OnRequest is called for each request, on the goroutine that requests, as
// with [Create]. (Reactor calls it once, with all the demand there may ever be.) Where that is not
// the goroutine of the producer, the function must not send itself, but let the producer send.
func Push[T any](produce func(*Sink[T]), opts ...CreateOption) Flux[T] {
	return Flux[T]{operators.Push(produce, opts...)}
}

// UsingOption is an option of [Using] and [UsingCloser].
type UsingOption = operators.UsingOption

// LateRelease makes [Using] release the resource after downstream has learnt of the
// end, not before. A failure of the release is then reported as a dropped error.
func LateRelease() LateReleaseOption { return operators.LateRelease() }

// Using returns the Flux of the publisher that use makes of a resource. The resource is acquired at
// subscription and released once: at the end, before downstream learns of the end, or at the
// cancellation.
//
//	lines:  a --- b --- c |
//	        Using(open, lines, close)
//	out:    a --- b --- c |      open() at subscription, close(r) before |
//
// Demand goes to the publisher of use. An error of acquire is the error of the stream, and
// nothing is released. Because the resource is released before downstream learns of the end, an
// error of release takes the place of completion, or is joined with the error of the stream;
// see [LateRelease]. At cancellation, and when a stage below fails, an error of release is
// reported as dropped. acquire and use run on the goroutine that subscribes; release runs on
// the goroutine on which the stream ends or is cancelled.
//
// acquire gets the context of the subscription: for its values, and to end what acquire itself
// waits for, because there is nothing to cancel yet. That context does not end with the stream.
// release has to end whatever still runs when acquire has returned.
func Using[T, R any, P reactor.Publisher[T]](
	acquire func(context.Context) (R, error), use func(R) P, release func(R) error, opts ...UsingOption,
) Flux[T] {
	argument.Given("using", "function that uses", use != nil)
	return Flux[T]{operators.Using(acquire, func(r R) reactor.Publisher[T] { return source(use(r)) }, release, opts...)}
}

// UsingCloser is [Using] for a resource that is released by its Close method.
//
//	lines:  a --- b |
//	        UsingCloser(open, lines)
//	out:    a --- b |      f.Close() before |
func UsingCloser[T any, C io.Closer, P reactor.Publisher[T]](
	acquire func(context.Context) (C, error), use func(C) P, opts ...UsingOption,
) Flux[T] {
	argument.Given("using", "function that uses", use != nil)
	return Flux[T]{operators.UsingCloser(acquire, func(c C) reactor.Publisher[T] { return source(use(c)) }, opts...)}
}

// UsingWhen returns the Flux of the publisher that use makes of the first element of resource; at
// its end or cancellation the publisher that cleanup returns runs.
//
//	resource:  --- r |
//	use(r):          a --- b |
//	           UsingWhen(resource, use, cleanup)
//	out:       ----- a --- b |      cleanup runs before |
//
// Demand goes to the publisher of use. The end reaches downstream when the cleanup has ended. If
// the cleanup fails, the end becomes reactor.ErrCleanup with both errors; if the cleanup function
// panics, the end becomes the error of that panic, joined with the error of the stream if there is
// one. After a cancellation, also one by a failing stage below, nobody waits for the cleanup, and
// its failure is reported as dropped. A cancellation while a cleanup runs does not stop the
// cleanup. Cleanups see the values of the subscription's context, but not its end. If resource
// completes without an element or fails, so does the stream. The functions run on the goroutines of
// resource, of the publisher that use returns, and of the caller that cancels.
func UsingWhen[T, R, C any, P reactor.Publisher[T], Q reactor.Publisher[C]](
	resource reactor.Publisher[R], use func(R) P, cleanup func(R) Q,
) Flux[T] {
	argument.Given("usingWhen", "cleanup", cleanup != nil)
	return UsingWhenOutcome(resource, use, cleanup, func(r R, _ error) Q { return cleanup(r) }, cleanup)
}

// UsingWhenOutcome is [UsingWhen] with a cleanup for each outcome: completion (to commit),
// failure (to roll back), cancellation.
//
//	resource:  --- r |
//	use(r):          a --- b |
//	           UsingWhenOutcome(resource, use, complete, fail, cancel)
//	out:       ----- a --- b |      complete runs before |
//
// Demand goes to the publisher of use. The end reaches downstream when the cleanup has ended. If
// the cleanup fails, the end becomes reactor.ErrCleanup with both errors; if the cleanup function
// panics, the end becomes the error of that panic, joined with the error of the stream if there is
// one. After a cancellation, also one by a failing stage below, nobody waits for the cleanup, and
// its failure is reported as dropped. A cancellation while a cleanup runs does not stop the
// cleanup. Cleanups see the values of the subscription's context, but not its end. If resource
// completes without an element or fails, so does the stream. The functions run on the goroutines of
// resource, of the publisher that use returns, and of the caller that cancels.
func UsingWhenOutcome[T, R, C any, P reactor.Publisher[T], Q reactor.Publisher[C]](
	resource reactor.Publisher[R], use func(R) P,
	onComplete func(R) Q, onError func(R, error) Q, onCancel func(R) Q,
) Flux[T] {
	argument.Given("usingWhen", "function that uses", use != nil)
	argument.Given("usingWhen", "cleanup", onComplete != nil && onError != nil && onCancel != nil)
	_, single := resource.(mono.Mono[R])
	return Flux[T]{operators.UsingWhen(resource, func(r R) reactor.Publisher[T] { return source(use(r)) },
		operators.AsyncCleanup[R, C]{
			Complete:         func(r R) reactor.Publisher[C] { return source(onComplete(r)) },
			Error:            func(r R, err error) reactor.Publisher[C] { return source(onError(r, err)) },
			Cancel:           func(r R) reactor.Publisher[C] { return source(onCancel(r)) },
			ResourceIsSingle: single,
		})}
}

// SyncSink takes what one call of the function given to [Generate] or [Flux.Handle] produces.
//
// It has, see [operators.SyncSink]:
//
//	Next(v T)
//	Error(err error)
//	Complete()
//	Context() context.Context
type SyncSink[T any] = operators.SyncSink[T]

// Generate returns the Flux of elements computed one by one from a state: step gets the state
// that its previous call returned, and puts at most one element, or the end, into its sink.
// cleanup gets the last state.
//
//	      Generate(func() int { return 1 }, func(n int, s *SyncSink[int]) int { s.Next(n); return 2 * n })
//	out:  1 - 2 - 4 - 8 - …
//
// step runs on demand, on the goroutine that requests, once per element. A call of step that
// does not use the sink ends the stream with reactor.ErrIllegalState, a panic of step ends it
// with a *reactor.PanicError. initial runs once per subscription. Each function in cleanup gets
// the last state once: after the end or the cancellation, but before the error if step has
// panicked or has not used its sink. Panics of these functions are reported as dropped errors.
func Generate[T, S any](initial func() S, step func(S, *SyncSink[T]) S, cleanup ...func(S)) Flux[T] {
	return Flux[T]{operators.Generate(initial, step, cleanup...)}
}

// GenerateStateless is [Generate] without a state.
//
//	      GenerateStateless(func(s *SyncSink[int]) { s.Next(rand.Int()) })
//	out:  4 - 4 - 4 - …
func GenerateStateless[T any](step func(*SyncSink[T])) Flux[T] {
	return Flux[T]{operators.GenerateStateless(step)}
}
