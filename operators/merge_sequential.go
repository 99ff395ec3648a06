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

// MergeSequential subscribes to all sources at once, or to as many at a time as [Concurrency] says, from
// left to right, and emits what they send in their order: all of the first source, then all of the second, and so on.
//
//	a:    1 ------------ 2 |
//	b:    --- 10 - 20 |
//	      MergeSequential(a, b)
//	out:  1 ------------ 2 - 10 - 20 |
//
// Each source is asked for 32 elements ahead of demand ([Prefetch]), which wait in a queue
// of its own until it is its turn. The first error of any source cancels the others,
// discards what waits and ends the stream; with [DelayErrors] the sources run on, and errors,
// joined if there are several, come at the end. Cancellation cancels all sources. Elements are
// emitted on whatever goroutine makes it possible, see [FlatMapSequential].
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

// MergeSequentialAll subscribes to the publishers that src sends at once and emits what they
// send in their order. It is [FlatMapSequential] without a function.
func MergeSequentialAll[T any, P reactor.Publisher[T]](src reactor.Publisher[P], opts ...FlatMapSequentialOption) reactor.Publisher[T] {
	return newFlatMapSequential("mergeSequentialAll", src, func(p P) reactor.Publisher[T] { return p }, opts)
}
