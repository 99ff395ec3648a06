package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/stage/boundary"
)

// BufferUntil emits slices that end with an element for which last reports true, and at
// the end a slice of the elements that have come since.
//
//	src:  1 --- 2 --- 3 --- 4 --- 5 |
//	      BufferUntil(even)
//	out:  ----- [1 2] ----- [3 4] - [5] |
//
// With [CutBefore] the slices begin with such an element instead:
//
//	      BufferUntil(even, CutBefore())
//	out:  ----- [1] ------- [2 3] - [4 5] |
//
// A request for n buffers asks src for n elements, and then for one more at a time
// until there are n buffers. If src completes while there is no demand, the last buffer
// waits for demand. An error of src, or a panic of last, ends the stream at once; then,
// and at cancellation, the open buffer is discarded element by element. Slices belong
// to the subscriber. last runs on the goroutine of src. Slices come on the goroutine of
// src; the last one may come on the goroutine that requests.
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

// CutBeforeOption makes the element that marks a boundary the first one of the buffer
// or window that comes next.
type CutBeforeOption struct{}

// CutBefore makes the element that marks a boundary the first element of the buffer or
// window that comes next, not the last element of the one before.
func CutBefore() CutBeforeOption { return CutBeforeOption{} }

func (CutBeforeOption) applyBufferUntil(c *bufferUntilConfig) { c.at = boundary.Before }
