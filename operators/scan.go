package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/stage"
)

// Scan emits what has been accumulated so far: the first element as it is, then the
// result of fn for what was emitted before and each further element.
//
//	src:  1 --- 2 --- 3 |
//	      Scan(sum)
//	out:  1 --- 3 --- 6 |
//
// Demand passes through one for one. A panic of fn cancels src and ends the stream; for
// functions that fail in the ordinary way there is [TryScan]. The type of the result
// may be another one with [ScanWith]. fn runs on the goroutine of src.
func Scan[T any](src reactor.Publisher[T], fn func(acc, v T) T) reactor.Publisher[T] {
	stage.NotNil("scan", "function", fn)
	return stage.Each("scan", src, scanState[T]{}, scan[T]{fn})
}

type scan[T any] struct{ fn func(acc, v T) T }

// scanState is what is accumulated. It went down and is nobody's to discard.
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
