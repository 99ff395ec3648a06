package flux

import (
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// Next emits the first element and cancels the rest.
//
// See [operators.Next] for demand, errors and the goroutine.
func (f Flux[T]) Next[F Self[T]]() mono.Mono[T] { return mono.FromDirect(operators.Next(f.Source())) }

// Single emits the element if there is exactly one, and fails otherwise.
//
// See [operators.Single] for demand, errors and the goroutine.
func (f Flux[T]) Single[F Self[T]]() mono.Mono[T] {
	return mono.FromDirect(operators.Single(f.Source()))
}

// SingleOrDefault emits the element if there is exactly one, v if there is none, and fails
// otherwise.
//
// See [operators.Single] for demand, errors and the goroutine.
func (f Flux[T]) SingleOrDefault[F Self[T]](v T) mono.Mono[T] {
	return mono.FromDirect(operators.SingleOrDefault(f.Source(), v))
}

// SingleOrEmpty emits the element if there is exactly one, is empty if there is none, and
// fails otherwise.
//
// See [operators.Single] for demand, errors and the goroutine.
func (f Flux[T]) SingleOrEmpty[F Self[T]]() mono.Mono[T] {
	return mono.FromDirect(operators.SingleOrEmpty(f.Source()))
}
