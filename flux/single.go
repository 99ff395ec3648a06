package flux

import (
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// Next emits the first element and cancels the rest.
//
//	f:    --- 1 --- 2 --- 3 |
//	      Next()
//	out:  --- 1 |
//
// The first request asks f for everything; f is cancelled before it can send a second element.
// An error that comes before the element passes. The element comes on the goroutine of f.
func (f Flux[T]) Next[F Self[T]]() mono.Mono[T] { return mono.FromDirect(operators.Next(f.Source())) }

// Single emits the element if there is exactly one, and fails otherwise.
//
//	f:    --- 1 ----- |
//	      Single()
//	out:  ----------- 1 |
//
// The first request asks f for everything. The element comes when f has completed, on the goroutine
// of f; a second element cancels f, and both elements are discarded. An error of f passes.
func (f Flux[T]) Single[F Self[T]]() mono.Mono[T] {
	return mono.FromDirect(operators.Single(f.Source()))
}

// SingleOrDefault emits the element if there is exactly one, v if there is none, and fails
// otherwise.
//
//	f:    --- 1 ----- |
//	      SingleOrDefault(0)
//	out:  ----------- 1 |
//
// The first request asks f for everything. The element comes when f has completed, on the goroutine
// of f; a second element cancels f, and both elements are discarded. An error of f passes.
func (f Flux[T]) SingleOrDefault[F Self[T]](v T) mono.Mono[T] {
	return mono.FromDirect(operators.SingleOrDefault(f.Source(), v))
}

// SingleOrEmpty emits the element if there is exactly one, is empty if there is none, and fails
// otherwise.
//
//	f:    --- 1 ----- |
//	      SingleOrEmpty()
//	out:  ----------- 1 |
//
// The first request asks f for everything. The element comes when f has completed, on the goroutine
// of f; a second element cancels f, and both elements are discarded. An error of f passes.
func (f Flux[T]) SingleOrEmpty[F Self[T]]() mono.Mono[T] {
	return mono.FromDirect(operators.SingleOrEmpty(f.Source()))
}
