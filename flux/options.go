package flux

import (
	"time"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// Concurrency limits the inner publishers that are subscribed at a time to n > 0.
func Concurrency(n int) ConcurrencyOption { return operators.Concurrency(n) }

// Prefetch sets how many elements are requested ahead of demand; n > 0, or 0 where an
// operator says what that means. math.MaxInt stands for unbounded.
func Prefetch(n int) PrefetchOption { return operators.Prefetch(n) }

// MaxGroups makes [Flux.GroupBy] fail rather than have more than n > 0 groups open at a time.
func MaxGroups(n int) MaxGroupsOption { return operators.MaxGroups(n) }

// Patience makes [Flux.GroupBy] fail when for d > 0 nothing could move because nobody has
// subscribed to the groups in which elements wait. The failure comes between d and 2d after that
// stall began.
func Patience(d time.Duration) PatienceOption { return operators.Patience(d) }

// DelayErrors holds errors back until everything else was delivered; several errors are joined.
func DelayErrors() DelayErrorsOption { return operators.DelayErrors() }

// EagerErrors lets an error overtake the elements that are still queued.
func EagerErrors() EagerErrorsOption { return operators.EagerErrors() }

// On makes an operator use s for its timers, and the clock of s for the time.
func On(s schedulers.Scheduler) SchedulerOption { return operators.On(s) }

// RequestInPlace leaves requests on the goroutine where they are made.
func RequestInPlace() RequestInPlaceOption { return operators.RequestInPlace() }

// LowTide makes [Flux.LimitRate] ask for n ≥ 0 more elements each time n elements were delivered.
// With 0 it asks for the next batch when the previous one was delivered completely; an n that is
// not less than the batch counts as three quarters of the batch.
func LowTide(n int) LowTideOption { return operators.LowTide(n) }

// Capacity limits the elements that a stage may keep to n > 0.
func Capacity(n int) CapacityOption { return operators.Capacity(n) }

// What happens to an element that comes to a full buffer; see
// [Flux.OnBackpressureBuffer].
const (
	BufferError      = operators.BufferError
	BufferDropLatest = operators.BufferDropLatest
	BufferDropOldest = operators.BufferDropOldest
)
