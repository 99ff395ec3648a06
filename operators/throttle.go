package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/schedulers"
)

// ThrottleOption is an option of [Throttle]: [Burst], [Prefetch] or [On].
type ThrottleOption interface{ applyThrottle(*throttleConfig) }

type throttleConfig struct {
	burst    int
	prefetch int
	on       []SchedulerOption
}

// BurstOption is how many elements may come at once after a pause of the source.
type BurstOption int

// Burst lets n > 0 elements come at once when no element has come for long enough.
func Burst(n int) BurstOption { return BurstOption(n) }

func (b BurstOption) applyThrottle(c *throttleConfig)     { c.burst = int(b) }
func (o PrefetchOption) applyThrottle(c *throttleConfig)  { c.prefetch = int(o) }
func (o SchedulerOption) applyThrottle(c *throttleConfig) { c.on = append(c.on, o) }

// Throttle emits at most n elements of src per interval, evenly spaced, the first one
// at once: a rate limit.
//
//	src:  1 2 3 ------------------- 4 5 |
//	      Throttle(1, 7 steps)
//	out:  1 ---- 2 ---- 3 --------- 4 ---- 5 |
//
// Nothing is left out: an element that comes too early waits for its turn. Lost time is
// not made up for, whether there was nothing to emit or no demand, or the subscriber
// was busy: the next element comes at once, and those after it keep their distance.
// With [Burst](k) up to k elements may follow one another at once if none has come for
// as long as they would have taken; at most n+k-1 elements are due in an interval. A
// timer that fires up to 10 ms late does not lower the rate: the elements that were due
// meanwhile come at once.
//
// It asks src for 32 elements ([Prefetch]), and for another three quarters of that
// number whenever as many were delivered, however large the demand downstream is. A
// late request gets the elements that wait, at the same distances. An error waits until
// everything received before it was delivered; completion follows the last element at
// once. Cancelling discards what waits and stops the timer. Signals come on one worker
// of schedulers.Parallel() unless [On] names another scheduler; if the scheduler
// refuses a task or a timer, the stream fails with reactor.ErrRejected.
//
// [LimitRate] limits demand, not the rate; [SampleFirst] discards what comes too early.
func Throttle[T any](src reactor.Publisher[T], n int, interval time.Duration, opts ...ThrottleOption) reactor.Publisher[T] {
	c := throttleConfig{burst: 1, prefetch: int(defaultPrefetch())}
	for _, o := range argument.Options("throttle", opts) {
		o.applyThrottle(&c)
	}
	argument.Positive("throttle", "n", n)
	argument.Positive("throttle", "interval", interval)
	argument.Positive("throttle", "burst", c.burst)
	return &throttlePublisher[T]{
		src:       protocol.Trust("throttle", src),
		pace:      newPace(n, interval, c.burst),
		config:    publishOnConfig{op: "throttle", prefetch: c.prefetch, demand: positiveSize("throttle", "prefetch", c.prefetch)},
		scheduler: timerOf("throttle", c.on),
	}
}

type throttlePublisher[T any] struct {
	protocol.Op
	src       reactor.Publisher[T]
	pace      pace
	config    publishOnConfig
	scheduler schedulers.Scheduler
}

func (p *throttlePublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s := &throttleSubscriber[T]{queue: queue.NewSPSC[T](p.config.demand)}
	if !failure.Guard(func() { s.pacing.init(p.pace, p.scheduler) }, func(err error) { // the clock may be one of the user
		protocol.Fail(protocol.Strict(ctx, sub), reactor.OperatorError(ctx, err, nil))
	}) {
		return
	}
	w := p.scheduler.NewWorker()
	s.workerStage.init(p.config, w)
	s.AttachTask(&s.out, ctx, sub, s, w)
	p.src.Subscribe(ctx, s)
}

// pacing is the part of the stage that has nothing to do with the type of the
// elements: when the next one may come, and the timer for that.
type pacing struct {
	workerStage
	clock stopclock       // pace counts from its start
	timer schedulers.Task // tick, made once
	fired atomic.Bool     // set by the timer, reset by the owner of out

	// What follows belongs to the owner of out.
	pace  pace
	armed bool // the timer is set, or has fired unseen
}

// init is called once, before anything else.
func (s *pacing) init(p pace, on schedulers.Scheduler) {
	s.pace, s.clock = p, startClock(on)
	s.timer = s.tick
}

// turn reports whether an element may be emitted now; if not, there is a timer
// for it. Called when there is one to emit, and demand.
func (s *pacing) turn() bool {
	now := s.clock.passed()
	if s.armed {
		if !s.fired.Swap(false) {
			return false
		}
		s.armed = false
		s.pace.woken(now)
	}
	wait := s.pace.take(now)
	if wait <= 0 {
		return true
	}
	s.armed = true
	if _, err := s.worker.ScheduleAfter(s.timer, wait); err != nil {
		s.out.Refuse(s.Rejected(err))
	}
	return false
}

// tick is the task.
func (s *pacing) tick(context.Context) {
	s.fired.Store(true)
	s.out.Run()
}

type throttleSubscriber[T any] struct {
	protocol.Inner
	protocol.Sender[T]
	pacing
	queue queue.SPSC[T] // offered to by upstream, polled by the owner of out
}

func (s *throttleSubscriber[T]) OnNext(v T) {
	if s.out.Closed() {
		s.LateTask(&s.out, v)
		return
	}
	if !s.queue.Offer(v) {
		s.overflow(v, s.Discard[any])
		return
	}
	s.out.Run()
}

// Flow implements protocol.TaskFlow, as do the methods below: it delivers the elements that
// are due, on the worker.
func (s *throttleSubscriber[T]) Flow() {
	for left := publishOnTurn; s.out.Open(); left-- {
		if s.out.Demand() == 0 || s.queue.IsEmpty() {
			return
		}
		if left <= 0 {
			s.out.Yield()
			return
		}
		if !s.turn() {
			if s.out.Stopped() {
				continue
			}
			return
		}
		v, _ := s.queue.Poll()
		s.InFlight.Send(s.Pushing(&s.out), v)
		s.delivered(1)
	}
	s.worker.Dispose()
}

func (s *throttleSubscriber[T]) Dry() bool { return s.queue.IsEmpty() }

func (s *throttleSubscriber[T]) Drop() {
	defer s.out.DropFailures()
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		s.Discard(v)
	}
}
