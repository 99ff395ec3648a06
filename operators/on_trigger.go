package operators

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/executors/cron"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// CronOption is an option of [Cron].
type CronOption interface{ applyCron(*cronConfig) }

type cronConfig struct {
	zone *time.Location
	on   []SchedulerOption
}

// ZoneOption is the time zone in which a cron expression is read.
type ZoneOption struct{ loc *time.Location }

// InZone sets the time zone in which the expression of [Cron] is read; by default it is
// the local one.
func InZone(loc *time.Location) ZoneOption { return ZoneOption{loc} }

func (z ZoneOption) applyCron(c *cronConfig)      { c.zone = z.loc }
func (o SchedulerOption) applyCron(c *cronConfig) { c.on = append(c.on, o) }

// Cron emits the times of a cron expression of six fields when they come: second,
// minute, hour, day of month, month, day of week (see package cron). It is
// [OnTrigger] with cron.Lenient: times that pass while an element is on its way
// downstream, or while the machine sleeps, are left out.
//
// An expression that can't be parsed panics; for an expression that users write, call
// cron.Parse and use OnTrigger.
func Cron(expression string, opts ...CronOption) reactor.Publisher[time.Time] {
	var c cronConfig
	for _, o := range argument.Options("cron", opts) {
		o.applyCron(&c)
	}
	e, err := cron.Parse(expression)
	if err != nil {
		panic(fmt.Sprintf("reactor: %v", err)) // the error begins with "cron: "
	}
	return newOnTrigger("cron", cron.Lenient(e, c.zone), c.on)
}

// OnTrigger emits the times that trigger names, each when it comes, and completes when
// trigger names no further time.
//
// A time without demand ends the stream with reactor.ErrOverflow, as with [Interval].
// Elements are emitted on a worker of the scheduler (schedulers.Parallel(), or see
// [On]), and the times are compared with the clock of that scheduler; after a jump of
// the clock, or after the machine was asleep, it takes up to 30 seconds to notice. The
// trigger is asked on that worker, and the first time when somebody subscribes; its
// panic ends the stream. Cancellation stops the timer.
func OnTrigger(trigger executors.Trigger, opts ...SchedulerOption) reactor.Publisher[time.Time] {
	if trigger == nil {
		panic("reactor: onTrigger: trigger is nil")
	}
	return newOnTrigger("onTrigger", trigger, opts)
}

func newOnTrigger(op string, trigger executors.Trigger, opts []SchedulerOption) reactor.Publisher[time.Time] {
	p := &onTriggerPublisher{op: op, trigger: trigger}
	if len(opts) > 0 {
		p.scheduler = timerOf(op, opts)
	}
	return p
}

type onTriggerPublisher struct {
	protocol.Op
	op        string
	trigger   executors.Trigger
	scheduler schedulers.Scheduler // nil: schedulers.Parallel() at subscription
}

func (p *onTriggerPublisher) Subscribe(ctx context.Context, s reactor.Subscriber[time.Time]) {
	on := p.scheduler
	if on == nil {
		on = foreign.Scheduler(schedulers.Parallel())
	}
	sub := &onTriggerSubscription{ctx: ctx, p: p, clock: on, down: protocol.Strict(ctx, s), worker: on.NewWorker()}
	sub.push = protocol.Push(sub.down)
	defer func() { // also if downstream ends the goroutine
		if !sub.over.Load() {
			sub.plan()
		}
	}()
	sub.down.OnSubscribe(sub)
}

// longestWait is how long wall-clock times are waited for before the clock is
// looked at again.
const longestWait = 30 * time.Second

// wallTime is the time of a scheduler's clock, without a monotonic reading: times that have one are compared
// by that, and it stands still while the machine sleeps.
func wallTime(s schedulers.Scheduler) time.Time { return s.Now().Round(0) }

type onTriggerSubscription struct {
	ctx    context.Context
	p      *onTriggerPublisher
	clock  schedulers.Scheduler
	down   reactor.Subscriber[time.Time]
	push   func(time.Time) // hands elements to down
	worker schedulers.Worker
	demand atomic.Int64
	over   atomic.Bool // cancelled or ended

	// The fields below belong to Subscribe until it has scheduled, and then to the
	// worker.
	last executors.TriggerContext
	next time.Time
}

// plan asks for the next time.
func (s *onTriggerSubscription) plan() {
	asked := false
	defer func() {
		if !asked {
			s.fail(failure.Recovered(recover()))
		}
	}()
	c := s.last
	c.Now = wallTime(s.clock)
	next, ok := s.p.trigger.Next(c)
	asked = true
	if ok {
		s.next = next
		s.wait()
	} else if !s.over.Swap(true) {
		s.worker.Dispose()
		s.down.OnComplete()
	}
}

// wait schedules the next look at the clock.
func (s *onTriggerSubscription) wait() {
	now, ok := s.now()
	if !ok {
		return
	}
	d := min(max(0, s.next.Sub(now)), longestWait)
	if _, err := s.worker.ScheduleAfter(s.look, d); err != nil {
		s.fail(rejected(s.ctx, s.p.op, err, nil))
	}
}

// now returns the time. If the clock, which may be one of the user, panics, the stream fails.
func (s *onTriggerSubscription) now() (now time.Time, ok bool) {
	ok = failure.Guard(func() { now = wallTime(s.clock) }, func(err error) { s.fail(rejected(s.ctx, s.p.op, err, nil)) })
	return now, ok
}

func (s *onTriggerSubscription) fail(err error) {
	if !s.over.Swap(true) {
		s.worker.Dispose()
		s.down.OnError(err)
	}
}

// look emits the time if it has come. It gets the context of the task, which does not
// go downstream.
func (s *onTriggerSubscription) look(context.Context) {
	now, ok := s.now()
	switch {
	case !ok || s.over.Load():
		return
	case now.Before(s.next):
		s.wait()
		return
	case s.demand.Load() == 0:
		s.fail(reactor.Failure(s.p.op, reactor.ErrOverflow, "%v found no demand: what may become of such a time says OnBackpressureDrop or OnBackpressureLatest behind the source", s.next))
		return
	}
	v := s.next
	clean := false
	defer func() {
		if !clean {
			err := failure.Recovered(recover())
			s.Cancel()
			protocol.Crash(s.ctx, s.down, err, v)
		}
	}()
	s.push(v)
	clean = true
	demand.Produced(&s.demand, 1)
	if s.over.Load() {
		return
	}
	if end, ok := s.now(); ok {
		s.last = executors.TriggerContext{LastScheduled: v, LastStart: now, LastEnd: end}
		s.plan()
	}
}

func (s *onTriggerSubscription) Request(n int64) { demand.Add(&s.demand, n) }

func (s *onTriggerSubscription) Cancel() {
	if !s.over.Swap(true) {
		s.worker.Dispose()
	}
}
