package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/merge"
)

// MergeComparingOption configures [MergeComparing] and [MergePriority]: [Prefetch]
// (default 256), [DelayErrors].
type MergeComparingOption interface{ applyMergeComparing(*mergeComparingConfig) }

type mergeComparingConfig struct {
	op          string // for errors
	prefetch    int64
	delayErrors bool
}

func (n PrefetchOption) applyMergeComparing(c *mergeComparingConfig) {
	c.prefetch = positiveSize(c.op, "prefetch", int(n))
}

func (d DelayErrorsOption) applyMergeComparing(c *mergeComparingConfig) { c.delayErrors = bool(d) }

// MergeComparing merges sources, each of which is sorted in the order of compare, into one
// stream in that order. The smallest of the elements that are first in their sources comes
// next, as soon as each source has an element or has ended. Of equal elements that of the
// earlier source comes first.
//
//	a:    1 ----- 4 ----- 5 |
//	b:    --- 2 ----- 6 ----- 7 |
//	      MergeComparing(cmp.Compare, a, b)
//	out:  --- 1 - 2 - 4 - 5 - 6 - 7 |
//
// All sources are subscribed at once, from left to right. Each is asked for 256 elements
// ([Prefetch]), which wait in a queue of its own, and for another three quarters of that
// number whenever as many were delivered. The first error cancels the other sources,
// discards the elements that wait and ends the stream; with [DelayErrors] the sources run
// on, and errors, joined if there are several, come at the end. A panic of compare ends the
// stream at once. Cancellation cancels all sources. Elements are emitted on the goroutine
// that makes it possible: that of a source or of a request.
func MergeComparing[T any](
	compare func(a, b T) int, sources []reactor.Publisher[T], opts ...MergeComparingOption,
) reactor.Publisher[T] {
	argument.Given("mergeComparing", "comparison", compare != nil)
	// Called from here, the function brings the name along into its failures.
	named := func(a, b T) int { return compare(a, b) }
	return newMergeComparing("mergeComparing", named, false, sources, opts)
}

// MergeComparingWith merges src with other, see [MergeComparing]; src is subscribed first.
func MergeComparingWith[T any](
	src, other reactor.Publisher[T], compare func(a, b T) int, opts ...MergeComparingOption,
) reactor.Publisher[T] {
	argument.Given("mergeComparingWith", "comparison", compare != nil)
	argument.NotNil("mergeComparingWith", "publisher", other)
	// Called from here, the function brings the name along into its failures.
	named := func(a, b T) int { return compare(a, b) }
	return newMergeComparing("mergeComparingWith", named, false, []reactor.Publisher[T]{src, other}, opts)
}

// MergePriority merges sources, and of the elements that have come it emits the smallest
// first: it does not wait for sources that have no element.
//
//	a:    1 ----- 4 ----- 5 |
//	b:    --- 2 ----- 3 |
//	      MergePriority(cmp.Compare, a, b)
//	out:  1 - 2 - 4 - 3 - 5 |
//
// So elements are in order only where they have waited for demand. Everything else is as
// with [MergeComparing].
func MergePriority[T any](
	compare func(a, b T) int, sources []reactor.Publisher[T], opts ...MergeComparingOption,
) reactor.Publisher[T] {
	argument.Given("mergePriority", "comparison", compare != nil)
	// Called from here, the function brings the name along into its failures.
	named := func(a, b T) int { return compare(a, b) }
	return newMergeComparing("mergePriority", named, true, sources, opts)
}

func newMergeComparing[T any](
	op string, compare func(a, b T) int, eager bool, sources []reactor.Publisher[T], opts []MergeComparingOption,
) reactor.Publisher[T] {
	c := mergeComparingConfig{op: op, prefetch: int64(defaultHopPrefetch())}
	for _, o := range argument.Options(op, opts) {
		o.applyMergeComparing(&c)
	}
	switch len(sources) {
	case 0:
		return Empty[T]()
	case 1:
		return protocol.Trust(op, sources[0])
	}
	return &mergeComparingPublisher[T]{sources: protocol.TrustAll(op, sources), Config: merge.Config[T]{
		Name: op, Source: "a source", Compare: compare, Eager: eager, DelayErrors: c.delayErrors, ToTheEnded: true, Prefetch: c.prefetch,
	}}
}

type mergeComparingPublisher[T any] struct {
	protocol.Op
	sources []reactor.Publisher[T] // at least two; never changed
	merge.Config[T]
}

func (p *mergeComparingPublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s := merge.New(ctx, sub, len(p.sources), p.Config)
	defer failure.Persist(len(p.sources), func(i int) bool { // also if downstream ends the goroutine
		if s.Out.Stopped() {
			return false
		}
		p.sources[i].Subscribe(ctx, &s.Inners[i])
		return true
	})
	s.Out.Begin()
}
