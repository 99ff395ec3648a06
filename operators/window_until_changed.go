package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/stage/boundary"
)

// WindowUntilChanged splits src into streams of neighbouring elements with the same
// key.
//
//	src:  a --- a --- b --- a |
//	      WindowUntilChanged(identity)
//	out:  w --------- x --- y |
//	w:    a --- a ----|
//	x:                b ----|
//	y:                      a |
//
// A panic of key ends everything. See [WindowUntil] for demand, errors, cancellation
// and the goroutine.
func WindowUntilChanged[T any, K comparable, W any](src reactor.Publisher[T], key func(T) K, window func(reactor.Publisher[T]) W) reactor.Publisher[W] {
	return WindowUntilChangedFunc(src, key, func(a, b K) bool { return a == b }, window)
}

// WindowUntilChangedFunc is [WindowUntilChanged] for keys that equal compares; the
// first argument of equal is the key of the element before.
func WindowUntilChangedFunc[T, K, W any](src reactor.Publisher[T], key func(T) K, equal func(a, b K) bool, window func(reactor.Publisher[T]) W) reactor.Publisher[W] {
	argument.Given("windowUntilChanged", "key function", key != nil)
	argument.Given("windowUntilChanged", "comparison", equal != nil)
	argument.Given("windowUntilChanged", "function", window != nil)
	return newWindowCut("windowUntilChanged", src, func() boundary.Cutter[T] {
		// Called from this file, the functions bring its name into their failures.
		return boundary.Changes(func(v T) K { return key(v) }, func(a, b K) bool { return equal(a, b) })
	}, func(w reactor.Publisher[T]) W { return window(w) }, defaultHopPrefetch())
}
