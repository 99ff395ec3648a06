package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/stage"
)

// MapWhile emits the result of fn(v) for each v as long as there is a result; the first element
// without a result is discarded, src is cancelled, and the stream completes. Project Reactor
// has no such operator.
//
//	src:  1 --- 2 --- 3 --- 1 |
//	      MapWhile(below 3: 10n)
//	out:  10 -- 20 -- |
//
// Demand passes through one for one. A panic of fn cancels src and ends the stream. fn
// runs on the goroutine of src.
func MapWhile[T, R any](src reactor.Publisher[T], fn func(T) (R, bool)) reactor.Publisher[R] {
	stage.NotNil("mapWhile", "mapper", fn)
	return stage.Choose("mapWhile", stage.Ends, src, mapWhile[T, R]{fn})
}

type mapWhile[T, R any] struct{ fn func(T) (R, bool) }

func (p mapWhile[T, R]) Step(s *stage.Control, next func(R)) func(T) {
	fn := p.fn
	return func(v T) {
		if s.IsDone() && s.Dropped(v) {
			return
		}
		if r, ok := fn(v); ok {
			next(r)
		} else {
			s.CompleteWithout(v)
		}
	}
}
