package mono

import (
	"time"

	"github.com/goreactor/reactor/operators"
)

// At returns the Mono that emits an instant when it comes, at once if it is past.
//
//	      At(noon)
//	out:  ------ noon |
//
// It goes by the clock of the scheduler (schedulers.Parallel(), or see [On]); after that has
// jumped, or the machine was asleep, it takes up to 30 seconds to notice. The element waits for
// demand. It is emitted on the scheduler, or on the goroutine of the first request if that
// comes later. Cancellation takes the timer back.
func At(at time.Time, opts ...SchedulerOption) Mono[time.Time] {
	return Mono[time.Time]{operators.At(at, opts...)}
}
