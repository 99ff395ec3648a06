//go:build !chaos

package live

import "time"

// watched returns x, who is to be told of the end of a context.
func watched(x Ended) Ended { return x }

// unwatched does nothing.
func unwatched() {}

// single returns stop.
func single(stop func() bool) func() bool { return stop }

// After is time.AfterFunc.
func After(d time.Duration, f func()) (stop func() bool) { return time.AfterFunc(d, f).Stop }

// TimerSet notes that a timer was set that was not.
func TimerSet() {}

// TimerDone notes that one has rung or was stopped.
func TimerDone() {}

// Counts returns how many timers are set and how many contexts are watched.
func Counts() (timers, contexts int64) { return 0, 0 }
