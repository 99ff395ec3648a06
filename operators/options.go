package operators

import (
	"context"
	"math"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/schedulers"
)

// ConcurrencyOption is how many inner publishers are subscribed at a time.
type ConcurrencyOption int

// Concurrency limits the inner publishers that are subscribed at a time to n > 0.
func Concurrency(n int) ConcurrencyOption { return ConcurrencyOption(n) }

// PrefetchOption is how many elements are requested ahead of demand.
type PrefetchOption int

// Prefetch sets how many elements are requested ahead of demand; n > 0, or n = 0 where
// an operator says what that means. math.MaxInt stands for unbounded.
func Prefetch(n int) PrefetchOption { return PrefetchOption(n) }

// count converts a number of elements or rounds: the largest int stands for without end.
func count(n int) int64 {
	if n == math.MaxInt {
		return reactor.Unbounded
	}
	return int64(n)
}

// DelayErrorsOption holds errors back until everything else was delivered.
type DelayErrorsOption bool

// DelayErrors holds errors back until everything else was delivered; several errors are
// joined in the order of their arrival.
func DelayErrors() DelayErrorsOption { return true }

func (d DelayErrorsOption) mode() errorMode {
	if d {
		return errorsAtEnd
	}
	return errorsAtOnce
}

// BoundaryErrorsOption holds errors back until the current inner publisher has ended.
type BoundaryErrorsOption bool

// DelayErrorsToBoundary holds the error of the source back until the current inner
// publisher has ended; no further inner publisher is subscribed.
func DelayErrorsToBoundary() BoundaryErrorsOption { return true }

// errorMode is when the failure of a publisher ends the stream.
type errorMode int

const (
	errorsAtOnce     errorMode = iota
	errorsAtBoundary           // when the current inner publisher has ended
	errorsAtEnd                // when everything was delivered
)

// EagerErrorsOption lets an error overtake the elements that were received before it.
type EagerErrorsOption bool

// EagerErrors lets an error overtake the elements that are still queued; these elements
// are discarded.
func EagerErrors() EagerErrorsOption { return true }

// SchedulerOption is the scheduler whose clock and workers an operator uses.
type SchedulerOption struct{ scheduler schedulers.Scheduler }

// On makes an operator use s for its timers, and the clock of s for the time.
func On(s schedulers.Scheduler) SchedulerOption { return SchedulerOption{s} }

// timerOf returns the scheduler for the timers of an operator: the last one given
// or, without any, schedulers.Parallel(). A nil scheduler panics.
func timerOf(op string, opts []SchedulerOption) schedulers.Scheduler {
	if len(opts) == 0 {
		return foreign.Scheduler(schedulers.Parallel())
	}
	s := opts[len(opts)-1].scheduler
	argument.NotNil(op, "scheduler", s)
	return foreign.Scheduler(s)
}

// rejected makes the error of a stream out of a scheduler's refusal.
func rejected(ctx context.Context, op string, err error, v any) error {
	return reactor.OperatorError(ctx, &reactor.OpError{Op: op, Kind: reactor.ErrRejected, Cause: err}, v)
}
