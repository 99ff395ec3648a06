package own

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/stage"
)

// Pairwise emits fn(a, b) for each two neighbours.
//
//	src:  1 --- 2 --- 4 --- 8 |
//	      Pairwise((a, b) => b - a)
//	out:  ----- 1 --- 2 --- 4 |
//
// One element more is requested for the first, which has no neighbour before it. Errors pass through. A
// panic of fn cancels src and ends the stream. fn runs on the goroutine of src.
func Pairwise[T, R any](src reactor.Publisher[T], fn func(a, b T) R) reactor.Publisher[R] {
	stage.NotNil("pairwise", "function", fn)
	return stage.Choose("pairwise", stage.Skips, src, pairwise[T, R]{fn})
}

var _ = stage.Name[pairwise[any, any]]("pairwise") // for *reactor.PanicError

type pairwise[T, R any] struct{ fn func(a, b T) R }

// neighbour is what one subscription remembers.
type neighbour[T any] struct {
	stage.Control
	last  T
	known bool // there is a last
}

func (p pairwise[T, R]) Step(s *neighbour[T], next func(R)) func(T) {
	fn := p.fn
	return func(v T) {
		last, known := s.last, s.known
		s.last, s.known = v, true
		if !known {
			s.Skip()
			return
		}
		next(fn(last, v))
	}
}
