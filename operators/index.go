package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/stage"
)

// Index emits fn(i, v) for every v, where i counts the elements from 0.
//
//	src:  a ----- b ----- c |
//	      Index()
//	out:  (0 a) - (1 b) - (2 c) |
//
// Demand passes through one for one. A panic of fn cancels src and ends the stream. fn
// runs on the goroutine of src.
func Index[T, R any](src reactor.Publisher[T], fn func(i int, v T) R) reactor.Publisher[R] {
	stage.NotNil("index", "mapper", fn)
	return stage.Each("index", src, 0, index[T, R]{fn})
}

type index[T, R any] struct{ fn func(i int, v T) R }

func (p index[T, R]) Step(at *int, next func(R)) func(T) {
	fn := p.fn
	return func(v T) {
		r := fn(*at, v)
		*at++
		next(r)
	}
}
