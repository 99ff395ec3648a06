package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/stage"
)

// TryScan is [Scan] with a function that may fail: the first error of fn cancels src,
// discards the element and becomes the end of the stream; so does a panic.
//
//	src:  1 --- 2 --- 3 |
//	      TryScan(sum up to 5)
//	out:  1 --- 3 --- #
//
// Demand passes through one for one. fn runs on the goroutine of src.
func TryScan[T any](src reactor.Publisher[T], fn func(acc, v T) (T, error)) reactor.Publisher[T] {
	stage.NotNil("tryScan", "function", fn)
	return stage.Choose("tryScan", stage.Ends, src, tryScan[T]{fn})
}

type tryScan[T any] struct {
	fn func(acc, v T) (T, error)
}

type tryScanState[T any] struct {
	stage.Control
	scanState[T]
}

func (p tryScan[T]) Step(s *tryScanState[T], next func(T)) func(T) {
	fn := p.fn
	return func(v T) {
		if s.Dropped(v) {
			return
		}
		r := v
		if s.any {
			var err error
			if r, err = fn(s.acc, v); err != nil {
				s.Fail(err, v)
				return
			}
		}
		s.acc, s.any = r, true
		next(r)
	}
}
