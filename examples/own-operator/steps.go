package own

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/stage"
)

// Steps emits from, from+by, from+2*by, … below to.
//
//	      Steps(0, 10, 3)
//	out:  0 - 3 - 6 - 9 |
//
// Elements are computed on demand, on the goroutine that requests them. A step that is not positive panics.
func Steps(from, to, by int) reactor.Publisher[int] {
	stage.Positive("steps", "the step", by)
	var left uint
	if from < to {
		left = (uint(to)-uint(from)-1)/uint(by) + 1 // unsigned: to-from may not fit into an int
	}
	return stage.Pull("steps", progress{from, left}, steps{by})
}

type steps struct{ by int }

// progress is where one subscription is.
type progress struct {
	next int
	left uint
}

func (p steps) Pull(s *progress, out *stage.Emitter[int]) (more bool) {
	for s.left > 0 && out.Open() {
		v := s.next
		s.next += p.by
		s.left--
		out.Next(v)
	}
	return s.left > 0
}
