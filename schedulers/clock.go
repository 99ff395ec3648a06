package schedulers

import "time"

// Clock measures time for a scheduler.
type Clock interface {
	// Now returns the current time. Differences between its results must not
	// jump, so that they should carry a monotonic reading.
	Now() time.Time
	// AfterFunc calls f on a goroutine of its own when d has passed. The
	// returned function stops that; it need not wait for a call under way.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// systemClock is the real time, or the fake one of a testing/synctest bubble.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}
