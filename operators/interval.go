package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// IntervalOption is an option of [Interval].
type IntervalOption interface{ applyInterval(*intervalConfig) }

type intervalConfig struct {
	initial time.Duration
	on      []SchedulerOption
}

// InitialDelayOption is the time before the first tick.
type InitialDelayOption time.Duration

// InitialDelay sets the time before the first tick of [Interval], d ≥ 0; by default it
// is the period.
func InitialDelay(d time.Duration) InitialDelayOption { return InitialDelayOption(d) }

func (d InitialDelayOption) applyInterval(c *intervalConfig) { c.initial = time.Duration(d) }

func (o SchedulerOption) applyInterval(c *intervalConfig) { c.on = append(c.on, o) }

// Interval emits 0, 1, 2, … at a fixed rate. The first tick comes after one period or,
// with [InitialDelay], after that delay.
//
//	      Interval(3ms)
//	out:  --- 0 --- 1 --- 2 ---
//
// A tick without demand ends the stream with reactor.ErrOverflow: time does not wait
// for demand, and it takes an operator such as [OnBackpressureDrop] to decide what
// becomes of a tick without demand. Elements are emitted on a worker of the scheduler
// (schedulers.Parallel(), or see [On]). A period < 0 panics; 0 means as often as the
// scheduler can.
func Interval(period time.Duration, opts ...IntervalOption) reactor.Publisher[int64] {
	argument.NotNegative("interval", "period", period)
	c := intervalConfig{initial: period}
	for _, o := range argument.Options("interval", opts) {
		o.applyInterval(&c)
	}
	argument.NotNegative("interval", "initial delay", c.initial)
	p := &intervalPublisher{initial: c.initial, period: period}
	if len(c.on) > 0 {
		p.scheduler = timerOf("interval", c.on)
	}
	return p
}

type intervalPublisher struct {
	protocol.Op
	initial, period time.Duration
	scheduler       schedulers.Scheduler // nil: schedulers.Parallel() at subscription
}

func (p *intervalPublisher) Subscribe(ctx context.Context, s reactor.Subscriber[int64]) {
	on := p.scheduler
	if on == nil {
		on = foreign.Scheduler(schedulers.Parallel())
	}
	sub := &intervalSubscription{ctx: ctx, down: protocol.Strict(ctx, s), worker: on.NewWorker()}
	sub.push = protocol.Push(sub.down)
	defer func() { // also if downstream ends the goroutine
		if _, err := sub.worker.SchedulePeriodically(sub.tick, p.initial, p.period); err != nil && !sub.over.Swap(true) {
			sub.worker.Dispose()
			sub.down.OnError(rejected(ctx, "interval", err, nil))
		}
	}()
	sub.down.OnSubscribe(sub)
}

type intervalSubscription struct {
	ctx    context.Context
	down   reactor.Subscriber[int64]
	push   func(int64) // hands elements to down
	worker schedulers.Worker
	demand atomic.Int64
	over   atomic.Bool // cancelled or failed
	next   int64       // worker only
}

// tick is what the worker runs. It gets the context of the task, which does not go
// downstream.
func (s *intervalSubscription) tick(context.Context) {
	if s.over.Load() {
		return
	}
	if s.demand.Load() == 0 {
		if s.over.Swap(true) {
			return
		}
		s.worker.Dispose()
		s.down.OnError(reactor.Failure("interval", reactor.ErrOverflow, "tick %d found no demand: what may become of such a tick says OnBackpressureDrop or OnBackpressureLatest behind the source", s.next))
		return
	}
	v := s.next
	s.next++
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
}

func (s *intervalSubscription) Request(n int64) { demand.Add(&s.demand, n) }

func (s *intervalSubscription) Cancel() {
	if !s.over.Swap(true) {
		s.worker.Dispose()
	}
}
