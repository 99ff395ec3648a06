package flux

import (
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/operators"
)

// CronOption is an option of [Cron].
type CronOption = operators.CronOption

// InZone sets the time zone in which the expression of [Cron] is read; by default it is the local
// one.
func InZone(loc *time.Location) ZoneOption { return operators.InZone(loc) }

// Cron returns the Flux of the times of a cron expression, each emitted when it comes; a time
// without demand ends it with an overflow.
//
// An expression that can't be parsed panics; for an expression that users write, call cron.Parse
// and use OnTrigger. An expression that matches no time, such as the 31st of February, is an empty
// stream.
func Cron(expression string, opts ...CronOption) Flux[time.Time] {
	return Flux[time.Time]{operators.Cron(expression, opts...)}
}

// OnTrigger returns the Flux of the times that trigger names, each emitted when it comes; a
// time without demand ends it with an overflow.
//
// The overflow is reactor.ErrOverflow, as with [Interval]. Elements are emitted on a worker of the
// scheduler (schedulers.Parallel(), or see [On]), and the times are compared with the clock of that
// scheduler; after a jump of the clock, or after the machine was asleep, it takes up to 30 seconds
// to notice. The trigger is asked on that worker, and the first time when somebody subscribes; its
// panic ends the stream. When the trigger names no further time, the stream completes. Cancellation
// stops the timer.
func OnTrigger(trigger executors.Trigger, opts ...SchedulerOption) Flux[time.Time] {
	return Flux[time.Time]{operators.OnTrigger(trigger, opts...)}
}
