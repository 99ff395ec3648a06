package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/stage/boundary"
)

// BufferUntilChanged emits slices of neighbouring elements with the same key.
//
//	src:  a --- a --- b --- a |
//	      BufferUntilChanged(identity)
//	out:  ----------- [a a] [b] - [a] |
//
// A panic of key ends the stream. See [BufferUntil] for demand, errors, cancellation
// and the goroutine.
func BufferUntilChanged[T any, K comparable](src reactor.Publisher[T], key func(T) K) reactor.Publisher[[]T] {
	return BufferUntilChangedFunc(src, key, func(a, b K) bool { return a == b })
}

// BufferUntilChangedFunc is [BufferUntilChanged] for keys that equal compares; the
// first argument of equal is the key of the element before.
func BufferUntilChangedFunc[T, K any](src reactor.Publisher[T], key func(T) K, equal func(a, b K) bool) reactor.Publisher[[]T] {
	argument.Given("bufferUntilChanged", "key function", key != nil)
	argument.Given("bufferUntilChanged", "comparison", equal != nil)
	return newBufferCut("bufferUntilChanged", src, func() boundary.Cutter[T] {
		// Called from this file, the functions bring its name into their failures.
		return boundary.Changes(func(v T) K { return key(v) }, func(a, b K) bool { return equal(a, b) })
	})
}
