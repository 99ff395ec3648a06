package operators

import (
	"reflect"

	"github.com/goreactor/reactor"
)

// Cast asserts that every element is of type R, as v.(R) does, and emits it as such.
// It is for elements of interface types.
//
//	src:  1 --- 2 --- "x" |
//	      Cast[int]()
//	out:  1 --- 2 --- #
//
// Demand passes through. An element of another type cancels src, is discarded and ends
// the stream with reactor.ErrIllegalArgument; [OfType] skips it instead.
func Cast[R, T any](src reactor.Publisher[T]) reactor.Publisher[R] {
	return TryMap(src, func(v T) (R, error) {
		r, ok := any(v).(R)
		if !ok {
			return r, reactor.Failure("cast", reactor.ErrIllegalArgument, "an element is of type %T, not %v", v, reflect.TypeFor[R]())
		}
		return r, nil
	})
}
