package flux

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/describe"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// ParallelFlux is a stream split into rails, which [ParallelFlux.RunOn] lets run at
// the same time. Operators apply to each rail by itself; [ParallelFlux.Sequential]
// and the like bring the rails together again. The zero ParallelFlux has one empty
// rail.
type ParallelFlux[T any] struct {
	src operators.ParallelPublisher[T]
}

// ParallelSelf is satisfied by ParallelFlux[T] alone; see [Self] for why it exists.
type ParallelSelf[T any] interface{ ParallelFlux[T] }

// Parallel deals the elements out to n rails, in turn. The usual n is the number of processors,
// runtime.GOMAXPROCS(0).
//
//	f:       1 - 2 - 3 - 4 - 5 |
//	         Parallel(2)
//	rail 0:  1 ----- 3 ----- 5 |
//	rail 1:  --- 2 ----- 4 ----|
//
// All rails run where f emits until [ParallelFlux.RunOn] gives each a worker. It asks f for 256
// elements ([Prefetch]), and for another three quarters of that number whenever as many were dealt
// out. Completion reaches every rail; an error reaches every rail at once and discards the queued
// elements. A cancelled rail is left out from then on; when all rails are cancelled, f is
// cancelled.
func (f Flux[T]) Parallel[P ParallelSelf[T]](n int, opts ...ParallelOption) P {
	return P(ParallelFlux[T]{operators.Parallel(f.Source(), n, opts...)})
}

// ParallelFrom makes each of the sources a rail.
func ParallelFrom[T any](sources ...reactor.Publisher[T]) ParallelFlux[T] {
	return ParallelFlux[T]{operators.ParallelFrom(sources...)}
}

// Rails returns the publisher behind p, for the functions of package operators.
func (p ParallelFlux[T]) Rails[P ParallelSelf[T]]() operators.ParallelPublisher[T] { return railsOf(p) }

func railsOf[T any](p ParallelFlux[T]) operators.ParallelPublisher[T] {
	if p.src == nil {
		return operators.ParallelFrom(operators.Empty[T]())
	}
	return p.src
}

// String returns the operators of p in the order of the elements, as [Flux.String] does, for example
// "ParallelFlux: range → parallel → runOn".
func (p ParallelFlux[T]) String() string { return describe.Chain("ParallelFlux: ", railsOf(p)) }

// Parallelism returns the number of rails.
func (p ParallelFlux[T]) Parallelism[P ParallelSelf[T]]() int { return railsOf(p).Parallelism() }

// SubscribeRails starts the stream with one subscriber for each rail; any other
// number of them panics.
func (p ParallelFlux[T]) SubscribeRails[P ParallelSelf[T]](ctx context.Context, rails ...reactor.Subscriber[T]) {
	operators.ParallelSubscribe(ctx, railsOf(p), rails...)
}

// SubscribeFunc runs each rail without waiting for it, calls onNext, which may be nil, with every
// element, and returns a handle that stops all rails.
//
//	rail 0:  1 ----- 3 |
//	rail 1:  --- 2 |
//	         SubscribeFunc(ctx, p, fn) calls fn(1), fn(2), fn(3)
//
// Rails that run at the same time call the functions at the same time. Those given to
// [OnComplete], [OnError] and [OnSubscribe] are called once for each rail; an error of the source
// reaches every rail. Everything else is as with [Flux.SubscribeFunc]. To get a single end for all
// rails, subscribe to [ParallelFlux.Sequential].
func (p ParallelFlux[T]) SubscribeFunc[P ParallelSelf[T]](ctx context.Context, onNext func(T), opts ...SubscribeOption) reactor.Disposable {
	return operators.ParallelSubscribeFunc(ctx, railsOf(p), onNext, opts...)
}

// RunOn gives each rail a worker of scheduler.
//
// Each rail asks for 256 elements ([Prefetch]) and replenishes as [Flux.PublishOn] does; its
// errors wait until its queued elements were delivered. If the scheduler refuses a task, the
// rail of that task fails with reactor.ErrRejected.
func (p ParallelFlux[T]) RunOn[P ParallelSelf[T]](scheduler schedulers.Scheduler, opts ...ParallelRunOnOption) P {
	return P(ParallelFlux[T]{operators.ParallelRunOn(railsOf(p), scheduler, opts...)})
}

// Sequential merges the rails, in whatever order elements come.
//
//	rail 0:  1 ----- 3 ----- 5 |
//	rail 1:  --- 2 ----------- 4 |
//	         Sequential()
//	out:     1 - 2 - 3 ----- 5 - 4 |
//
// It asks each rail for 256 elements ([Prefetch]), and for another three quarters of that
// number whenever as many were delivered. An error of a rail cancels the other rails and comes
// at once; the queued elements are discarded. Elements come on the goroutines of the rails, one
// at a time.
func (p ParallelFlux[T]) Sequential[F Self[T]](opts ...ParallelMergeOption) F {
	return wrap[F](operators.ParallelSequential(railsOf(p), opts...))
}

// Ordered merges the rails, each of which is sorted in the order of compare, into one stream in
// that order.
//
//	rail 0:  1 ----- 4 ----- 5 |
//	rail 1:  --- 2 ----- 6 ----- 7 |
//	         Ordered(cmp.Compare)
//	out:     --- 1 - 2 - 4 - 5 - 6 - 7 |
//
// An error of a rail waits until everything else was delivered.
func (p ParallelFlux[T]) Ordered[F Self[T]](compare func(a, b T) int, opts ...ParallelMergeOption) F {
	return wrap[F](operators.ParallelOrdered(railsOf(p), compare, opts...))
}

// Groups emits fn(i, rail) for each rail, at once. A rail can be subscribed once, now or later; a
// rail that nobody subscribes to receives nothing, and the other rails share the elements.
// Elements that a stage above requests on its own account, as [ParallelFlux.RunOn] does for 256
// elements, wait there for a later subscriber.
func (p ParallelFlux[T]) Groups[G any](fn func(i int, rail Flux[T]) G) Flux[G] {
	argument.Given("groups", "function", fn != nil)
	return Flux[G]{operators.ParallelGroups(railsOf(p), func(i int, rail reactor.Publisher[T]) G { return fn(i, Flux[T]{rail}) })}
}

// TransformGroups applies any operators of a Flux to each rail. fn is called for each rail and
// subscription, and once at assembly with an empty Flux.
//
// A rail that fn does not use receives nothing, and the other rails share the elements. If fn
// panics for a rail, that rail ends, and it receives nothing either.
func (p ParallelFlux[T]) TransformGroups[R any](fn func(rail Flux[T]) Flux[R]) ParallelFlux[R] {
	argument.Given("transformGroups", "function", fn != nil)
	return onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[R] { return fn(Flux[T]{rail}).Source() })
}

// Transform calls fn at assembly and returns the rails that fn makes of these: a way to give a
// chain of operators a name. To apply operators of a Flux to each rail, see
// [ParallelFlux.TransformGroups].
func (p ParallelFlux[T]) Transform[R any](fn func(ParallelFlux[T]) ParallelFlux[R]) ParallelFlux[R] {
	argument.Given("transform", "function", fn != nil)
	return fn(p)
}

// As returns what fn makes of these rails, which may have any type: it lets a chain of method calls
// end in any function.
func (p ParallelFlux[T]) As[R any](fn func(ParallelFlux[T]) R) R {
	argument.Given("as", "function", fn != nil)
	return fn(p)
}

// Map transforms every element with fn, each rail by itself.
func (p ParallelFlux[T]) Map[R any](fn func(T) R) ParallelFlux[R] {
	return onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[R] { return operators.Map(rail, fn) })
}

// TryMap transforms every element with fn; the first error ends its rail.
func (p ParallelFlux[T]) TryMap[R any](fn func(T) (R, error)) ParallelFlux[R] {
	return onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[R] { return operators.TryMap(rail, fn) })
}

// TryMapContext transforms every element with fn(ctx, v), which may wait, one at a time
// on each rail; the first error ends its rail. See [Flux.TryMapContext] for the context.
func (p ParallelFlux[T]) TryMapContext[R any](fn func(context.Context, T) (R, error)) ParallelFlux[R] {
	return onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[R] { return operators.TryMapContext(rail, fn) })
}

// FlatMap subscribes to the publisher that fn returns for each element and emits what they
// send; the limits hold for each rail.
//
//	p:    1 --- 2 ---------- |
//	      FlatMap(n => n, 10n 7 later)
//	out:  1 --- 2 10 --- 20 -|
//
// Each rail behaves as a stream under [Flux.FlatMap] does: demand, options, errors (which end their
// rail), cancellation and goroutines are the same. So up to [Concurrency] inner publishers of each
// rail are subscribed at a time, and one that works on the goroutine that requests, such as
// mono.FromFunc, needs a [Flux.SubscribeOn] to run beside others of its rail.
func (p ParallelFlux[T]) FlatMap[R any, Q reactor.Publisher[R]](fn func(T) Q, opts ...FlatMapOption) ParallelFlux[R] {
	inner := publishers[R]("flatMap", fn)
	return onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[R] { return operators.FlatMap(rail, inner, opts...) })
}

// Filter keeps the elements for which keep reports true.
func (p ParallelFlux[T]) Filter[P ParallelSelf[T]](keep func(T) bool) P {
	return P(onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return operators.Filter(rail, keep) }))
}

// Sorted emits all elements in the order of compare; each rail sorts its own.
//
// Nothing is emitted before every rail has ended. Each rail is asked for everything. An error
// of a rail cancels the other rails and comes at once.
func (p ParallelFlux[T]) Sorted[F Self[T]](compare func(a, b T) int, opts ...ParallelMergeOption) F {
	return wrap[F](operators.ParallelSorted(railsOf(p), compare, opts...))
}

// CollectSorted emits one slice with all elements in the order of compare; each rail sorts its
// own.
//
// Nothing is emitted before every rail has ended. Each rail is asked for everything. An error
// of a rail cancels the other rails and comes at once.
func (p ParallelFlux[T]) CollectSorted[S Slice[T]](compare func(a, b T) int, opts ...ParallelMergeOption) mono.Mono[S] {
	sorted := operators.ParallelSorted(railsOf(p), compare, opts...)
	return mono.FromDirect(operators.Map(operators.CollectSlice(sorted), func(items []T) S { return S(items) }))
}

// Reduce folds all elements of all rails into one.
//
//	rail 0:  1 ----- 3 |
//	rail 1:  --- 2 ---- 4 |
//	         Reduce(sum)
//	out:     ------------ 10 |
//
// The result is empty if all rails are. The first request asks each rail for everything. An error
// of a rail, or a panic of fn, cancels the other rails and ends the stream. Cancelling cancels the
// rails. The result comes on the goroutine of the rail that ends last.
func (p ParallelFlux[T]) Reduce[M mono.Self[T]](fn func(acc, v T) T) M {
	return M(mono.FromDirect(operators.ParallelReduce(railsOf(p), fn)))
}

// ReduceWith folds the elements of each rail, starting from the result of seed, and emits one
// result for each rail.
//
//	rail 0:  1 ----- 3 |
//	rail 1:  --- 2 ---- 4 |
//	         ReduceWith(() => 10, sum)
//	out:     --------- 14 16 |      one for each rail
//
// Demand on p is unbounded. A panic of seed or fn cancels p and ends the stream; then, and at
// failure or cancellation, the accumulator is discarded. fn runs on the goroutine of p.
func (p ParallelFlux[T]) ReduceWith[R any](seed func() R, fn func(acc R, v T) R) ParallelFlux[R] {
	argument.Given("reduceWith", "seed function", seed != nil)
	argument.Given("reduceWith", "function", fn != nil)
	// Literals, whose frames say whose function has failed.
	begin, add := func() R { return seed() }, func(acc R, v T) R { return fn(acc, v) }
	return onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[R] { return operators.Fold(rail, begin, add) })
}

// Collect adds the elements of each rail to a container of its own: one container for each
// rail.
//
//	rail 0:  1 ----- 3 |
//	rail 1:  --- 2 ---- 4 |
//	         Collect(newSet, (*Set).Add)
//	out:     --------- {1 3} {2 4} |      one for each rail
//
// Demand, errors and goroutine are as for [Flux.Fold].
func (p ParallelFlux[T]) Collect[C any](newContainer func() C, add func(C, T)) ParallelFlux[C] {
	argument.Given("collect", "container function", newContainer != nil)
	argument.Given("collect", "function", add != nil)
	// Literals, whose frames say whose function has failed.
	begin, put := func() C { return newContainer() }, func(c C, v T) { add(c, v) }
	return onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[C] { return operators.CollectInto(rail, begin, put) })
}

// Hide gives the rails another identity.
func (p ParallelFlux[T]) Hide[P ParallelSelf[T]]() P {
	return P(onRails(p, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return operators.Hide(rail) }))
}

// onRails applies op to each rail.
func onRails[T, R any](p ParallelFlux[T], op func(reactor.Publisher[T]) reactor.Publisher[R]) ParallelFlux[R] {
	return ParallelFlux[R]{operators.ParallelRails(railsOf(p), op)}
}
