package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/schedulers"
)

// DelaySequence delivers every element d later than it came, and keeps the distances
// between them.
//
//	src:   1 - 2 ------ 3 |
//	       DelaySequence(4 steps)
//	out:   ---- 1 - 2 ------ 3 |
//
// The terminal signal is delayed too; if no element is under way, it comes at once.
// Demand passes through. Signals come on one worker of schedulers.Parallel() unless
// [On] names another scheduler; if it refuses a timer, the stream fails with
// reactor.ErrRejected. Cancelling discards the elements that are under way; an error
// that is under way is lost.
func DelaySequence[T any](src reactor.Publisher[T], d time.Duration, opts ...SchedulerOption) reactor.Publisher[T] {
	return &delaySequencePublisher[T]{
		src:       protocol.Trust("delaySequence", src),
		after:     d,
		scheduler: timerOf("delaySequence", opts),
	}
}

type delaySequencePublisher[T any] struct {
	protocol.Op
	src       reactor.Publisher[T]
	after     time.Duration
	scheduler schedulers.Scheduler
}

func (p *delaySequencePublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s := &delaySequenceSubscriber[T]{
		worker: p.scheduler.NewWorker(),
		after:  p.after,
		queue:  queue.NewSPSC[T](reactor.Unbounded),
	}
	s.timer = s.tick
	s.Attach(&s.out, ctx, sub, s)
	p.src.Subscribe(ctx, s)
}

// delaySequenceSubscriber starts one timer per element, and one for the end. They
// go off in order, so that each tick means the oldest that is under way.
type delaySequenceSubscriber[T any] struct {
	protocol.Inner
	protocol.Sender[T]
	out      protocol.Outlet
	up       reactor.Subscription // set by OnSubscribe
	worker   schedulers.Worker
	after    time.Duration
	timer    schedulers.Task // tick, made once
	queue    queue.SPSC[T]   // offered to by upstream, polled by the owner of out
	underWay atomic.Int64    // elements not delivered
	ticks    atomic.Int64    // timers that went off and are not served
	sending  atomic.Uintptr  // the goroutine that is in OnNext of the subscriber; written by the owner of out
	behind   askBehind       // what was asked for from there
}

func (s *delaySequenceSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.out.BeginWith(s)
}

// Request passes demand on. Upstream may work on the goroutine that requests, for as long as it
// likes. So Request does not hold out meanwhile, so that elements that are due can be delivered;
// and it does not request from within OnNext of the subscriber, because whatever upstream does to
// the goroutine would then be done to the subscriber.
func (s *delaySequenceSubscriber[T]) Request(n int64) {
	if s.sending.Load() == goid.Current() {
		s.behind.add(n)
		return
	}
	s.up.Request(n)
}

// Cancel ends the stream and discards the elements that are under way.
func (s *delaySequenceSubscriber[T]) Cancel() { s.out.Cancel() }

func (s *delaySequenceSubscriber[T]) OnNext(v T) {
	if s.out.Closed() {
		s.Late(&s.out, v)
		return
	}
	s.underWay.Add(1)
	s.queue.Offer(v)
	s.startTimer()
	if s.out.Closed() {
		s.out.Run() // v may have come too late for the cancellation
	}
}

func (s *delaySequenceSubscriber[T]) OnError(err error) { s.end(err) }

func (s *delaySequenceSubscriber[T]) OnComplete() { s.end(nil) }

// end lets the terminal signal follow the elements.
func (s *delaySequenceSubscriber[T]) end(err error) {
	if !s.out.Done() {
		if s.underWay.Load() > 0 {
			s.startTimer()
		} else {
			s.ticks.Add(1)
		}
	}
	s.out.End(err)
}

func (s *delaySequenceSubscriber[T]) startTimer() {
	if _, err := s.worker.ScheduleAfter(s.timer, s.after); err != nil && !s.out.Closed() {
		// The worker is disposed by us alone, and then nobody wants to know.
		s.out.Fail(rejected(s.out.Context(), "delaySequence", err, nil))
	}
}

// tick is the task.
func (s *delaySequenceSubscriber[T]) tick(context.Context) {
	s.ticks.Add(1)
	defer s.behind.pass(s.up) // also if the subscriber ends the goroutine
	s.out.Run()
}

// Flow implements protocol.Flow, as do the methods below: it delivers the elements that
// are due.
func (s *delaySequenceSubscriber[T]) Flow() {
	for s.out.Open() && s.ticks.Load() > 0 {
		v, ok := s.queue.Poll()
		if !ok {
			return
		}
		s.ticks.Add(-1)
		s.underWay.Add(-1)
		s.sending.Store(goid.Current())
		s.InFlight.Send(s.PushDown, v)
		s.sending.Store(0)
	}
}

// Dry reports that it is the turn of the terminal signal: the tick that is left is its own.
func (s *delaySequenceSubscriber[T]) Dry() bool {
	return s.queue.IsEmpty() && s.ticks.Load() > 0
}

func (s *delaySequenceSubscriber[T]) Stop() {
	defer s.worker.Dispose() // also if a function that hears of the cancellation ends the goroutine
	s.up.Cancel()
}

func (s *delaySequenceSubscriber[T]) Drop() {
	s.worker.Dispose()
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		s.Discard(v)
	}
}
