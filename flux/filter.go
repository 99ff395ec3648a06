package flux

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// Bool is satisfied by bool alone; see [Self] for why it exists.
type Bool interface{ bool }

// Int is satisfied by int alone; see [Self] for why it exists.
type Int interface{ int }

// Filter keeps the elements for which keep reports true.
//
// See [operators.Filter] for demand, errors and the goroutine.
func (f Flux[T]) Filter[F Self[T]](keep func(T) bool) F {
	return wrap[F](operators.Filter(f.Source(), keep))
}

// TryFilter keeps the elements for which keep reports true; its first error ends
// the stream.
//
// See [operators.TryFilter] for demand, errors and the goroutine.
func (f Flux[T]) TryFilter[F Self[T]](keep func(T) (bool, error)) F {
	return wrap[F](operators.TryFilter(f.Source(), keep))
}

// TryFilterContext emits the elements for which keep(ctx, v), which may wait, reports
// true and discards the others.
//
//	src:  1 --- 2 --- 3 |
//	      TryFilterContext(isKnown)
//	out:  ---- 1 -------- 3 |
//
// As [Flux.TryMapContext]; for an element that is discarded one more is requested. See
// [operators.TryFilterContext].
func (f Flux[T]) TryFilterContext[F Self[T]](keep func(context.Context, T) (bool, error)) F {
	return wrap[F](operators.TryFilterContext(f.Source(), keep))
}

// FilterWhen keeps the elements for which the publisher that test returns emits
// true first. The tests run one after the other.
//
// See [operators.FilterWhen] for demand, errors and the goroutine.
func (f Flux[T]) FilterWhen[P reactor.Publisher[bool], F Self[T]](test func(T) P, opts ...FilterWhenOption) F {
	notNil("filterWhen", "test", test == nil)
	return wrap[F](operators.FilterWhen(f.Source(), func(v T) reactor.Publisher[bool] { return source(test(v)) }, opts...))
}

// Take keeps the first n elements, then cancels and completes. No more than n
// elements are requested in total, unless [UnlimitedRequest] is given.
//
// See [operators.Take] for demand, errors and the goroutine.
func (f Flux[T]) Take[F Self[T]](n int, opts ...TakeOption) F {
	return wrap[F](operators.Take(f.Source(), n, opts...))
}

// UnlimitedRequest lets [Flux.Take] pass demand on as it comes instead of never
// asking for more than it will deliver.
func UnlimitedRequest() UnlimitedRequestOption { return operators.UnlimitedRequest() }

// TakeLast emits the last n elements once the stream has completed.
//
// See [operators.TakeLast] for demand, errors and the goroutine.
func (f Flux[T]) TakeLast[F Self[T]](n int) F {
	return wrap[F](operators.TakeLast(f.Source(), n))
}

// TakeWhile keeps elements as long as more reports true, then cancels and
// completes.
//
// See [operators.TakeWhile] for demand, errors and the goroutine.
func (f Flux[T]) TakeWhile[F Self[T]](more func(T) bool) F {
	return wrap[F](operators.TakeWhile(f.Source(), more))
}

// TakeUntil keeps elements up to and including the first one for which last
// reports true, then cancels and completes.
//
// See [operators.TakeUntil] for demand, errors and the goroutine.
func (f Flux[T]) TakeUntil[F Self[T]](last func(T) bool) F {
	return wrap[F](operators.TakeUntil(f.Source(), last))
}

// Skip discards the first n elements.
//
// See [operators.Skip] for demand, errors and the goroutine.
func (f Flux[T]) Skip[F Self[T]](n int) F {
	return wrap[F](operators.Skip(f.Source(), n))
}

// SkipLast emits all elements but the last n.
//
// See [operators.SkipLast] for demand, errors and the goroutine.
func (f Flux[T]) SkipLast[F Self[T]](n int) F {
	return wrap[F](operators.SkipLast(f.Source(), n))
}

// SkipWhile discards elements as long as skip reports true.
//
// See [operators.SkipWhile] for demand, errors and the goroutine.
func (f Flux[T]) SkipWhile[F Self[T]](skip func(T) bool) F {
	return wrap[F](operators.SkipWhile(f.Source(), skip))
}

// SkipUntil discards elements until begin reports true for one, which is kept.
//
// See [operators.SkipUntil] for demand, errors and the goroutine.
func (f Flux[T]) SkipUntil[F Self[T]](begin func(T) bool) F {
	return wrap[F](operators.SkipUntil(f.Source(), begin))
}

// Distinct keeps the elements whose key was not seen before in this
// subscription. For the elements themselves as keys, use package function
// [Distinct].
//
// See [operators.Distinct] for demand, errors and the goroutine.
func (f Flux[T]) Distinct[K comparable, F Self[T]](key func(T) K) F {
	return wrap[F](operators.Distinct(f.Source(), key))
}

// DistinctIn is [Flux.Distinct] with a store of the caller's.
//
// See [operators.DistinctIn] for the store, demand, errors and the goroutine.
func (f Flux[T]) DistinctIn[S any, F Self[T]](newStore func() S, isNew func(S, T) bool, cleanup func(S)) F {
	return wrap[F](operators.DistinctIn(f.Source(), newStore, isNew, cleanup))
}

// DistinctUntilChanged keeps the elements whose key differs from that of the
// element kept before.
//
// See [operators.DistinctUntilChanged] for demand, errors and the goroutine.
func (f Flux[T]) DistinctUntilChanged[K comparable, F Self[T]](key func(T) K) F {
	return wrap[F](operators.DistinctUntilChanged(f.Source(), key))
}

// DistinctUntilChangedFunc is [Flux.DistinctUntilChanged] for keys that equal
// compares.
//
// See [operators.DistinctUntilChanged] for demand, errors and the goroutine.
func (f Flux[T]) DistinctUntilChangedFunc[K any, F Self[T]](key func(T) K, equal func(a, b K) bool) F {
	return wrap[F](operators.DistinctUntilChangedFunc(f.Source(), key, equal))
}

// Distinct keeps the first of equal elements.
//
// See [operators.Distinct] for demand, errors and the goroutine.
func Distinct[T comparable](f Flux[T]) Flux[T] {
	return Flux[T]{operators.Distinct(f.Source(), identity[T])}
}

// DistinctUntilChanged keeps the first of equal elements in a row.
//
// See [operators.DistinctUntilChanged] for demand, errors and the goroutine.
func DistinctUntilChanged[T comparable](f Flux[T]) Flux[T] {
	return Flux[T]{operators.DistinctUntilChanged(f.Source(), identity[T])}
}

func identity[T any](v T) T { return v }

// Sort emits all elements, in the order that compare defines, once the stream
// has completed.
//
// See [operators.Sort] for demand, errors and the goroutine.
func (f Flux[T]) Sort[F Self[T]](compare func(a, b T) int) F {
	return wrap[F](operators.Sort(f.Source(), compare))
}

// ElementAt is the element at index, counted from 0. A stream that ends before
// fails with reactor.ErrIndexOutOfRange.
//
// See [operators.ElementAt] for demand, errors and the goroutine.
func (f Flux[T]) ElementAt[M mono.Self[T]](index int) M {
	return M(mono.FromDirect(operators.ElementAt(f.Source(), index)))
}

// ElementAtOr is the element at index, or fallback if the stream ends before.
//
// See [operators.ElementAtOr] for demand, errors and the goroutine.
func (f Flux[T]) ElementAtOr[M mono.Self[T]](index int, fallback T) M {
	return M(mono.FromDirect(operators.ElementAtOr(f.Source(), index, fallback)))
}

// Last is the last element. An empty stream fails with reactor.ErrNoElements.
//
// See [operators.Last] for demand, errors and the goroutine.
func (f Flux[T]) Last[M mono.Self[T]]() M {
	return M(mono.FromDirect(operators.Last(f.Source())))
}

// LastOr is the last element, or fallback for an empty stream.
//
// See [operators.LastOr] for demand, errors and the goroutine.
func (f Flux[T]) LastOr[M mono.Self[T]](fallback T) M {
	return M(mono.FromDirect(operators.LastOr(f.Source(), fallback)))
}

// AllMatch is whether pred reports true for every element; it cancels at the
// first one for which it does not. (Reactor calls it all.)
//
// See [operators.AllMatch] for demand, errors and the goroutine.
func (f Flux[T]) AllMatch[B Bool](pred func(T) bool) mono.Mono[B] {
	return mono.FromDirect(operators.As[B](operators.AllMatch(f.Source(), pred)))
}

// AnyMatch is whether pred reports true for some element; it cancels at the first
// such one. (Reactor calls it any.)
//
// See [operators.AnyMatch] for demand, errors and the goroutine.
func (f Flux[T]) AnyMatch[B Bool](pred func(T) bool) mono.Mono[B] {
	return mono.FromDirect(operators.As[B](operators.AnyMatch(f.Source(), pred)))
}

// HasElements is whether there is any element; the first one cancels.
//
// See [operators.HasElements] for demand, errors and the goroutine.
func (f Flux[T]) HasElements[B Bool]() mono.Mono[B] {
	return mono.FromDirect(operators.As[B](operators.HasElements(f.Source())))
}
