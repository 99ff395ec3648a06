package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// Then keeps only the end of f.
//
// See [operators.Then] for demand, errors and the goroutine.
func (f Flux[T]) Then[F Self[T]]() mono.Mono[struct{}] {
	return mono.FromDirect(operators.Then(f.Source()))
}

// ThenMono emits the element of other when f has completed.
//
// See [operators.ThenMono] for demand, errors and the goroutine.
func (f Flux[T]) ThenMono[R any](other mono.Mono[R]) mono.Mono[R] {
	return mono.FromDirect(operators.ThenMono(f.Source(), other.Source()))
}

// ThenMany emits the elements of other when f has completed.
//
// See [operators.ThenMany] for demand, errors and the goroutine.
func (f Flux[T]) ThenMany[R any](other reactor.Publisher[R]) Flux[R] {
	return Flux[R]{operators.ThenMany(f.Source(), other)}
}

// ThenEmpty waits for f and then for other, and keeps only the end.
//
// See [operators.ThenEmpty] for demand, errors and the goroutine.
func (f Flux[T]) ThenEmpty[U any](other reactor.Publisher[U]) mono.Mono[struct{}] {
	return mono.FromDirect(operators.ThenEmpty(f.Source(), other))
}

// ThenReturn emits v when f has completed.
//
// See [operators.ThenReturn] for demand, errors and the goroutine.
func (f Flux[T]) ThenReturn[R any](v R) mono.Mono[R] {
	return mono.FromDirect(operators.ThenReturn(f.Source(), v))
}

// IgnoreElements discards all elements and keeps the end.
//
// See [operators.IgnoreElements] for demand, errors and the goroutine.
func (f Flux[T]) IgnoreElements[F Self[T]]() mono.Mono[T] {
	return mono.FromDirect(operators.IgnoreElements(f.Source()))
}
