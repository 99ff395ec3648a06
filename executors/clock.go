package executors

import (
	"time"

	"github.com/goreactor/reactor/internal/timers"
)

// Clock measures time for what waits: keep-alive times, delays, triggers. Its methods
// have to return, and must not call the executor or scheduler that they serve, which
// may hold a lock meanwhile.
type Clock interface {
	// Now returns the current time. Differences between its results must not
	// jump, so the results should carry a monotonic reading.
	Now() time.Time
	// AfterFunc calls f on a goroutine of its own when d has passed. The
	// returned function stops that; it need not wait for a call under way.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// systemClock is the clock of everything that is not given another one.
type systemClock = timers.System
