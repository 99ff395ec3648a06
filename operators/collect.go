package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// CollectSlice emits one slice of all elements at the end; for an empty src the slice
// is empty, not nil. (Reactor calls it collectList.)
//
//	src:  1 --- 2 --- 3 |
//	      CollectSlice()
//	out:  ------------- [1 2 3] |
//
// Demand on src is unbounded. At failure or cancellation the elements collected
// so far are discarded.
func CollectSlice[T any](src reactor.Publisher[T]) reactor.Publisher[[]T] {
	return &foldPublisher[T, []T]{op: "collectSlice", src: protocol.Trust("collectSlice", src),
		seed:    func() []T { return []T{} },
		fn:      func(acc []T, v T) []T { return append(acc, v) },
		discard: pending.DiscardAll[T]}
}

// CollectSorted emits one slice of all elements, in the order that compare
// defines, at the end. Equal elements keep their order.
//
// Demand, errors and discarding are as for [CollectSlice].
func CollectSorted[T any](src reactor.Publisher[T], compare func(a, b T) int) reactor.Publisher[[]T] {
	argument.Given("collectSorted", "comparison", compare != nil)
	return Map(CollectSlice(src), func(items []T) []T {
		sortStable(items, compare)
		return items
	})
}

// CollectMap emits one map from key(v) to value(v) at the end; of several elements with
// the same key the last one counts, and the earlier values are used up.
//
// Demand on src is unbounded. A panic of key or value cancels src and ends the
// stream; then, and at failure or cancellation, the elements collected so far are
// discarded.
func CollectMap[T any, K comparable, V any](src reactor.Publisher[T], key func(T) K, value func(T) V) reactor.Publisher[map[K]V] {
	argument.Given("collectMap", "key function", key != nil)
	argument.Given("collectMap", "value function", value != nil)
	return &foldPublisher[T, map[K]V]{op: "collectMap", src: protocol.Trust("collectMap", src),
		seed: func() map[K]V { return map[K]V{} },
		bind: func(ctx context.Context) func(map[K]V, T) map[K]V {
			spent := pending.SpentFor[V](ctx)
			return func(acc map[K]V, v T) map[K]V {
				k, value := key(v), value(v)
				old, replaced := acc[k]
				acc[k] = value
				if replaced && spent != nil {
					spent(old)
				}
				return acc
			}
		},
		discard: func(discard func(any), acc map[K]V) {
			for _, v := range acc {
				discard(v)
			}
		}}
}

// CollectMultimap emits one map from key(v) to the slice of all value(v), in
// order, at the end.
//
// Demand, errors and discarding are as for [CollectMap].
func CollectMultimap[T any, K comparable, V any](src reactor.Publisher[T], key func(T) K, value func(T) V) reactor.Publisher[map[K][]V] {
	argument.Given("collectMultimap", "key function", key != nil)
	argument.Given("collectMultimap", "value function", value != nil)
	return &foldPublisher[T, map[K][]V]{op: "collectMultimap", src: protocol.Trust("collectMultimap", src),
		seed: func() map[K][]V { return map[K][]V{} },
		fn: func(acc map[K][]V, v T) map[K][]V {
			k := key(v)
			acc[k] = append(acc[k], value(v))
			return acc
		},
		discard: func(discard func(any), acc map[K][]V) {
			for _, items := range acc {
				pending.DiscardAll(discard, items)
			}
		}}
}
