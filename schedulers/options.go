package schedulers

import (
	"fmt"
	"time"
)

// Option adjusts a scheduler that is being made.
type Option func(*settings)

// DefaultTTL is how long a slot of a bounded elastic scheduler may stay idle.
const DefaultTTL = 60 * time.Second

type settings struct {
	ttl   time.Duration
	clock Clock
	looks int
}

func newSettings(op string, opts []Option) settings {
	s := settings{ttl: DefaultTTL, clock: systemClock{}, looks: defaultLooks}
	apply(op, &s, opts)
	return s
}

// apply applies the options of op; one that is nil is nobody's intention.
func apply[S any, O ~func(*S)](op string, to *S, opts []O) {
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("schedulers: %s: option %d is nil", op, i+1))
		}
		o(to)
	}
}

// WithTTL sets how long a slot of a bounded elastic scheduler may be idle before
// it is given up; other schedulers ignore it. Idle times are checked once per TTL,
// so an idle slot lives between one and two TTLs.
func WithTTL(ttl time.Duration) Option { return func(s *settings) { s.ttl = ttl } }

// WithClock replaces the system clock as the measure of delays, periods and idle
// times. In a testing/synctest bubble it is not needed.
func WithClock(c Clock) Option {
	if c == nil {
		panic("schedulers: WithClock: clock is nil")
	}
	return func(s *settings) { s.clock = c }
}

// WithSpin sets how often a slot that has run out of tasks looks for more before its
// goroutine ends; by default 3 times. Before each look, other goroutines may run. If
// there are none, a look takes about 200 ns, so that 10,000 looks keep a processor
// busy for some 2 ms after the last task. WithSpin is meant for tasks that follow
// each other at short intervals. Measure whether it helps: on two shared processors
// it made no difference to tasks whose submitter keeps computing.
func WithSpin(looks int) Option {
	if looks < 0 {
		panic(fmt.Sprintf("schedulers: WithSpin: looks >= 0 required but it was %d", looks))
	}
	return func(s *settings) { s.looks = looks }
}

// PeriodicOption adjusts one periodic task.
type PeriodicOption func(*periodicSettings)

type periodicSettings struct{ stopOnError bool }

func newPeriodicSettings(opts []PeriodicOption) (p periodicSettings) {
	apply("SchedulePeriodically", &p, opts)
	return p
}

// StopOnError ends the series after the first run that panics; the handle of the
// series then reports that it is disposed.
func StopOnError() PeriodicOption { return func(p *periodicSettings) { p.stopOnError = true } }

// DisposeOption adjusts a graceful disposal.
type DisposeOption func(*disposeSettings)

type disposeSettings struct{ dropDelayed bool }

func newDisposeSettings(opts []DisposeOption) (d disposeSettings) {
	apply("DisposeGracefully", &d, opts)
	return d
}

// DropDelayed makes a graceful disposal drop the tasks whose delay has not passed;
// otherwise it waits until the last of them has run.
func DropDelayed() DisposeOption { return func(d *disposeSettings) { d.dropDelayed = true } }
