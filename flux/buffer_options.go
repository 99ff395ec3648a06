package flux

import (
	"time"

	"github.com/goreactor/reactor/operators"
)

// Stride makes a buffer begin at every n-th element; n > 0. (Reactor calls it skip.)
func Stride(n int) StrideOption { return operators.Stride(n) }

// OpenEvery makes a buffer begin every time d has passed; d > 0.
func OpenEvery(d time.Duration) OpenEveryOption { return operators.OpenEvery(d) }

// CutBefore makes the element that marks a boundary the first one of what comes next,
// not the last one of what came before.
func CutBefore() CutBeforeOption { return operators.CutBefore() }

// FairBackpressure makes the buffers of [Flux.BufferTimeout], or the windows of
// [Flux.WindowTimeout], that are due wait for demand instead of failing.
func FairBackpressure() FairBackpressureOption { return operators.FairBackpressure() }
