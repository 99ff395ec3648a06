package operators

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/stage"
)

// Elapsed emits fn(d, v) for every v, where d is the time since the element
// before, or since the subscription.
//
//	src:  -- 1 - 2 --- 3 |
//	      Elapsed((d, v) => d)
//	out:  -- 3 - 4 --- 6 |
//
// The time is that of schedulers.Parallel() unless [On] names another scheduler.
// Demand passes through; a panic of fn cancels src and ends the stream. fn runs on
// the goroutine of src.
func Elapsed[T, R any](src reactor.Publisher[T], fn func(d time.Duration, v T) R, opts ...SchedulerOption) reactor.Publisher[R] {
	stage.NotNil("elapsed", "function", fn)
	return newTimed("elapsed", src, func(t reactor.Timed[T]) R { return fn(t.Elapsed, t.Value) }, opts)
}
