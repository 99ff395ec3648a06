package flux

import "github.com/goreactor/reactor/operators"

// Map transforms every element with fn.
//
// See [operators.Map] for demand, errors and the goroutine.
func (f Flux[T]) Map[R any](fn func(T) R) Flux[R] {
	return Flux[R]{operators.Map(f.Source(), fn)}
}

// TryMap transforms every element with fn; the first error ends the stream.
//
// See [operators.TryMap] for demand, errors and the goroutine.
func (f Flux[T]) TryMap[R any](fn func(T) (R, error)) Flux[R] {
	return Flux[R]{operators.TryMap(f.Source(), fn)}
}
