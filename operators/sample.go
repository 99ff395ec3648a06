package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/schedulers"
)

// Sample emits the newest element of src each time other emits, if there was one
// since.
//
//	src:    1 - 2 - 3 - 4 ------- 5 |
//	other:  ----- x ----- x - x ----
//	out:    ----- 2 ----- 4 ----- 5 |
//
// Elements that are not sampled are discarded. It asks src and other for
// everything; without demand for a sample the stream fails with
// reactor.ErrOverflow. When src completes, the element that was not sampled yet
// is emitted, as soon as there is demand. The completion of other cancels src and
// completes the stream; an error of either one ends it. other is subscribed before
// src. Samples come on the goroutine of other, the last one on that of src or the
// one that requests.
func Sample[T, U any](src reactor.Publisher[T], other reactor.Publisher[U]) reactor.Publisher[T] {
	trusted := protocol.Trust("sample", other)
	return &samplePublisher[T]{
		src: protocol.Trust("sample", src),
		start: func(s *sampleSubscriber[T]) {
			trusted.Subscribe(s.ctx, &sampleOther[T, U]{main: s})
		},
	}
}

// SampleEvery emits the newest element of src once every period, if there was one
// since.
//
//	src:  1 - 2 - 3 - 4 -------- 5 |
//	      SampleEvery(5 steps)
//	out:  ----- 2 ----- 4 ------ 5 |
//
// Samples come on schedulers.Parallel() unless [On] names another scheduler; if it
// refuses the timer, the stream fails with reactor.ErrRejected. See [Sample] for
// demand and errors.
func SampleEvery[T any](src reactor.Publisher[T], period time.Duration, opts ...SchedulerOption) reactor.Publisher[T] {
	protocol.Positive("sample", "period", period)
	scheduler := timerOf("sample", opts)
	return &samplePublisher[T]{
		src:   protocol.Trust("sample", src),
		start: func(s *sampleSubscriber[T]) { s.startTimer(scheduler, period) },
	}
}

type samplePublisher[T any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	start func(*sampleSubscriber[T]) // starts what says when
}

func (p *samplePublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, sub)
	s := &sampleSubscriber[T]{push: protocol.Push(down), discard: reactor.DiscardHookFor[T](ctx), latest: queue.NewLatest[T]()}
	s.ctx, s.down, s.stage = ctx, down, s
	down.OnSubscribe(s)
	p.start(s)
	p.src.Subscribe(ctx, s)
}

type sampleSubscriber[T any] struct {
	protocol.Inner
	twoSided
	push      func(T)          // hands elements to down
	discard   func(any)        // nil if nobody wants what is discarded
	latest    *queue.Latest[T] // put by src's signals, polled by the owner of drain
	ticked    atomic.Bool
	completed atomic.Bool      // other has completed
	hand      protocol.Hand[T] // owner of drain
}

func (s *sampleSubscriber[T]) OnNext(v T) {
	if s.link.IsCancelled() {
		discardTo(s.discard, v)
		return
	}
	if old, replaced := s.latest.Put(v); replaced {
		discardTo(s.discard, old)
	}
	if s.link.IsCancelled() {
		s.run() // v may have come too late for the end
	}
}

func (s *sampleSubscriber[T]) OnError(err error) {
	s.link.Close()
	s.other.Dispose()
	s.fail(err)
}

func (s *sampleSubscriber[T]) OnComplete() {
	s.other.Dispose()
	s.done.Store(true)
	s.run()
}

// Request adds to the demand of downstream.
func (s *sampleSubscriber[T]) Request(n int64) {
	protocol.AddDemand(&s.demand, n)
	if s.done.Load() {
		s.run()
	}
}

func (s *sampleSubscriber[T]) startTimer(scheduler schedulers.Scheduler, period time.Duration) {
	if s.cancelled.Load() {
		return
	}
	timer, err := scheduler.SchedulePeriodically(func(context.Context) { s.tick() }, period, period)
	if err != nil {
		s.fail(rejected(s.ctx, "sample", err, nil))
		return
	}
	s.other.Set(0, timer)
}

// tick asks for a sample.
func (s *sampleSubscriber[T]) tick() {
	if !s.latest.IsEmpty() {
		s.ticked.Store(true)
		s.run()
	}
}

// DrainPass emits the sample that is due, or the end.
func (s *sampleSubscriber[T]) DrainPass() {
	for !s.ended(s.completed.Load() || s.done.Load() && s.latest.IsEmpty()) {
		last := s.done.Load()
		if last {
			if s.demand.Load() == 0 {
				return
			}
		} else if !s.ticked.Swap(false) {
			return
		}
		v, ok := s.latest.Poll()
		switch {
		case !ok:
		case s.demand.Load() > 0:
			s.hand.Hold(v)
			s.push(v)
			s.hand.LetGo()
			protocol.Produced(&s.demand, 1)
		default:
			discardTo(s.discard, v)
			s.failures.Add(reactor.OperatorError(s.ctx, reactor.Failure("sample", reactor.ErrOverflow, "no demand for the sample"), v))
		}
	}
}

// DrainCrashed ends the stream because downstream failed.
func (s *sampleSubscriber[T]) DrainCrashed(err error) { s.hand.Crash(s.ctx, s.down, s.crash(), err) }

// drop discards the latest element.
func (s *sampleSubscriber[T]) drop() {
	if v, ok := s.latest.Poll(); ok {
		discardTo(s.discard, v)
	}
}

// sampleOther is the subscriber of the publisher that says when. It is also the
// handle on it.
type sampleOther[T, U any] struct {
	protocol.Inner
	main *sampleSubscriber[T]
	link protocol.Deferred
}

func (s *sampleOther[T, U]) OnSubscribe(up reactor.Subscription) {
	s.main.other.Set(0, s)
	if s.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (s *sampleOther[T, U]) OnNext(U) { s.main.tick() }

func (s *sampleOther[T, U]) OnError(err error) {
	if !s.link.Close() {
		reactor.DropError(s.main.ctx, err)
		return
	}
	s.main.fail(err)
}

func (s *sampleOther[T, U]) OnComplete() {
	if s.link.Close() {
		s.main.completed.Store(true)
		s.main.run()
	}
}

// Dispose cancels the subscription.
func (s *sampleOther[T, U]) Dispose() { s.link.Cancel() }

// IsDisposed reports whether the subscription has ended.
func (s *sampleOther[T, U]) IsDisposed() bool { return s.link.IsCancelled() }
