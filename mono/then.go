package mono

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Then keeps only the end of m.
//
// See [operators.Then] for demand, errors and the goroutine.
func (m Mono[T]) Then[M Self[T]]() Mono[struct{}] {
	return Mono[struct{}]{operators.Then(m.Source())}
}

// ThenMono emits the element of other when m has completed. For a whole stream in that
// place there is [flux.Flux.ThenMany].
//
// See [operators.ThenMono] for demand, errors and the goroutine.
func (m Mono[T]) ThenMono[R any](other Mono[R]) Mono[R] {
	return Mono[R]{operators.ThenMono(m.Source(), other.Source())}
}

// ThenEmpty waits for m and then for other, and keeps only the end.
//
// See [operators.ThenEmpty] for demand, errors and the goroutine.
func (m Mono[T]) ThenEmpty[U any](other reactor.Publisher[U]) Mono[struct{}] {
	return Mono[struct{}]{operators.ThenEmpty(m.Source(), other)}
}

// ThenReturn emits v when m has completed.
//
// See [operators.ThenReturn] for demand, errors and the goroutine.
func (m Mono[T]) ThenReturn[R any](v R) Mono[R] { return Mono[R]{operators.ThenReturn(m.Source(), v)} }

// IgnoreElement discards the element and keeps the end.
//
// See [operators.IgnoreElements] for demand, errors and the goroutine.
func (m Mono[T]) IgnoreElement[M Self[T]]() M { return wrap[M](operators.IgnoreElements(m.Source())) }

// IgnoreElements discards all elements of a stream and keeps its end.
//
// See [operators.IgnoreElements] for demand, errors and the goroutine.
func IgnoreElements[T any](p reactor.Publisher[T]) Mono[T] {
	return Mono[T]{operators.IgnoreElements(p)}
}

// HasElement reports whether m sends an element.
//
// See [operators.HasElement] for demand, errors and the goroutine.
func (m Mono[T]) HasElement[M Self[T]]() Mono[bool] {
	return Mono[bool]{operators.HasElement(m.Source())}
}

// Single fails with reactor.ErrNoElements if m is empty.
//
// See [operators.Single] for demand, errors and the goroutine.
func (m Mono[T]) Single[M Self[T]]() M { return wrap[M](operators.Single(m.Source())) }

// SingleOptional emits fn of the element and true, or of the zero value and false if m
// is empty.
//
// See [operators.SingleOptional] for demand, errors and the goroutine.
func (m Mono[T]) SingleOptional[R any](fn func(v T, ok bool) R) Mono[R] {
	return Mono[R]{operators.SingleOptional(m.Source(), fn)}
}

// DelayUntil holds the element v back until the publisher trigger(v) has completed.
//
// See [operators.MonoDelayUntil] for demand, errors and the goroutine.
func (m Mono[T]) DelayUntil[M Self[T], U any, P reactor.Publisher[U]](trigger func(T) P) M {
	return wrap[M](operators.MonoDelayUntil[T, U](m.Source(), trigger))
}
