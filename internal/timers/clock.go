package timers

import (
	"time"

	"github.com/goreactor/reactor/internal/live"
)

// System is the real time, or the fake one of a testing/synctest bubble.
type System struct{}

// Now returns the time, with a monotonic reading.
func (System) Now() time.Time { return time.Now() }

// AfterFunc calls f on a goroutine of its own when d has passed.
func (System) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return live.After(d, f)
}

// Clock is where alarms get their time from.
type Clock interface {
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// Alarm calls a function once, at the time that was set last; a call that is under way
// may still come. The system's timer is used again and again, which costs less than a
// new one each time. It has no lock of its own.
type Alarm struct {
	timer *time.Timer // of the system's clock, made when it is first needed
	stop  func() bool // of another clock
	at    int64
	set   bool
}

// SetBefore reports whether the alarm is set to at or earlier.
func (a *Alarm) SetBefore(at int64) bool { return a.set && a.at <= at }

// Set sets the alarm to at, which is in d. The clock and the function must always be
// the same.
func (a *Alarm) Set(clock Clock, at int64, d time.Duration, f func()) {
	if !a.set {
		live.TimerSet()
	}
	switch {
	case clock != Clock(System{}):
		a.halt()
		a.stop = clock.AfterFunc(d, f)
	case a.timer == nil:
		a.timer = time.AfterFunc(d, f)
	default:
		a.timer.Reset(d)
	}
	a.at, a.set = at, true
}

// Stop takes the alarm back. Its function calls it, too: it may have been on its way when the
// alarm was set again, and must not leave that behind.
func (a *Alarm) Stop() {
	a.halt()
	if a.set {
		live.TimerDone()
	}
	a.set, a.stop = false, nil
}

func (a *Alarm) halt() {
	if a.timer != nil {
		a.timer.Stop()
	}
	if a.stop != nil {
		a.stop()
	}
}
