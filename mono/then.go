package mono

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Then keeps only the end of m.
//
// The result has no element: wait for its end with [Mono.Run]; [Mono.Block] fails with
// reactor.ErrNoElements.
func (m Mono[T]) Then[M Self[T]]() Mono[struct{}] {
	return Mono[struct{}]{operators.Then(m.Source())}
}

// ThenMono emits the element of other when m has completed. To go on with a whole stream there is
// [flux.Flux.ThenMany].
//
//	m:      --- 1 |
//	other:        --- 9 |
//	        ThenMono(other)
//	out:    --------- 9 |
//
// All of m and then of other is requested at once; the element waits for demand. An error of m
// passes, and other is not subscribed; nor is other subscribed after a cancellation. other is
// subscribed on the goroutine on which m completed.
func (m Mono[T]) ThenMono[R any](other Mono[R]) Mono[R] {
	return Mono[R]{operators.ThenMono(m.Source(), other.Source())}
}

// ThenEmpty waits for m and then for other, and keeps only the end.
//
//	m:      --- 1 |
//	other:        8 --- 9 |
//	        ThenEmpty(other)
//	out:    ------------- |
//
// All of m and then of other is requested at once. Errors of both pass.
func (m Mono[T]) ThenEmpty[U any](other reactor.Publisher[U]) Mono[struct{}] {
	return Mono[struct{}]{operators.ThenEmpty(m.Source(), other)}
}

// ThenReturn emits v when m has completed.
//
// All of m is requested at once; v waits for demand. An error of m passes.
func (m Mono[T]) ThenReturn[R any](v R) Mono[R] { return Mono[R]{operators.ThenReturn(m.Source(), v)} }

// IgnoreElement discards the element and keeps the end.
//
// All of m is requested at once, whatever the demand. Errors and cancellation pass through, on
// the goroutine of m.
func (m Mono[T]) IgnoreElement[M Self[T]]() M { return wrap[M](operators.IgnoreElements(m.Source())) }

// IgnoreElements discards all elements of a stream and keeps its end.
//
//	p:    1 --- 2 --- 3 |
//	      IgnoreElements()
//	out:  ------------- |
//
// All of p is requested at once, whatever the demand. Errors and cancellation pass through, on
// the goroutine of p.
func IgnoreElements[T any](p reactor.Publisher[T]) Mono[T] {
	return Mono[T]{operators.IgnoreElements(p)}
}

// HasElement reports whether m sends an element.
//
//	m:    --- 7 |
//	      HasElement()
//	out:  --- true |
//
// The first request asks m for its element, which is discarded. An error of m passes. The
// result comes on the goroutine of m, or on the one that requests.
func (m Mono[T]) HasElement[M Self[T]]() Mono[bool] {
	return Mono[bool]{operators.HasElement(m.Source())}
}

// Single fails with reactor.ErrNoElements if m is empty.
//
//	m:    --- 1 |
//	      Single()
//	out:  --- 1 |
//
// The element comes when m has completed, on the goroutine of m. An error of m passes.
func (m Mono[T]) Single[M Self[T]]() M { return wrap[M](operators.Single(m.Source())) }

// SingleOptional emits fn(v, true) for the element v or, if m is empty, fn of the zero value
// and false.
//
//	m:    ------- |
//	      SingleOptional((v, ok) => ok)
//	out:  ------- false |
//
// The first request asks m for its element. An error of m passes, a panic of fn ends the
// stream. fn runs on the goroutine of m.
func (m Mono[T]) SingleOptional[R any](fn func(v T, ok bool) R) Mono[R] {
	return Mono[R]{operators.SingleOptional(m.Source(), fn)}
}

// DelayUntil holds the element v back until the publisher trigger(v) has completed.
//
//	m:           1 |
//	trigger(1):    --- x --- |
//	             DelayUntil(trigger)
//	out:         ----------- 1 |
//
// m and the trigger get unbounded demand at once; the element waits for demand. An error of the
// trigger cancels m, discards the element and ends the stream; so does a panic of the function.
// Cancellation cancels both. The element comes on the goroutine of the trigger, or on the one
// that requests.
func (m Mono[T]) DelayUntil[U any, P reactor.Publisher[U], M Self[T]](trigger func(T) P) M {
	return wrap[M](operators.MonoDelayUntil[T, U](m.Source(), trigger))
}
