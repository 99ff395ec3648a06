package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/stage"
)

// ZipWithSlice combines each element of src with the element of items in the same
// place; with the last element of items src is cancelled and the stream completes.
//
//	src:  1 --- 2 --- 3 |
//	      ZipWithSlice([10, 20], sum)
//	out:  11 -- 22 |
//
// If items is empty, the stream is empty, and src is not subscribed to. Demand passes
// through. A panic of fn cancels src and ends the stream. fn runs on the goroutine of
// src. items must not be changed while the stream is in use.
func ZipWithSlice[T, U, R any](src reactor.Publisher[T], items []U, fn func(T, U) R) reactor.Publisher[R] {
	stage.NotNil("zipWithSlice", "combiner", fn)
	src = stage.Upstream("zipWithSlice", src)
	if len(items) == 0 {
		return Empty[R]()
	}
	return stage.Choose("zipWithSlice", stage.Ends, src, zipWithSlice[T, U, R]{items, fn})
}

type zipWithSlice[T, U, R any] struct {
	items []U // at least one
	fn    func(T, U) R
}

type zipWithSliceState struct {
	stage.Control
	used int // items
}

func (p zipWithSlice[T, U, R]) Step(s *zipWithSliceState, next func(R)) func(T) {
	fn, items := p.fn, p.items
	return func(v T) {
		if s.Dropped(v) {
			return
		}
		next(fn(v, items[s.used]))
		if s.used++; s.used == len(items) && !s.IsDone() {
			s.Complete()
		}
	}
}
