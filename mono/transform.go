package mono

import "github.com/goreactor/reactor/operators"

// Map transforms the element with fn.
//
// See [operators.Map] for demand, errors and the goroutine.
func (m Mono[T]) Map[R any](fn func(T) R) Mono[R] {
	return Mono[R]{operators.Map(m.Source(), fn)}
}

// TryMap transforms the element with fn; an error of fn ends the stream.
//
// See [operators.TryMap] for demand, errors and the goroutine.
func (m Mono[T]) TryMap[R any](fn func(T) (R, error)) Mono[R] {
	return Mono[R]{operators.TryMap(m.Source(), fn)}
}
