//go:build !chaos

package live

import (
	"context"
	"time"
)

// AfterContext is context.AfterFunc.
func AfterContext(ctx context.Context, f func()) (stop func() bool) {
	return context.AfterFunc(ctx, f)
}

// After is time.AfterFunc.
func After(d time.Duration, f func()) (stop func() bool) { return time.AfterFunc(d, f).Stop }

// TimerSet notes that a timer was set that was not.
func TimerSet() {}

// TimerDone notes that one has rung or was stopped.
func TimerDone() {}

// Counts returns how many timers are set and how many contexts are watched.
func Counts() (timers, contexts int64) { return 0, 0 }
