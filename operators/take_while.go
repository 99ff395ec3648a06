package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/stage"
)

// TakeWhile emits elements as long as more reports true; the first element for which
// more reports false is discarded, src is cancelled, and the stream completes.
//
//	src:  1 --- 2 --- 3 --- 1 |
//	      TakeWhile(n => n < 3)
//	out:  1 --- 2 --- |
//
// Demand passes through. A panic of more cancels src and ends the stream. more
// runs on the goroutine of src.
func TakeWhile[T any](src reactor.Publisher[T], more func(T) bool) reactor.Publisher[T] {
	stage.NotNil("takeWhile", "predicate", more)
	return stage.Choose("takeWhile", stage.Ends, src, takeWhile[T]{more})
}

type takeWhile[T any] struct{ more func(T) bool }

func (p takeWhile[T]) Step(s *stage.Control, next func(T)) func(T) {
	more := p.more
	return func(v T) {
		switch {
		case s.IsDone() && s.Dropped(v):
		case more(v):
			next(v)
		default:
			s.CompleteWithout(v)
		}
	}
}
