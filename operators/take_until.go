package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/stage"
)

// TakeUntil emits elements up to and including the first one for which last
// reports true; then src is cancelled and the stream completes.
//
//	src:  1 --- 2 --- 3 --- 4 |
//	      TakeUntil(n => n == 3)
//	out:  1 --- 2 --- 3 |
//
// Demand passes through. A panic of last cancels src and ends the stream. last
// runs on the goroutine of src, after the element was delivered.
func TakeUntil[T any](src reactor.Publisher[T], last func(T) bool) reactor.Publisher[T] {
	stage.NotNil("takeUntil", "predicate", last)
	return stage.Choose("takeUntil", stage.Ends, src, takeUntil[T]{last})
}

type takeUntil[T any] struct{ last func(T) bool }

func (p takeUntil[T]) Step(s *stage.Control, next func(T)) func(T) {
	return func(v T) {
		if s.IsDone() && s.Dropped(v) {
			return
		}
		next(v)
		clean := false // from here on a failure is not the guard's that has emitted v, which is delivered
		defer func() {
			if !clean {
				s.FailAfter(failure.RecoveredIn("takeUntil", recover()), v)
			}
		}()
		last := p.last(v)
		clean = true
		if last {
			s.Complete()
		}
	}
}
