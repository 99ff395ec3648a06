package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// CollectInto adds every element to a container, and emits the container at the end.
// newContainer makes the container, once per subscription.
//
//	src:  1 --- 2 --- 3 |
//	      CollectInto(newSet, (*Set).Add)
//	out:  ------------- {1 2 3} |
//
// Demand, errors and goroutine are as for [Fold].
func CollectInto[T, C any](src reactor.Publisher[T], newContainer func() C, add func(C, T)) reactor.Publisher[C] {
	argument.Given("collectInto", "container function", newContainer != nil)
	argument.Given("collectInto", "function", add != nil)
	return &foldPublisher[T, C]{op: "collectInto", src: protocol.Trust("collectInto", src), def: container[T, C]{newContainer, add}}
}

// container is a folding into what the elements are added to.
type container[T, C any] struct {
	make func() C
	add  func(C, T)
}

func (f container[T, C]) first() C { return f.make() }

func (f container[T, C]) into(_ context.Context, c *C) func(v T) {
	add := f.add
	return func(v T) { add(*c, v) }
}

func (container[T, C]) discard(hook func(any), c C) { hook(c) }
