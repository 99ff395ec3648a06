package operators

import (
	"context"
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
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
	return &foldPublisher[T, []T]{op: "collectSlice", src: protocol.Trust("collectSlice", src), def: slice[T]{}}
}

// slice is a folding into a slice.
type slice[T any] struct{}

func (slice[T]) first() []T { return []T{} }

func (slice[T]) into(_ context.Context, items *[]T) func(v T) {
	return func(v T) {
		if len(*items) == cap(*items) {
			*items = room(*items)
		}
		*items = append(*items, v)
	}
}

func (slice[T]) discard(hook func(any), items []T) { pending.DiscardAll(hook, items) }

// firstRoom is how many elements there is room for when the first one has come, if they are not large: without it ten
// elements would have moved four times.
const firstRoom = 8

// room returns items with room for at least one more.
//
//go:noinline
func room[T any](items []T) []T {
	if cap(items) == 0 {
		return make([]T, 0, min(firstRoom, queue.Few[T]()))
	}
	return slices.Grow(items, 1)
}
