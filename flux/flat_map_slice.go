package flux

import (
	"iter"

	"github.com/goreactor/reactor/operators"
)

// FlatMapSlice emits the elements of the slices that fn returns, one slice after the
// other. Options: [Prefetch] (default 256).
//
// See [operators.FlatMapSlice] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) FlatMapSlice[R any](fn func(T) []R, opts ...PrefetchOption) Flux[R] {
	return Flux[R]{operators.FlatMapSlice(f.Source(), fn, opts...)}
}

// TryFlatMapSlice is FlatMapSlice with a function that may fail; the first error ends
// the stream.
//
// See [operators.TryFlatMapSlice] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) TryFlatMapSlice[R any](fn func(T) ([]R, error), opts ...PrefetchOption) Flux[R] {
	return Flux[R]{operators.TryFlatMapSlice(f.Source(), fn, opts...)}
}

// FlatMapSeq emits the elements of the sequences that fn returns, one sequence after
// the other. Options: [Prefetch] (default 256).
//
// See [operators.FlatMapSeq] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) FlatMapSeq[R any](fn func(T) iter.Seq[R], opts ...PrefetchOption) Flux[R] {
	return Flux[R]{operators.FlatMapSeq(f.Source(), fn, opts...)}
}

// FlatMapSeq2 is FlatMapSeq for sequences that can fail; the first error ends the
// stream.
//
// See [operators.FlatMapSeq2] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) FlatMapSeq2[R any](fn func(T) iter.Seq2[R, error], opts ...PrefetchOption) Flux[R] {
	return Flux[R]{operators.FlatMapSeq2(f.Source(), fn, opts...)}
}

// ConcatMapSlice is FlatMapSlice with fewer elements requested ahead. Options:
// [Prefetch] (default 32).
//
// See [operators.ConcatMapSlice] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) ConcatMapSlice[R any](fn func(T) []R, opts ...PrefetchOption) Flux[R] {
	return Flux[R]{operators.ConcatMapSlice(f.Source(), fn, opts...)}
}

// ConcatMapSeq is FlatMapSeq with fewer elements requested ahead. Options: [Prefetch]
// (default 32).
//
// See [operators.ConcatMapSeq] for demand, errors, cancellation and the goroutine.
func (f Flux[T]) ConcatMapSeq[R any](fn func(T) iter.Seq[R], opts ...PrefetchOption) Flux[R] {
	return Flux[R]{operators.ConcatMapSeq(f.Source(), fn, opts...)}
}
