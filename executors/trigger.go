package executors

import (
	"fmt"
	"time"
)

// Trigger says when a job runs. It may be asked by several goroutines, for several
// jobs.
type Trigger interface {
	// Next returns when the job of c is to run next, false if never again. A
	// time in the past means at once.
	Next(c TriggerContext) (time.Time, bool)
}

// TriggerContext describes the latest run of a job to a trigger. Before the first run
// all times but Now are zero.
//
// With [GoroutinePerRun] a trigger is asked when a run is due, not when it has ended:
// LastStart and LastEnd are then the time of that call. Triggers that measure from
// the end of a run (those of fixed delays, and a [Periodic] without FixedRate) are
// asked after the run.
type TriggerContext struct {
	Now           time.Time
	LastScheduled time.Time // when the last run was due
	LastStart     time.Time // when it began
	LastEnd       time.Time // when it ended
}

// Periodic is a trigger that fires after an initial delay, and then every period.
type Periodic struct {
	Initial time.Duration // from now; 0 is none
	Period  time.Duration // not negative
	// FixedRate measures the period from due time to due time, so that late
	// runs are made up for; without it the period is measured from the end of a
	// run.
	FixedRate bool
}

// NewPeriodic returns a trigger that fires after initial, and then every period after
// the end of a run. It panics if period is negative.
func NewPeriodic(initial, period time.Duration) Periodic {
	if period < 0 {
		panic(fmt.Sprintf("executors: NewPeriodic: period ≥ 0 required but it was %v", period))
	}
	return Periodic{Initial: initial, Period: period}
}

// NewPeriodicAtFixedRate returns a trigger that fires after initial, and then every
// period. It panics if period is negative.
func NewPeriodicAtFixedRate(initial, period time.Duration) Periodic {
	p := NewPeriodic(initial, period)
	p.FixedRate = true
	return p
}

// check refuses what the constructors refuse: with a negative period every run would be late, and the job would run without a pause.
func (p *Periodic) check() error {
	switch {
	case p == nil:
		return fmt.Errorf("executors: On: trigger is nil: %w", errArgument)
	case p.Period < 0:
		return fmt.Errorf("executors: On: period ≥ 0 required but it was %v: %w", p.Period, errArgument)
	}
	return nil
}

// Next returns the next time.
func (p Periodic) Next(c TriggerContext) (time.Time, bool) {
	switch {
	case c.LastScheduled.IsZero():
		return c.Now.Add(p.Initial), true
	case p.FixedRate:
		return c.LastScheduled.Add(p.Period), true
	}
	return c.LastEnd.Add(p.Period), true
}
