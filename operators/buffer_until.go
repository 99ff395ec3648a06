package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/stage/boundary"
)

// BufferUntil emits slices that end with an element for which last reports true, and
// at the end what has come since.
//
//	src:  1 --- 2 --- 3 --- 4 --- 5 |
//	      BufferUntil(even)
//	out:  ----- [1 2] ----- [3 4] - [5] |
//
// With [CutBefore] they begin with such an element instead:
//
//	      BufferUntil(even, CutBefore())
//	out:  ----- [1] ------- [2 3] - [4 5] |
//
// A request for n buffers asks src for n elements, and for one more at a time until
// there are n buffers. Src may complete when there is no demand: the last buffer waits
// for it. An error of src, or a panic of last, ends the stream at once; then, and at
// cancellation, the open buffer is discarded element by element. Slices belong to the
// subscriber. last runs on the goroutine of src, where the slices come too, the last
// one perhaps on the one that requests.
func BufferUntil[T any](src reactor.Publisher[T], last func(T) bool, opts ...BufferUntilOption) reactor.Publisher[[]T] {
	argument.Given("bufferUntil", "predicate", last != nil)
	c := bufferUntilConfig{at: boundary.After}
	for _, o := range argument.Options("bufferUntil", opts) {
		o.applyBufferUntil(&c)
	}
	return newBufferCut("bufferUntil", src, func() boundary.Cutter[T] {
		return func(v T) boundary.Cut {
			if last(v) {
				return c.at
			}
			return boundary.None
		}
	})
}

// BufferUntilOption is an option of [BufferUntil]: [CutBefore].
type BufferUntilOption interface{ applyBufferUntil(*bufferUntilConfig) }

type bufferUntilConfig struct{ at boundary.Cut }

// CutBeforeOption puts an element that marks a boundary behind it.
type CutBeforeOption struct{}

// CutBefore makes the element that marks a boundary the first one of what comes next,
// not the last one of what came before.
func CutBefore() CutBeforeOption { return CutBeforeOption{} }

func (CutBeforeOption) applyBufferUntil(c *bufferUntilConfig) { c.at = boundary.Before }
