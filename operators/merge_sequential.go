package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// MergeSequentialOption configures [MergeSequential]: [Concurrency] (default: all),
// [Prefetch] (default 32), [DelayErrors].
type MergeSequentialOption interface {
	FlatMapSequentialOption
	applyMergeSequential()
}

func (ConcurrencyOption) applyMergeSequential() {}
func (PrefetchOption) applyMergeSequential()    {}
func (DelayErrorsOption) applyMergeSequential() {}

// MergeSequential subscribes to all sources at once, or to as many at a time as [Concurrency] says,
// from left to right, and emits what they send in the order of the sources: all of the first
// source, then all of the second, and so on.
//
//	a:    1 ------------ 2 |
//	b:    --- 10 - 20 |
//	      MergeSequential(a, b)
//	out:  1 ------------ 2 - 10 - 20 |
//
// Each source is asked for 32 elements ahead of demand ([Prefetch]); they wait in a queue of its
// own until the source's turn comes. The first error of any source cancels the others, discards the
// elements that wait and ends the stream; with [DelayErrors] the sources run on, and errors, joined
// if there are several, come at the end. Cancellation cancels all sources; errors held back so far
// are then lost. Elements are emitted on the goroutine that makes it possible, see
// [FlatMapSequential].
func MergeSequential[T any](sources []reactor.Publisher[T], opts ...MergeSequentialOption) reactor.Publisher[T] {
	seq := make([]FlatMapSequentialOption, 0, len(opts)+1)
	seq = append(seq, Concurrency(max(len(sources), 1)))
	for _, o := range argument.Options("mergeSequential", opts) {
		seq = append(seq, o)
	}
	all := newFlatMapSequential("mergeSequential", FromSlice(protocol.TrustAll("mergeSequential", sources)),
		func(p reactor.Publisher[T]) reactor.Publisher[T] { return p }, seq)
	switch len(sources) {
	case 0:
		return Empty[T]()
	case 1:
		return protocol.Trust("mergeSequential", sources[0])
	}
	return all
}

// MergeSequentialAll subscribes at once to the publishers that src sends, and emits what
// they send in the order of the publishers. It is [FlatMapSequential] without a function.
func MergeSequentialAll[T any, P reactor.Publisher[T]](src reactor.Publisher[P], opts ...FlatMapSequentialOption) reactor.Publisher[T] {
	return newFlatMapSequential("mergeSequentialAll", src, func(p P) reactor.Publisher[T] { return p }, opts)
}
