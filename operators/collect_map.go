package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// CollectMap emits one map from key(v) to value(v) at the end; of several elements with
// the same key the last one counts, and the earlier values are used up.
//
// Demand on src is unbounded. A panic of key or value cancels src and ends the
// stream; then, and at failure or cancellation, the elements collected so far are
// discarded.
func CollectMap[T any, K comparable, V any](src reactor.Publisher[T], key func(T) K, value func(T) V) reactor.Publisher[map[K]V] {
	argument.Given("collectMap", "key function", key != nil)
	argument.Given("collectMap", "value function", value != nil)
	return &foldPublisher[T, map[K]V]{op: "collectMap", src: protocol.Trust("collectMap", src), def: byKey[T, K, V]{key, value}}
}

// byKey is a folding into a map.
type byKey[T any, K comparable, V any] struct {
	key   func(T) K
	value func(T) V
}

func (byKey[T, K, V]) first() map[K]V { return map[K]V{} }

func (f byKey[T, K, V]) into(ctx context.Context, acc *map[K]V) func(v T) {
	spent := pending.SpentFor[V](ctx)
	return func(v T) {
		k, value := f.key(v), f.value(v)
		old, replaced := (*acc)[k]
		(*acc)[k] = value
		if replaced && spent != nil {
			spent(old)
		}
	}
}

func (byKey[T, K, V]) discard(hook func(any), acc map[K]V) {
	for _, v := range acc {
		hook(v)
	}
}
