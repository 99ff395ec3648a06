//go:build chaos

package live

import (
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/internal/nosync"
)

var timers, contexts atomic.Int64

// count adds n. The race detector must not see it, or it would take the goroutines that register
// something for ordered by it.
func count(of *atomic.Int64, n int64) {
	nosync.Begin()
	of.Add(n)
	nosync.End()
}

// counted registers f, by way of register, until it is called or stopped.
func counted(of *atomic.Int64, f func(), register func(f func()) (stop func() bool)) (stop func() bool) {
	count(of, 1)
	unregister := register(func() {
		count(of, -1)
		f()
	})
	return func() bool {
		stopped := unregister()
		if stopped {
			count(of, -1)
		}
		return stopped
	}
}

// watched counts x, who is to be told of the end of a context.
func watched(x Ended) Ended {
	count(&contexts, 1)
	return told{x}
}

// unwatched takes back one that watched has counted.
func unwatched() { count(&contexts, -1) }

// single returns the stop of a watch without a hub, which takes back what watched has counted.
func single(stop func() bool) func() bool {
	return func() bool {
		stopped := stop()
		if stopped {
			unwatched()
		}
		return stopped
	}
}

// told takes back what watched has counted when it is told of the end.
type told struct{ x Ended }

func (t told) ContextEnded() {
	count(&contexts, -1)
	t.x.ContextEnded()
}

// After is time.AfterFunc.
func After(d time.Duration, f func()) (stop func() bool) {
	return counted(&timers, f, func(f func()) func() bool { return time.AfterFunc(d, f).Stop })
}

// TimerSet notes that a timer was set that was not.
func TimerSet() { count(&timers, 1) }

// TimerDone notes that one has rung or was stopped.
func TimerDone() { count(&timers, -1) }

// Counts returns how many timers are set and how many contexts are watched.
func Counts() (set, watched int64) { return timers.Load(), contexts.Load() }
