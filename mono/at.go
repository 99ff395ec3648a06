package mono

import (
	"time"

	"github.com/goreactor/reactor/operators"
)

// At returns the Mono that emits an instant when it comes, at once if it is past.
//
// See [operators.At] for demand, errors, cancellation and the goroutine.
func At(at time.Time, opts ...SchedulerOption) Mono[time.Time] {
	return Mono[time.Time]{operators.At(at, opts...)}
}
