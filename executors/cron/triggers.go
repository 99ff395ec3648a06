package cron

import (
	"time"

	"github.com/goreactor/reactor/executors"
)

// Lenient returns a trigger that fires at the times of e in loc, nil for the local
// zone. It looks for the next time from the end of the last run on: times during a run,
// and times that passed while the machine slept, are left out.
func Lenient(e *Expression, loc *time.Location) executors.Trigger {
	return newTrigger("Lenient", e, loc, false, time.Time{})
}

// Fixed returns a trigger that fires at all times of e in loc, nil for the local zone:
// it looks for the next time from the last time on, so that late runs follow one
// another.
func Fixed(e *Expression, loc *time.Location) executors.Trigger {
	return newTrigger("Fixed", e, loc, true, time.Time{})
}

// ResumeLenient is [Lenient] for a job that last fired before from: if a time of e has
// passed since from, it fires at once, one time for all that have passed.
func ResumeLenient(e *Expression, loc *time.Location, from time.Time) executors.Trigger {
	return newTrigger("ResumeLenient", e, loc, false, from)
}

// ResumeFixed is [Fixed] for a job that last fired before from: it fires at once for
// each time of e that has passed since from.
func ResumeFixed(e *Expression, loc *time.Location, from time.Time) executors.Trigger {
	return newTrigger("ResumeFixed", e, loc, true, from)
}

type trigger struct {
	e     *Expression
	loc   *time.Location
	fixed bool
	from  time.Time
}

func newTrigger(op string, e *Expression, loc *time.Location, fixed bool, from time.Time) executors.Trigger {
	if e == nil {
		panic("cron: " + op + ": expression is nil")
	}
	if loc == nil {
		loc = time.Local
	}
	return &trigger{e, loc, fixed, from}
}

// Next returns the time after those of c. It is after the last scheduled time in any
// case, also if the clock was set back or the timer came early: no time is met twice.
func (t *trigger) Next(c executors.TriggerContext) (time.Time, bool) {
	base := c.Now
	switch {
	case c.LastScheduled.IsZero():
		if !t.from.IsZero() {
			base = t.from
		}
	case t.fixed || c.LastEnd.Before(c.LastScheduled):
		base = c.LastScheduled
	default:
		base = c.LastEnd
	}
	return t.e.Next(base.In(t.loc))
}

// String returns the expression.
func (t *trigger) String() string { return t.e.String() }
