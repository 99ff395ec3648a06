package operators

import "github.com/goreactor/reactor"

// JustAll emits the given elements in order.
//
//	      JustAll(a, b, c)
//	out:  a - b - c |
//
// Elements are produced on demand, on the goroutine that requests them. The elements
// count as constants of the program, so those left at cancellation are not discarded;
// [FromSlice] discards them.
//
// Not inlined: see there.
//
//go:noinline
func JustAll[T any](items ...T) reactor.Publisher[T] {
	switch len(items) {
	case 0:
		return Empty[T]()
	case 1:
		return Just(items[0])
	}
	// A copy: what the caller makes for the call, even for one element, need not outlive it.
	return &slicePublisher[T]{items: append([]T(nil), items...), constant: true}
}
