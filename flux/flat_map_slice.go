package flux

import (
	"iter"

	"github.com/goreactor/reactor/operators"
)

// FlatMapSlice emits the elements of the slices that fn returns, one slice after the other.
// Options: [Prefetch] (default 256).
//
//	f:    1 ------- 2 ------- |
//	      FlatMapSlice(n => [n 10n])
//	out:  1 - 10 -- 2 - 20 -- |
//
// It asks f for 256 elements ([Prefetch]), which wait in a queue, and for another three
// quarters of that number whenever it is done with as many. fn is called when the slice before
// has been emitted. An error of f or of fn ends the stream at once: the elements that wait and
// the rest of the current slice are discarded, as at a cancellation. For functions that fail in
// the ordinary way there is [Flux.TryFlatMapSlice], for sequences [Flux.FlatMapSeq]. fn runs,
// and elements are emitted, on the goroutine of f or that of a request.
func (f Flux[T]) FlatMapSlice[R any](fn func(T) []R, opts ...PrefetchOption) Flux[R] {
	return Flux[R]{operators.FlatMapSlice(f.Source(), fn, opts...)}
}

// TryFlatMapSlice is FlatMapSlice with a function that may fail; the first error ends the
// stream.
//
//	f:    1 ------- x ------- |
//	      TryFlatMapSlice(n => [n 10n], or an error)
//	out:  1 - 10 -- #
func (f Flux[T]) TryFlatMapSlice[R any](fn func(T) ([]R, error), opts ...PrefetchOption) Flux[R] {
	return Flux[R]{operators.TryFlatMapSlice(f.Source(), fn, opts...)}
}

// FlatMapSeq emits the elements of the sequences that fn returns, one sequence after the other.
// Options: [Prefetch] (default 256).
//
//	f:    1 ------- 2 ------- |
//	      FlatMapSeq(n => n, 10n)
//	out:  1 - 10 -- 2 - 20 -- |
//
// A sequence that begins under unbounded demand runs in a range loop. Otherwise the sequence is
// suspended between requests, and computes one element ahead, so that its end shows without
// further demand. Each sequence that has begun runs to its end or sees its yield report false,
// also after a cancellation. A nil sequence is empty. A panic of a sequence ends the stream as a
// panic of fn does. See [Flux.FlatMapSlice] for the rest, and [FromSeq] for goroutines that are
// locked to their thread.
func (f Flux[T]) FlatMapSeq[R any](fn func(T) iter.Seq[R], opts ...PrefetchOption) Flux[R] {
	return Flux[R]{operators.FlatMapSeq(f.Source(), fn, opts...)}
}

// FlatMapSeq2 is FlatMapSeq for sequences that can fail; the first error ends the stream.
//
//	f:    a.txt ------- b.txt ----- |
//	      FlatMapSeq2(lines)
//	out:  a1 - a2 ----- b1 - #
func (f Flux[T]) FlatMapSeq2[R any](fn func(T) iter.Seq2[R, error], opts ...PrefetchOption) Flux[R] {
	return Flux[R]{operators.FlatMapSeq2(f.Source(), fn, opts...)}
}

// ConcatMapSlice is FlatMapSlice with fewer elements requested ahead. Options: [Prefetch]
// (default 32).
//
//	f:    1 ------- 2 ------- |
//	      ConcatMapSlice(n => [n 10n])
//	out:  1 - 10 -- 2 - 20 -- |
func (f Flux[T]) ConcatMapSlice[R any](fn func(T) []R, opts ...PrefetchOption) Flux[R] {
	return Flux[R]{operators.ConcatMapSlice(f.Source(), fn, opts...)}
}

// ConcatMapSeq is FlatMapSeq with fewer elements requested ahead. Options: [Prefetch] (default
// 32).
//
//	f:    1 ------- 2 ------- |
//	      ConcatMapSeq(n => n, 10n)
//	out:  1 - 10 -- 2 - 20 -- |
func (f Flux[T]) ConcatMapSeq[R any](fn func(T) iter.Seq[R], opts ...PrefetchOption) Flux[R] {
	return Flux[R]{operators.ConcatMapSeq(f.Source(), fn, opts...)}
}
