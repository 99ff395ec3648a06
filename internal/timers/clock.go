package timers

import "time"

// System is the real time, or the fake one of a testing/synctest bubble.
type System struct{}

// Now returns the time, with a monotonic reading.
func (System) Now() time.Time { return time.Now() }

// AfterFunc calls f on a goroutine of its own when d has passed.
func (System) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d, f).Stop
}
