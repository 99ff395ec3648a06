package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// Then keeps only the end of f.
//
//	f:    1 --- 2 --- 3 |
//	      Then()
//	out:  ------------- |
//
// The result has no element: wait for its end with Run; Block fails with reactor.ErrNoElements.
func (f Flux[T]) Then[F Self[T]]() mono.Mono[struct{}] {
	return mono.FromDirect(operators.Then(f.Source()))
}

// ThenMono emits the element of other when f has completed.
//
//	f:      1 --- 2 |
//	other:            9 |
//	        ThenMono(other)
//	out:    --------- 9 |
//
// All of f and then of other is requested at once; the element waits for demand. An error of f
// passes, and other is not subscribed; nor is other subscribed after a cancellation. other is
// subscribed on the goroutine on which f completed.
func (f Flux[T]) ThenMono[R any](other mono.Mono[R]) mono.Mono[R] {
	return mono.FromDirect(operators.ThenMono(f.Source(), other.Source()))
}

// ThenMany emits the elements of other when f has completed.
//
//	f:      1 --- 2 |
//	other:            8 --- 9 |
//	        ThenMany(other)
//	out:    --------- 8 --- 9 |
//
// All of f is requested at once; demand goes to other. An error of f passes, and other is not
// subscribed; nor is other subscribed after a cancellation. other is subscribed on the
// goroutine on which f completed.
func (f Flux[T]) ThenMany[R any](other reactor.Publisher[R]) Flux[R] {
	return Flux[R]{operators.ThenMany(f.Source(), other)}
}

// ThenEmpty waits for f and then for other, and keeps only the end.
//
//	f:      1 --- 2 |
//	other:            8 --- 9 |
//	        ThenEmpty(other)
//	out:    ----------------- |
//
// All of f and then of other is requested at once. Errors of both pass.
func (f Flux[T]) ThenEmpty[U any](other reactor.Publisher[U]) mono.Mono[struct{}] {
	return mono.FromDirect(operators.ThenEmpty(f.Source(), other))
}

// ThenReturn emits v when f has completed.
//
//	f:    1 --- 2 |
//	      ThenReturn(9)
//	out:  ------- 9 |
//
// All of f is requested at once; v waits for demand. An error of f passes.
func (f Flux[T]) ThenReturn[R any](v R) mono.Mono[R] {
	return mono.FromDirect(operators.ThenReturn(f.Source(), v))
}

// IgnoreElements discards all elements and keeps the end.
//
//	f:    1 --- 2 --- 3 |
//	      IgnoreElements()
//	out:  ------------- |
//
// All of f is requested at once, whatever the demand. Errors and cancellation pass through, on
// the goroutine of f.
func (f Flux[T]) IgnoreElements[F Self[T]]() mono.Mono[T] {
	return mono.FromDirect(operators.IgnoreElements(f.Source()))
}
