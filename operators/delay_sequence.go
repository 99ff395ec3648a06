package operators

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// DelaySequence delivers everything d later than it came, with the distances kept.
//
//	src:   1 - 2 ------ 3 |
//	       DelaySequence(4 steps)
//	out:   ---- 1 - 2 ------ 3 |
//
// The terminal signal is delayed too, unless nothing is under way: then it comes
// at once. Demand passes through. Signals come on one worker of
// schedulers.Parallel() unless [On] names another scheduler; if it refuses a
// timer, the stream fails with reactor.ErrRejected. Cancelling discards what is
// under way.
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
	down := protocol.Strict(ctx, sub)
	s := &delaySequenceSubscriber[T]{
		ctx:     ctx,
		down:    down,
		push:    protocol.Push(down),
		discard: reactor.DiscardHookFor[T](ctx),
		worker:  p.scheduler.NewWorker(),
		after:   p.after,
		queue:   newSPSC[T](reactor.Unbounded),
	}
	s.timer = s.tick
	p.src.Subscribe(ctx, s)
}

// delaySequenceSubscriber starts one timer per element, and one for the end. They
// go off in order, so that each tick means the oldest that is under way.
type delaySequenceSubscriber[T any] struct {
	protocol.Inner
	ctx     context.Context
	down    reactor.Subscriber[T]
	push    func(T)              // hands elements to down
	discard func(any)            // nil if nobody wants what is discarded
	up      reactor.Subscription // set by OnSubscribe
	worker  schedulers.Worker
	after   time.Duration
	timer   schedulers.Task // tick, made once
	queue   spsc[T]         // offered to by upstream, polled by the owner of drain
	ended   bool            // touched by upstream's signals

	err       error        // of upstream; written before done
	done      atomic.Bool  // upstream has ended
	underWay  atomic.Int64 // elements not delivered
	ticks     atomic.Int64 // timers that went off and are not served
	refusal   atomic.Pointer[error]
	asked     atomic.Int64 // demand on its way up
	cancelled atomic.Bool
	drain     protocol.Drain

	// What follows belongs to the owner of drain.
	over bool // terminal signal sent, failed downstream, or cancelled
	hand protocol.Hand[T]
}

func (s *delaySequenceSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *delaySequenceSubscriber[T]) OnNext(v T) {
	if s.ended {
		reactor.DropNext(s.ctx, v)
		return
	}
	if s.cancelled.Load() {
		s.drop(v)
		return
	}
	s.underWay.Add(1)
	s.queue.Offer(v)
	s.startTimer()
	if s.cancelled.Load() {
		s.drain.Run(s) // v may have come too late for the cancellation
	}
}

func (s *delaySequenceSubscriber[T]) OnError(err error) {
	if s.ended {
		reactor.DropError(s.ctx, err)
		return
	}
	s.end(err)
}

func (s *delaySequenceSubscriber[T]) OnComplete() {
	if !s.ended {
		s.end(nil)
	}
}

// end lets the terminal signal follow the elements.
func (s *delaySequenceSubscriber[T]) end(err error) {
	s.ended = true
	s.err = err
	s.done.Store(true)
	if s.underWay.Load() > 0 {
		s.startTimer()
		return
	}
	s.ticks.Add(1)
	s.drain.Run(s)
}

// Request passes demand on, but not from within OnNext of the subscriber: whatever upstream
// does to the goroutine then would be done to the subscriber.
func (s *delaySequenceSubscriber[T]) Request(n int64) {
	protocol.AddDemand(&s.asked, n)
	s.drain.Run(s)
}

// Cancel stops upstream and the timers, and discards what is under way.
func (s *delaySequenceSubscriber[T]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	s.up.Cancel()
	s.worker.Dispose()
	s.drain.Run(s)
}

func (s *delaySequenceSubscriber[T]) startTimer() {
	if _, err := s.worker.ScheduleAfter(s.timer, s.after); err != nil {
		// The worker is disposed by us alone, and then nobody wants to know.
		s.refusal.CompareAndSwap(nil, &err)
		s.drain.Run(s)
	}
}

// tick is the task.
func (s *delaySequenceSubscriber[T]) tick(context.Context) {
	s.ticks.Add(1)
	s.drain.Run(s)
}

// DrainPass delivers what is due, and asks for more.
func (s *delaySequenceSubscriber[T]) DrainPass() {
	for !s.stopped() {
		if s.asked.Load() > 0 {
			s.up.Request(s.asked.Swap(0))
			continue
		}
		if s.ticks.Load() == 0 {
			return
		}
		s.ticks.Add(-1)
		v, ok := s.queue.Poll()
		if !ok {
			s.release()
			protocol.Finish(s.down, s.err)
			return
		}
		s.underWay.Add(-1)
		s.hand.Hold(v)
		s.push(v)
		s.hand.LetGo()
	}
}

// stopped reports whether the stream has ended otherwise than by its turn.
func (s *delaySequenceSubscriber[T]) stopped() bool {
	switch refusal := s.refusal.Load(); {
	case s.over:
		s.dropQueue()
	case s.cancelled.Load():
		s.release()
	case refusal != nil:
		s.up.Cancel()
		s.release()
		if s.done.Load() && s.err != nil {
			reactor.DropError(s.ctx, s.err)
		}
		s.down.OnError(rejected(s.ctx, "delaySequence", *refusal, nil))
	default:
		return false
	}
	return true
}

// DrainCrashed ends the stream because downstream failed. A goroutine that ends in a request has
// told of it already, as the failure of upstream.
func (s *delaySequenceSubscriber[T]) DrainCrashed(err error) {
	over := s.over
	if !over && !s.hand.Full() && s.done.Load() && errors.Is(err, reactor.ErrGoexit) {
		return
	}
	s.cancelled.Store(true)
	s.up.Cancel()
	s.release()
	s.hand.Crash(s.ctx, s.down, over, err)
}

// release ends the stage, stops the timers and discards what is under way.
func (s *delaySequenceSubscriber[T]) release() {
	s.over = true
	s.worker.Dispose()
	s.dropQueue()
}

func (s *delaySequenceSubscriber[T]) dropQueue() {
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		s.drop(v)
	}
}

func (s *delaySequenceSubscriber[T]) drop(v T) {
	if s.discard != nil {
		s.discard(v)
	}
}
