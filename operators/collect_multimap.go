package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// CollectMultimap emits one map from key(v) to the slice of all value(v), in
// order, at the end.
//
// Demand, errors and discarding are as for [CollectMap].
func CollectMultimap[T any, K comparable, V any](src reactor.Publisher[T], key func(T) K, value func(T) V) reactor.Publisher[map[K][]V] {
	argument.Given("collectMultimap", "key function", key != nil)
	argument.Given("collectMultimap", "value function", value != nil)
	return &foldPublisher[T, map[K][]V]{op: "collectMultimap", src: protocol.Trust("collectMultimap", src), def: allByKey[T, K, V]{key, value}}
}

// allByKey is a folding into a map of slices.
type allByKey[T any, K comparable, V any] struct {
	key   func(T) K
	value func(T) V
}

func (allByKey[T, K, V]) first() map[K][]V { return map[K][]V{} }

func (f allByKey[T, K, V]) into(_ context.Context, acc *map[K][]V) func(v T) {
	return func(v T) {
		k := f.key(v)
		(*acc)[k] = append((*acc)[k], f.value(v))
	}
}

func (allByKey[T, K, V]) discard(hook func(any), acc map[K][]V) {
	for _, items := range acc {
		pending.DiscardAll(hook, items)
	}
}
