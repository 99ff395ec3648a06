package flux

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// Bool is satisfied by bool alone; see [Self] for why it exists.
type Bool interface{ bool }

// Int is satisfied by int alone; see [Self] for why it exists.
type Int interface{ int }

// Filter keeps the elements for which keep reports true.
//
//	f:    1 --- 2 --- 3 --- 4 |
//	      Filter(even)
//	out:  ----- 2 --------- 4 |
//
// Demand passes through; for each discarded element one more is requested. A panic of keep
// cancels f and ends the stream. keep runs on the goroutine of f.
func (f Flux[T]) Filter[F Self[T]](keep func(T) bool) F {
	return wrap[F](operators.Filter(f.Source(), keep))
}

// TryFilter keeps the elements for which keep reports true; its first error ends the stream.
//
//	f:    a.txt --- b --- c.txt |
//	      TryFilter(isFile)
//	out:  a.txt ----- #
//
// Everything else is as with [Flux.Filter]; the first error of keep cancels f, discards the
// element and becomes the end of the stream.
func (f Flux[T]) TryFilter[F Self[T]](keep func(T) (bool, error)) F {
	return wrap[F](operators.TryFilter(f.Source(), keep))
}

// TryFilterContext emits the elements for which keep(ctx, v), which may wait, reports true and
// discards the others.
//
//	f:    1 --- 2 --- 3 |
//	      TryFilterContext(isKnown)
//	out:  1 --------- 3 |
//
// Everything else is as with [Flux.TryMapContext]; for each discarded element one more is
// requested.
func (f Flux[T]) TryFilterContext[F Self[T]](keep func(context.Context, T) (bool, error)) F {
	return wrap[F](operators.TryFilterContext(f.Source(), keep))
}

// FilterWhen keeps an element if the first element of the publisher that test returns for it is
// true. The tests run one after the other.
//
//	f:    1 --- 2 ------- 3 |
//	      FilterWhen(v => isAllowed(v))
//	out:  ----- 1 ------------- 3 |
//
// One test runs at a time, in the order of f; each test is cancelled after its first element.
// Elements of f are requested ahead, 256 at a time unless [Prefetch] says otherwise. An element
// whose test emits false first, ends empty or fails is discarded, and the tests go on. The error of
// a test, like an error of f, ends the stream only when all elements of f have been tested; if f
// never ends, the error never comes. ([Flux.TryFilterContext] fails at the first error.) Several
// errors are joined. A panic of test counts as a test that fails.
func (f Flux[T]) FilterWhen[P reactor.Publisher[bool], F Self[T]](test func(T) P, opts ...FilterWhenOption) F {
	argument.Given("filterWhen", "test", test != nil)
	return wrap[F](operators.FilterWhen(f.Source(), func(v T) reactor.Publisher[bool] { return source(test(v)) }, opts...))
}

// Take keeps the first n elements, then cancels and completes. No more than n elements are
// requested in total, unless [UnlimitedRequest] is given.
//
//	f:    1 --- 2 --- 3 --- 4 |
//	      Take(2)
//	out:  1 --- 2 |
//
// Take(0) completes without subscribing to f; with UnlimitedRequest it subscribes and cancels. A
// negative n panics.
func (f Flux[T]) Take[F Self[T]](n int, opts ...TakeOption) F {
	return wrap[F](operators.Take(f.Source(), n, opts...))
}

// UnlimitedRequest makes [Flux.Take] pass demand on as it comes; without it Take
// never requests more than it will deliver. If the first request covers all elements
// to deliver, Take requests everything.
func UnlimitedRequest() UnlimitedRequestOption { return operators.UnlimitedRequest() }

// TakeLast emits the last n elements once the stream has completed.
//
//	f:    1 --- 2 --- 3 --- 4 |
//	      TakeLast(2)
//	out:  ------------------- 3 - 4 |
//
// Demand on f is unbounded from subscription on. Elements that turn out not to be among the
// last, and those left at cancellation or failure, are discarded. TakeLast(0) waits for the end
// of f. A negative n panics.
func (f Flux[T]) TakeLast[F Self[T]](n int) F {
	return wrap[F](operators.TakeLast(f.Source(), n))
}

// TakeWhile keeps elements as long as more reports true, then cancels and completes.
//
//	f:    1 --- 2 --- 3 --- 1 |
//	      TakeWhile(n => n < 3)
//	out:  1 --- 2 --- |
//
// Demand passes through. A panic of more cancels f and ends the stream. more runs on the
// goroutine of f.
func (f Flux[T]) TakeWhile[F Self[T]](more func(T) bool) F {
	return wrap[F](operators.TakeWhile(f.Source(), more))
}

// TakeUntil keeps elements up to and including the first one for which last reports true, then
// cancels and completes.
//
//	f:    1 --- 2 --- 3 --- 4 |
//	      TakeUntil(n => n == 3)
//	out:  1 --- 2 --- 3 |
//
// Demand passes through. A panic of last cancels f and ends the stream. last runs on the
// goroutine of f, after the element was delivered.
func (f Flux[T]) TakeUntil[F Self[T]](last func(T) bool) F {
	return wrap[F](operators.TakeUntil(f.Source(), last))
}

// Skip discards the first n elements.
//
//	f:    1 --- 2 --- 3 --- 4 |
//	      Skip(2)
//	out:  ----------- 3 --- 4 |
//
// The n elements are requested at subscription; from then on demand passes through. A negative
// n panics.
func (f Flux[T]) Skip[F Self[T]](n int) F {
	return wrap[F](operators.Skip(f.Source(), n))
}

// SkipLast emits all elements but the last n.
//
//	f:    1 --- 2 --- 3 --- 4 |
//	      SkipLast(2)
//	out:  ----------- 1 --- 2 |
//
// n elements are requested at subscription; from then on demand passes through. What is left at
// the end, or at cancellation, is discarded. A negative n panics.
func (f Flux[T]) SkipLast[F Self[T]](n int) F {
	return wrap[F](operators.SkipLast(f.Source(), n))
}

// SkipWhile discards elements as long as skip reports true.
//
//	f:    1 --- 2 --- 3 --- 1 |
//	      SkipWhile(n => n < 3)
//	out:  ----------- 3 --- 1 |
//
// Demand passes through; for each discarded element one more is requested. A panic of skip
// cancels f and ends the stream. skip runs on the goroutine of f.
func (f Flux[T]) SkipWhile[F Self[T]](skip func(T) bool) F {
	return wrap[F](operators.SkipWhile(f.Source(), skip))
}

// SkipUntil discards elements until begin reports true for one, which is kept.
//
//	f:    1 --- 2 --- 3 --- 1 |
//	      SkipUntil(n => n == 2)
//	out:  ----- 2 --- 3 --- 1 |
//
// Demand, errors and goroutine are as for [Flux.SkipWhile].
func (f Flux[T]) SkipUntil[F Self[T]](begin func(T) bool) F {
	return wrap[F](operators.SkipUntil(f.Source(), begin))
}

// Distinct keeps the elements whose key was not seen before in this subscription. For the
// elements themselves as keys, use package function [Distinct].
//
//	f:    a --- b --- a --- c |
//	      Distinct(identity)
//	out:  a --- b --------- c |
//
// The keys of a subscription are kept until its end. Demand passes through; for each discarded
// element one more is requested. A panic of key cancels f and ends the stream. key runs on the
// goroutine of f.
func (f Flux[T]) Distinct[K comparable, F Self[T]](key func(T) K) F {
	return wrap[F](operators.Distinct(f.Source(), key))
}

// DistinctIn is [Flux.Distinct] with a store that the caller provides, for example a Bloom filter
// or a bounded cache.
//
// newStore makes the store of each subscription. isNew records an element and reports whether to
// emit it; other elements are discarded, and one more is requested for each. cleanup, which may be
// nil, is called once when the subscription has ended; if the cancellation comes from another
// goroutine, it may run at the same time as isNew.
func (f Flux[T]) DistinctIn[S any, F Self[T]](newStore func() S, isNew func(S, T) bool, cleanup func(S)) F {
	return wrap[F](operators.DistinctIn(f.Source(), newStore, isNew, cleanup))
}

// DistinctUntilChanged keeps the elements whose key differs from that of the element kept
// before.
//
//	f:    a --- a --- b --- a |
//	      DistinctUntilChanged(identity)
//	out:  a --------- b --- a |
//
// Demand passes through; for each discarded element one more is requested. A panic of key
// cancels f and ends the stream. key runs on the goroutine of f.
func (f Flux[T]) DistinctUntilChanged[K comparable, F Self[T]](key func(T) K) F {
	return wrap[F](operators.DistinctUntilChanged(f.Source(), key))
}

// DistinctUntilChangedFunc is [Flux.DistinctUntilChanged] for keys that equal compares.
//
//	f:    a --- a --- b --- a |
//	      DistinctUntilChangedFunc(identity, ==)
//	out:  a --------- b --- a |
//
// Demand passes through; for each discarded element one more is requested. A panic of key
// cancels f and ends the stream. key runs on the goroutine of f.
func (f Flux[T]) DistinctUntilChangedFunc[K any, F Self[T]](key func(T) K, equal func(a, b K) bool) F {
	return wrap[F](operators.DistinctUntilChangedFunc(f.Source(), key, equal))
}

// Distinct keeps the first of equal elements.
//
//	f:    a --- b --- a --- c |
//	      Distinct()
//	out:  a --- b --------- c |
//
// The elements of a subscription are kept until its end. Demand passes through; for each discarded
// element one more is requested.
func Distinct[T comparable](f Flux[T]) Flux[T] {
	return Flux[T]{operators.Distinct(f.Source(), identity[T])}
}

// DistinctUntilChanged keeps the first of equal elements in a row.
//
//	f:    a --- a --- b --- a |
//	      DistinctUntilChanged()
//	out:  a --------- b --- a |
//
// Demand passes through; for each discarded element one more is requested.
func DistinctUntilChanged[T comparable](f Flux[T]) Flux[T] {
	return Flux[T]{operators.DistinctUntilChanged(f.Source(), identity[T])}
}

func identity[T any](v T) T { return v }

// Sort emits all elements, in the order that compare defines, once the stream has completed.
//
//	f:    3 --- 1 --- 2 |
//	      Sort(cmp.Compare)
//	out:  ------------- 1 - 2 - 3 |
//
// compare returns a negative number if a comes before b, as cmp.Compare does. Demand on f is
// unbounded from subscription on; all elements are kept in memory. A panic of compare ends the
// stream; what is kept at failure or cancellation is discarded.
func (f Flux[T]) Sort[F Self[T]](compare func(a, b T) int) F {
	return wrap[F](operators.Sort(f.Source(), compare))
}

// ElementAt emits the element at index, counted from 0. If f ends before that element, the stream
// fails with reactor.ErrIndexOutOfRange.
//
//	f:    a --- b --- c |
//	      ElementAt(1)
//	out:  ----- b |
//
// Demand on f is unbounded. Elements before index are discarded. A negative index panics.
func (f Flux[T]) ElementAt[M mono.Self[T]](index int) M {
	return M(mono.FromDirect(operators.ElementAt(f.Source(), index)))
}

// ElementAtOr emits the element at index, or fallback if f ends before that element.
func (f Flux[T]) ElementAtOr[M mono.Self[T]](index int, fallback T) M {
	return M(mono.FromDirect(operators.ElementAtOr(f.Source(), index, fallback)))
}

// Last emits the last element. If f is empty, the stream fails with reactor.ErrNoElements.
//
//	f:    a --- b --- c |
//	      Last()
//	out:  ------------- c |
//
// Demand on f is unbounded. The other elements are discarded.
func (f Flux[T]) Last[M mono.Self[T]]() M {
	return M(mono.FromDirect(operators.Last(f.Source())))
}

// LastOr emits the last element, or fallback if f is empty.
func (f Flux[T]) LastOr[M mono.Self[T]](fallback T) M {
	return M(mono.FromDirect(operators.LastOr(f.Source(), fallback)))
}

// AllMatch emits whether pred reports true for every element; it cancels f at the first element
// for which pred reports false. (Reactor calls it all.)
//
//	f:    2 --- 4 --- 5 --- 6 |
//	      AllMatch(even)
//	out:  ----------- false |
//
// Demand on f is unbounded. A panic of pred cancels f and ends the stream. An element is used
// up when pred has returned.
func (f Flux[T]) AllMatch[B Bool](pred func(T) bool) mono.Mono[B] {
	return mono.FromDirect(operators.As[B](operators.AllMatch(f.Source(), pred)))
}

// AnyMatch emits whether pred reports true for some element; it cancels f at the first such
// element. (Reactor calls it any.)
//
//	f:    1 --- 3 --- 4 --- 5 |
//	      AnyMatch(even)
//	out:  ----------- true |
//
// Demand on f is unbounded. A panic of pred cancels f and ends the stream. An element is used
// up when pred has returned.
func (f Flux[T]) AnyMatch[B Bool](pred func(T) bool) mono.Mono[B] {
	return mono.FromDirect(operators.As[B](operators.AnyMatch(f.Source(), pred)))
}

// HasElements emits whether there is any element; it cancels f at the first one.
//
//	f:    --- 1 --- 2 |
//	      HasElements()
//	out:  --- true |
//
// Demand on f is unbounded. An error before the first element passes.
func (f Flux[T]) HasElements[B Bool]() mono.Mono[B] {
	return mono.FromDirect(operators.As[B](operators.HasElements(f.Source())))
}
