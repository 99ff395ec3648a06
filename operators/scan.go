package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/stage"
)

// Scan accumulates the elements and emits each intermediate result: the first element
// as it is, and then, for each further element, the result of fn for the previous
// result and that element.
//
//	src:  1 --- 2 --- 3 |
//	      Scan(sum)
//	out:  1 --- 3 --- 6 |
//
// Demand passes through one for one. A panic of fn cancels src and ends the stream; for
// functions that fail in the ordinary way there is [TryScan]. For a result of another
// type there is [ScanWith]. fn runs on the goroutine of src.
func Scan[T any](src reactor.Publisher[T], fn func(acc, v T) T) reactor.Publisher[T] {
	stage.NotNil("scan", "function", fn)
	return stage.Each("scan", src, scanState[T]{}, scan[T]{fn})
}

type scan[T any] struct{ fn func(acc, v T) T }

// scanState is the accumulated value. It went down, so the stage does not discard it.
type scanState[T any] struct {
	acc T
	any bool // there is an acc
}

func (p scan[T]) Step(s *scanState[T], next func(T)) func(T) {
	fn := p.fn
	return func(v T) {
		if s.any {
			v = fn(s.acc, v)
		}
		s.acc, s.any = v, true
		next(v)
	}
}
