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

// Cron returns the Flux of the times of a cron expression, each emitted when it
// comes; a time that finds no demand ends it with an overflow.
//
// See [operators.Cron] for demand, errors and the goroutine.
func Cron(expression string, opts ...CronOption) Flux[time.Time] {
	return Flux[time.Time]{operators.Cron(expression, opts...)}
}

// OnTrigger returns the Flux of the times that trigger names, each emitted when it
// comes; a time that finds no demand ends it with an overflow.
//
// See [operators.OnTrigger] for demand, errors, cancellation and the goroutine.
func OnTrigger(trigger executors.Trigger, opts ...SchedulerOption) Flux[time.Time] {
	return Flux[time.Time]{operators.OnTrigger(trigger, opts...)}
}
