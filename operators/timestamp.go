package operators

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/stage"
)

// Timestamp emits fn(t, v) for every v, where t is the time when v came.
//
// The time is that of schedulers.Parallel() unless [On] names another scheduler.
// Demand passes through; a panic of fn cancels src and ends the stream. fn runs on
// the goroutine of src.
func Timestamp[T, R any](src reactor.Publisher[T], fn func(t time.Time, v T) R, opts ...SchedulerOption) reactor.Publisher[R] {
	stage.NotNil("timestamp", "function", fn)
	return newTimed("timestamp", src, func(t reactor.Timed[T]) R { return fn(t.Time, t.Value) }, opts)
}
