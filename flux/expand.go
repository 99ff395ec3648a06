package flux

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Expand emits every element of f and, level by level, the elements of the publishers that fn
// returns for each emitted element. For a Mono use From.
//
//	f:    1 --- 2 |
//	      Expand(n => 10n, up to 100)
//	out:  1 --- 2 - 10 - 20 - 100 |
//
// fn is called when its element has been emitted. Publishers are subscribed one at a time, in
// the order of the elements that led to them; publishers that wait are kept, without limit.
// Demand that one leaves open is asked of the next. The first error, of f, of fn, or of one of
// the publishers, ends the stream; a nil publisher is an error of fn. After a cancellation no
// further publisher is subscribed. Each publisher emits on its own goroutine; the next one is
// subscribed on the goroutine on which the one before completed. The stack depth is constant,
// however many publishers complete at once. [Flux.ExpandDeep] goes depth first.
func (f Flux[T]) Expand[P reactor.Publisher[T]](fn func(T) P) Flux[T] {
	return Flux[T]{operators.Expand(f.Source(), publishers[T]("expand", fn))}
}

// ExpandDeep emits every element of f and, right after each emitted element, the elements of the
// publisher that fn returns for it, depth first. For a Mono use From.
//
//	f:    1 ----------- 2 |
//	      ExpandDeep(n => 10n, up to 100)
//	out:  1 - 10 - 100 - 2 - 20 |
//
// f is subscribed with the first request. f and the publishers of fn are asked for one element
// at a time, and fn is called when its element has been emitted; the next element of the same
// publisher is requested when everything below the current one is done. An error of f or of one
// of the publishers ends that publisher; an error of fn ends the publisher of the element
// concerned. The others go on, and the errors, joined if there are several, come at the end. A
// nil publisher is an error of fn. Cancellation goes to all publishers that have begun.
// Elements are emitted, and fn runs, on the goroutine of the publisher concerned or on the one
// that requests. The stack does not grow with the depth.
func (f Flux[T]) ExpandDeep[P reactor.Publisher[T]](fn func(T) P) Flux[T] {
	return Flux[T]{operators.ExpandDeep(f.Source(), publishers[T]("expandDeep", fn))}
}
