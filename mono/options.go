package mono

import (
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// Prefetch sets how many elements are requested ahead of demand; n > 0. math.MaxInt
// stands for unbounded.
func Prefetch(n int) PrefetchOption { return operators.Prefetch(n) }

// DelayErrors waits for the end of all sources before an error is passed on; several errors are
// joined.
func DelayErrors() DelayErrorsOption { return operators.DelayErrors() }

// On makes an operator use s for its timers, and the clock of s for the time.
func On(s schedulers.Scheduler) SchedulerOption { return operators.On(s) }
