package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// ThrottleOption is an option of [Throttle]: [Burst], [Prefetch] or [On].
type ThrottleOption interface{ applyThrottle(*throttleConfig) }

type throttleConfig struct {
	burst    int
	prefetch int
	on       []SchedulerOption
}

// BurstOption is how many elements may come at once after a standstill.
type BurstOption int

// Burst lets n > 0 elements come at once when none has come for long enough.
func Burst(n int) BurstOption { return BurstOption(n) }

func (b BurstOption) applyThrottle(c *throttleConfig)     { c.burst = int(b) }
func (o PrefetchOption) applyThrottle(c *throttleConfig)  { c.prefetch = int(o) }
func (o SchedulerOption) applyThrottle(c *throttleConfig) { c.on = append(c.on, o) }

// Throttle emits the elements of src at n per interval at most: evenly spaced, the
// first one at once.
//
//	src:  1 2 3 ------------------- 4 5 |
//	      Throttle(1, 4 steps)
//	out:  1 ---- 2 ---- 3 --------- 4 ---- 5 |
//
// Nothing is dropped: what comes too early waits for its turn. Time in which there
// was nothing to emit, or no demand, or in which the subscriber was busy is not
// made up for: the next element comes at once, those after it at their distance.
// With [Burst](k) up to k elements may follow one another at once, if as much time
// has passed without any; in each interval there are n + k - 1 at most. A timer
// that fires late costs nothing of the rate, as long as it is not more than 10 ms late.
//
// It asks src for 32 elements ([Prefetch]) and, when three quarters of them were
// delivered, for as many again, however large the demand downstream is; a late
// request gets what waits, at the same distances. An error waits
// until everything received before it was delivered; completion follows the last
// element at once. Cancelling discards what waits and stops the timer. Signals come
// on one worker of schedulers.Parallel() unless [On] names another scheduler; if that
// refuses a task or a timer, the stream fails with reactor.ErrRejected.
//
// [LimitRate] is about demand, not about time, and SampleFirst is what drops.
func Throttle[T any](src reactor.Publisher[T], n int, interval time.Duration, opts ...ThrottleOption) reactor.Publisher[T] {
	c := throttleConfig{burst: 1, prefetch: int(defaultPrefetch)}
	for _, o := range opts {
		o.applyThrottle(&c)
	}
	protocol.Positive("throttle", "n", n)
	protocol.Positive("throttle", "interval", interval)
	protocol.Positive("throttle", "burst", c.burst)
	return &throttlePublisher[T]{
		src:       protocol.Trust("throttle", src),
		pace:      newPace(n, interval, c.burst),
		hop:       publishOnConfig{op: "throttle", prefetch: c.prefetch, demand: protocol.Prefetch("throttle", c.prefetch)},
		scheduler: timerOf("throttle", c.on),
	}
}

type throttlePublisher[T any] struct {
	protocol.Op
	src       reactor.Publisher[T]
	pace      pace
	hop       publishOnConfig
	scheduler schedulers.Scheduler
}

func (p *throttlePublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, sub)
	s := &throttleSubscriber[T]{
		push:    protocol.Push(down),
		discard: reactor.DiscardHookFor[T](ctx),
		queue:   newSPSC[T](p.hop.demand),
	}
	s.pacing.init(p.pace, p.scheduler)
	s.pacing.hop.init(ctx, down, p.scheduler.NewWorker(), p.hop, s)
	p.src.Subscribe(ctx, s)
}

// pacing is the part of the stage that has nothing to do with the type of the
// elements: when the next one may come, and the timer for that.
type pacing struct {
	hop       hop
	scheduler schedulers.Scheduler
	start     time.Time       // pace counts from here
	timer     schedulers.Task // tick, made once
	fired     atomic.Bool     // set by the timer, reset by the owner of hop.drain

	// What follows belongs to the owner of hop.drain.
	pace  pace
	armed bool // the timer is set, or has fired unseen
}

// init is called once, before anything else.
func (s *pacing) init(p pace, on schedulers.Scheduler) {
	s.pace, s.scheduler, s.start = p, on, on.Now()
	s.timer = s.tick
}

// turn reports whether an element may be emitted now; if not, there is a timer
// for it. Called when there is one to emit, and demand.
func (s *pacing) turn() bool {
	now := s.scheduler.Now().Sub(s.start)
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
	if _, err := s.hop.worker.ScheduleAfter(s.timer, wait); err != nil {
		s.refused(err)
	}
	return false
}

// tick is the task.
func (s *pacing) tick(context.Context) {
	s.fired.Store(true)
	s.hop.drain.Run()
}

// refused ends the stream because the scheduler takes no timer.
func (s *pacing) refused(err error) {
	if s.hop.done.Load() && s.hop.err != nil {
		reactor.DropError(s.hop.ctx, s.hop.err)
	}
	s.hop.DrainRejected(err)
}

type throttleSubscriber[T any] struct {
	protocol.Inner
	pacing  pacing
	push    func(T)   // hands elements to down
	discard func(any) // nil if nobody wants what is discarded
	queue   spsc[T]   // offered to by upstream, polled by the owner of pacing.hop.drain

	// What follows belongs to the owner of pacing.hop.drain.
	hand protocol.Hand[T]
}

func (s *throttleSubscriber[T]) OnSubscribe(up reactor.Subscription) { s.pacing.hop.begin(up) }

func (s *throttleSubscriber[T]) OnNext(v T) {
	if s.pacing.hop.done.Load() {
		reactor.DropNext(s.pacing.hop.ctx, v)
		return
	}
	if s.pacing.hop.cancelled.Load() {
		discardTo(s.discard, v)
		return
	}
	if !s.queue.Offer(v) {
		s.pacing.hop.up.Cancel()
		s.pacing.hop.err = unasked(s.pacing.hop.ctx, s.pacing.hop.op, s.pacing.hop.prefetch, v)
		discardTo(s.discard, v)
		s.pacing.hop.done.Store(true)
	}
	s.pacing.hop.drain.Run()
}

func (s *throttleSubscriber[T]) OnError(err error) { s.pacing.hop.end(err) }

func (s *throttleSubscriber[T]) OnComplete() { s.pacing.hop.end(nil) }

func (s *throttleSubscriber[T]) isEmpty() bool { return s.queue.IsEmpty() }

// deliver implements hopElements.
func (s *throttleSubscriber[T]) deliver(n int) (k int, all bool) {
	for ; k < n && !s.queue.IsEmpty() && s.pacing.turn(); k++ {
		v, _ := s.queue.Poll()
		s.hand.Hold(v)
		s.push(v)
		s.hand.LetGo()
		if s.pacing.hop.cancelled.Load() {
			return k + 1, false
		}
	}
	return k, true
}

// inHand implements hopElements.
func (s *throttleSubscriber[T]) inHand() (v any, ok bool) {
	if !s.hand.Full() {
		return nil, false
	}
	v = s.hand.Item()
	s.hand.LetGo()
	return v, true
}

// drop implements hopElements.
func (s *throttleSubscriber[T]) drop() {
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		discardTo(s.discard, v)
	}
}
