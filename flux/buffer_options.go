package flux

import (
	"time"

	"github.com/goreactor/reactor/operators"
)

// Stride makes a buffer or window begin at every n-th element; n > 0. (Reactor calls it skip.)
func Stride(n int) StrideOption { return operators.Stride(n) }

// OpenEvery makes a buffer or window begin each time d > 0 has passed.
func OpenEvery(d time.Duration) OpenEveryOption { return operators.OpenEvery(d) }

// CutBefore makes the element that marks a boundary the first element of the buffer or
// window that comes next, not the last element of the one before.
func CutBefore() CutBeforeOption { return operators.CutBefore() }

// FairBackpressure makes a due buffer of [Flux.BufferTimeout], or a due window of
// [Flux.WindowTimeout], wait for demand instead of failing the stream.
func FairBackpressure() FairBackpressureOption { return operators.FairBackpressure() }
