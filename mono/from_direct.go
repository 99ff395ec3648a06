package mono

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// FromDirect returns the Mono that stands for p. p must emit at most one element, which is not
// checked.
func FromDirect[T any](p reactor.Publisher[T]) Mono[T] { return Mono[T]{operators.From(p)} }
