package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/merge"
)

// ParallelSequential merges the rails into one stream, in whatever order their elements
// come.
//
//	rail 0:  1 ----- 3 ----- 5 |
//	rail 1:  --- 2 --------- 4 ---|
//	         ParallelSequential()
//	out:     1 - 2 - 3 ----- 5 - 4 |
//
// It asks each rail for 256 elements ([Prefetch]), and for another three quarters of
// that number whenever as many were delivered. An error of a rail cancels the other
// rails and comes at once; the queued elements are discarded. Elements come on the
// goroutines of the rails, one at a time.
func ParallelSequential[T any](src ParallelPublisher[T], opts ...ParallelMergeOption) reactor.Publisher[T] {
	return newRailMerge("sequential", src, nil, false, opts)
}

// ParallelOrdered merges the rails, each of which is sorted in the order of compare,
// into one stream in that order. The smallest of the elements that are first in their
// rails comes next, as soon as each rail has an element or has ended.
//
//	rail 0:  1 ----- 4 ----- 5 |
//	rail 1:  --- 2 ----- 6 ----- 7 |
//	         ParallelOrdered(cmp.Compare)
//	out:     --- 1 - 2 - 4 - 5 - 6 - 7 |
//
// An error of a rail waits until everything else was delivered. See
// [ParallelSequential] for demand.
func ParallelOrdered[T any](src ParallelPublisher[T], compare func(a, b T) int, opts ...ParallelMergeOption) reactor.Publisher[T] {
	argument.Given("ordered", "comparison", compare != nil)
	// Called from here, the function brings the name along into its failures.
	return newRailMerge("ordered", src, func(a, b T) int { return compare(a, b) }, true, opts)
}

// ParallelMergeOption is an option of [ParallelSequential] and [ParallelOrdered]:
// [Prefetch].
type ParallelMergeOption interface{ applyParallelMerge(*parallelMergeConfig) }

type parallelMergeConfig struct{ prefetch int }

func (o PrefetchOption) applyParallelMerge(c *parallelMergeConfig) { c.prefetch = int(o) }

func newRailMerge[T any](op string, src ParallelPublisher[T], compare func(a, b T) int, delayErrors bool, opts []ParallelMergeOption) reactor.Publisher[T] {
	argument.NotNil(op, "source", src)
	c := parallelMergeConfig{prefetch: defaultHopPrefetch()}
	for _, o := range argument.Options(op, opts) {
		o.applyParallelMerge(&c)
	}
	return &railMergePublisher[T]{src: src, Config: merge.Config[T]{
		Name: op, Source: "a rail", Compare: compare, DelayErrors: delayErrors, Shared: !delayErrors, ToTheEnded: delayErrors,
		Prefetch: positiveSize(op, "prefetch", c.prefetch),
	}}
}

type railMergePublisher[T any] struct {
	protocol.Op
	src ParallelPublisher[T]
	merge.Config[T]
}

func (p *railMergePublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s := merge.New(ctx, sub, p.src.Parallelism(), p.Config)
	rails := make([]reactor.Subscriber[T], len(s.Inners))
	for i := range s.Inners {
		rails[i] = &s.Inners[i]
	}
	defer p.src.SubscribeRails(ctx, rails) // also if downstream ends the goroutine
	s.Out.Begin()
}

// ParallelSorted emits all elements of all rails in the order of compare: each rail
// sorts its own elements, on its own goroutine, and the sorted rails are merged.
// Elements that compare equal come in the order of their rails and, within a rail, as
// they came.
//
// Nothing is emitted before every rail has ended. Each rail is asked for everything. An
// error of a rail cancels the other rails and comes at once.
func ParallelSorted[T any](src ParallelPublisher[T], compare func(a, b T) int, opts ...ParallelMergeOption) reactor.Publisher[T] {
	argument.Given("sorted", "comparison", compare != nil)
	// Called from here, the function brings the name along into its failures.
	named := func(a, b T) int { return compare(a, b) }
	sorted := ParallelRails(src, func(rail reactor.Publisher[T]) reactor.Publisher[T] { return Sort(rail, named) })
	return newRailMerge("sorted", sorted, named, false, opts)
}
