package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Expand emits every element, and those of the publisher that fn returns for each
// element emitted, level by level. For a Mono use From.
//
// See [operators.Expand] for demand, errors, cancellation and the goroutines.
func (f Flux[T]) Expand[P reactor.Publisher[T]](fn func(T) P) Flux[T] {
	return Flux[T]{operators.Expand(f.Source(), publishers[T]("expand", fn))}
}

// ExpandDeep emits every element, and after each the elements of the publisher that fn
// returns for it, with what these lead to in turn. For a Mono use From.
//
// See [operators.ExpandDeep] for demand, errors, cancellation and the goroutines.
func (f Flux[T]) ExpandDeep[P reactor.Publisher[T]](fn func(T) P) Flux[T] {
	return Flux[T]{operators.ExpandDeep(f.Source(), publishers[T]("expandDeep", fn))}
}
