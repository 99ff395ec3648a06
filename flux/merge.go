package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// MergeOption configures [MergeSlice]: [Prefetch], [DelayErrors].
type MergeOption = operators.MergeOption

// Merge subscribes to all sources at once and emits what they send, in the order in
// which it comes.
//
// See [operators.Merge] for demand, errors, cancellation and the goroutine.
func Merge[T any](sources ...reactor.Publisher[T]) Flux[T] {
	return Flux[T]{operators.Merge(sources...)}
}

// MergeDelayError is Merge that holds errors back until all sources have ended.
//
// See [operators.MergeSlice] for demand, errors, cancellation and the goroutine.
func MergeDelayError[T any](sources ...reactor.Publisher[T]) Flux[T] {
	return Flux[T]{operators.MergeSlice(sources, operators.DelayErrors())}
}

// MergeSlice is Merge for a slice of publishers of one type, such as []Flux[T], and with
// options.
//
// See [operators.MergeSlice] for demand, errors, cancellation and the goroutine.
func MergeSlice[T any, P reactor.Publisher[T]](sources []P, opts ...MergeOption) Flux[T] {
	return Flux[T]{operators.MergeSlice(sourcesOf[T](sources), opts...)}
}

// MergeAll subscribes to the publishers that sources sends and emits what they send, in
// the order in which it comes.
//
// See [operators.FlatMap] for demand, errors, cancellation and the goroutines.
func MergeAll[T any, P reactor.Publisher[T]](sources reactor.Publisher[P], opts ...FlatMapOption) Flux[T] {
	return Flux[T]{operators.FlatMap(sources, source[T, P], opts...)}
}

// MergeWith emits the elements of f and of the others, in the order in which they come.
//
// See [operators.Merge] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) MergeWith[F Self[T]](others ...reactor.Publisher[T]) F {
	return wrap[F](operators.MergeWith(f.Source(), others...))
}
