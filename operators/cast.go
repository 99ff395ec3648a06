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
			return r, castFailed(v, (*R)(nil))
		}
		return r, nil
	})
}

// castFailed says that v is not of the type that p points to.
func castFailed(v, p any) error {
	return reactor.Failure("cast", reactor.ErrIllegalArgument, "an element is of type %T, not %v", v, reflect.TypeOf(p).Elem())
}
