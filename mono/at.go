package mono

import (
	"time"

	"github.com/goreactor/reactor/operators"
)

// At returns the Mono that emits at when that time comes, at once if it is past.
//
//	      At(noon)
//	out:  ------ noon |
//
// The time is compared with the clock of the scheduler (schedulers.Parallel(), or see [On]);
// after a jump of that clock, or after the machine was asleep, it takes up to 30 seconds to
// notice. The element waits for demand. It is emitted on the scheduler, or on the goroutine of
// the first request if that comes later. Cancellation stops the timer.
func At(at time.Time, opts ...SchedulerOption) Mono[time.Time] {
	return Mono[time.Time]{operators.At(at, opts...)}
}
