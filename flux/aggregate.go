package flux

import (
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// Reduce combines all elements with fn, from left to right; an empty f gives an empty result.
//
//	f:    1 --- 2 --- 3 |
//	      Reduce(sum)
//	out:  ------------- 6 |
//
// Demand on f is unbounded. A panic of fn cancels f and ends the stream; then, and at failure
// or cancellation, the accumulated element is discarded. fn runs on the goroutine of f.
func (f Flux[T]) Reduce[M mono.Self[T]](fn func(acc, v T) T) M {
	return M(mono.FromDirect(operators.Reduce(f.Source(), fn)))
}

// TryReduce is Reduce with a function that may fail; the first error ends the stream.
//
//	f:    1 --- 2 --- 4 --- 5 |
//	      TryReduce(sum, refuse 4)
//	out:  --------- #
//
// Demand on f is unbounded. An error or a panic of fn cancels f and discards the element. Then,
// and at failure or cancellation, the accumulated element is discarded, too. If fn returns an
// error, its other result is ignored. fn runs on the goroutine of f.
func (f Flux[T]) TryReduce[M mono.Self[T]](fn func(acc, v T) (T, error)) M {
	return M(mono.FromDirect(operators.TryReduce(f.Source(), fn)))
}

// Fold combines all elements with an accumulator whose first value is seed. (Reactor calls it
// reduce with a seed.) All subscriptions share the seed: if fn changes it in place, use
// [Flux.FoldWith].
//
//	f:    1 --- 2 --- 3 |
//	      Fold(10, sum)
//	out:  ------------- 16 |
//
// Demand on f is unbounded. A panic of fn cancels f and ends the stream; then, and at failure or
// cancellation, the accumulator is discarded. fn runs on the goroutine of f.
func (f Flux[T]) Fold[A any](seed A, fn func(acc A, v T) A) mono.Mono[A] {
	return mono.FromDirect(operators.Fold(f.Source(), func() A { return seed }, fn))
}

// FoldWith combines all elements with an accumulator that seed makes once per subscription.
// (Reactor calls it reduceWith.)
//
//	f:    1 --- 2 --- 3 |
//	      FoldWith(() => 10, sum)
//	out:  ------------- 16 |
//
// Demand on f is unbounded. A panic of seed or fn cancels f and ends the stream; then, and at
// failure or cancellation, the accumulator is discarded. fn runs on the goroutine of f.
func (f Flux[T]) FoldWith[A any](seed func() A, fn func(acc A, v T) A) mono.Mono[A] {
	return mono.FromDirect(operators.Fold(f.Source(), seed, fn))
}

// TryFold is Fold with a function that may fail; the first error ends the stream. All subscriptions
// share the seed: if fn changes it in place, use [Flux.TryFoldWith].
//
//	f:    1 --- 2 --- 4 --- 5 |
//	      TryFold(10, sum, refuse 4)
//	out:  --------- #
//
// Demand on f is unbounded. An error or a panic of fn cancels f and discards the element. Then,
// and at failure or cancellation, the accumulator is discarded, too. If fn returns an error, its
// other result is ignored. fn runs on the goroutine of f.
func (f Flux[T]) TryFold[A any](seed A, fn func(acc A, v T) (A, error)) mono.Mono[A] {
	return mono.FromDirect(operators.TryFold(f.Source(), func() A { return seed }, fn))
}

// TryFoldWith is FoldWith with a function that may fail; the first error ends the stream.
//
//	f:    1 --- 2 --- 4 --- 5 |
//	      TryFoldWith(() => 10, sum, refuse 4)
//	out:  --------- #
//
// Demand on f is unbounded. A panic of seed, and an error or a panic of fn, cancel f and end the
// stream; the element is discarded. Then, and at failure or cancellation, the accumulator is
// discarded, too. If fn returns an error, its other result is ignored. fn runs on the goroutine of
// f.
func (f Flux[T]) TryFoldWith[A any](seed func() A, fn func(acc A, v T) (A, error)) mono.Mono[A] {
	return mono.FromDirect(operators.TryFold(f.Source(), seed, fn))
}

// CollectInto adds every element to a container that is made once per subscription.
//
//	f:    1 --- 2 --- 3 |
//	      CollectInto(newSet, (*Set).Add)
//	out:  ------------- {1 2 3} |
//
// Demand, errors and goroutine are as for [Flux.Fold].
func (f Flux[T]) CollectInto[C any](newContainer func() C, add func(C, T)) mono.Mono[C] {
	return mono.FromDirect(operators.CollectInto(f.Source(), newContainer, add))
}

// CollectSlice emits a slice of all elements; the slice is empty if f is. (Reactor calls it
// collectList.) To run the stream and get the slice itself, see [Flux.Collect].
//
//	f:    1 --- 2 --- 3 |
//	      CollectSlice()
//	out:  ------------- [1 2 3] |
//
// Demand on f is unbounded. At failure or cancellation the elements collected so far are
// discarded.
func (f Flux[T]) CollectSlice[S Slice[T]]() mono.Mono[S] {
	return mono.FromDirect(operators.As[S](operators.CollectSlice(f.Source())))
}

// CollectSorted emits a slice of all elements in the order that compare defines.
//
// Demand, errors and discarding are as for [Flux.CollectSlice].
func (f Flux[T]) CollectSorted[S Slice[T]](compare func(a, b T) int) mono.Mono[S] {
	return mono.FromDirect(operators.As[S](operators.CollectSorted(f.Source(), compare)))
}

// CollectMap emits a map from key(v) to v; of several elements with the same key the last one
// counts.
//
// Demand on f is unbounded. A panic of key cancels f and ends the stream; then, and at failure or
// cancellation, the elements collected so far are discarded.
func (f Flux[T]) CollectMap[K comparable](key func(T) K) mono.Mono[map[K]T] {
	return mono.FromDirect(operators.CollectMap(f.Source(), key, identity[T]))
}

// CollectMapOf emits a map from key(v) to value(v); of several elements with the same key the
// last one counts.
//
// Demand on f is unbounded. A panic of key or value cancels f and ends the stream; then, and at
// failure or cancellation, the elements collected so far are discarded.
func (f Flux[T]) CollectMapOf[K comparable, V any](key func(T) K, value func(T) V) mono.Mono[map[K]V] {
	return mono.FromDirect(operators.CollectMap(f.Source(), key, value))
}

// CollectMultimap emits a map from key(v) to the slice of all elements with that key, in order.
//
// Demand, errors and discarding are as for [Flux.CollectMap].
func (f Flux[T]) CollectMultimap[K comparable](key func(T) K) mono.Mono[map[K][]T] {
	return mono.FromDirect(operators.CollectMultimap(f.Source(), key, identity[T]))
}

// CollectMultimapOf emits a map from key(v) to the slice of value(v) for all elements with that
// key, in order.
//
// Demand, errors and discarding are as for [Flux.CollectMap].
func (f Flux[T]) CollectMultimapOf[K comparable, V any](key func(T) K, value func(T) V) mono.Mono[map[K][]V] {
	return mono.FromDirect(operators.CollectMultimap(f.Source(), key, value))
}

// Count emits the number of elements.
//
//	f:    a --- b --- c |
//	      Count()
//	out:  ------------- 3 |
//
// Demand on f is unbounded. Errors pass. The result comes on the goroutine of f, or on the one
// that requests.
func (f Flux[T]) Count[N Int]() mono.Mono[N] {
	return mono.FromDirect(operators.As[N](operators.Count(f.Source())))
}
