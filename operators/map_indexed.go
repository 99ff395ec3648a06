package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/stage"
)

// MapIndexed is [Index] under the name that programs use; its errors have that name.
//
//	src:  a --- b --- c |
//	      MapIndexed(i + v)
//	out:  0a -- 1b -- 2c |
//
// Demand passes through one for one. A panic of fn cancels src and ends the stream. fn
// runs on the goroutine of src.
func MapIndexed[T, R any](src reactor.Publisher[T], fn func(i int, v T) R) reactor.Publisher[R] {
	stage.NotNil("mapIndexed", "mapper", fn)
	return stage.Each("mapIndexed", src, 0, mapIndexed[T, R]{fn})
}

type mapIndexed[T, R any] struct{ fn func(i int, v T) R }

func (p mapIndexed[T, R]) Step(at *int, next func(R)) func(T) {
	fn := p.fn
	return func(v T) {
		r := fn(*at, v)
		*at++
		next(r)
	}
}
