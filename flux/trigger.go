package flux

import (
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/operators"
)

// CronOption is an option of [Cron].
type CronOption = operators.CronOption

// InZone sets the zone whose wall clock counts for [Cron]; by default the local one.
func InZone(loc *time.Location) ZoneOption { return operators.InZone(loc) }

// Cron returns the Flux of the times of a cron expression, each emitted when it comes; a time
// that finds no demand ends it with an overflow.
//
// An expression that can't be parsed panics; for one that users write, call cron.Parse and use
// OnTrigger. One that never comes, such as the 31st of February, is an empty stream.
func Cron(expression string, opts ...CronOption) Flux[time.Time] {
	return Flux[time.Time]{operators.Cron(expression, opts...)}
}

// OnTrigger returns the Flux of the times that trigger names, each emitted when it comes; a
// time that finds no demand ends it with an overflow.
//
// That error is reactor.ErrOverflow, as with [Interval]. Elements are emitted on a worker of the scheduler (schedulers.Parallel(), or see [On]), by
// whose clock the times go; after that clock has jumped, or the machine was asleep, it takes up
// to 30 seconds to notice. The trigger is asked on that worker, and when somebody subscribes; a
// panic in it ends the stream. A trigger that names no more time completes it. Cancellation
// takes the timer back.
func OnTrigger(trigger executors.Trigger, opts ...SchedulerOption) Flux[time.Time] {
	return Flux[time.Time]{operators.OnTrigger(trigger, opts...)}
}
