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
	"github.com/goreactor/reactor/internal/stage/paired"
	"github.com/goreactor/reactor/schedulers"
)

// Sample emits the newest element of src each time other emits, if an element has come
// since.
//
//	src:    1 - 2 - 3 - 4 ------- 5 |
//	other:  ----- x ----- x - x ----
//	out:    ----- 2 ----- 4 ----- 5 |
//
// Elements that are not sampled are discarded. It asks src and other for everything;
// without demand for a sample the stream fails with reactor.ErrOverflow. When src
// completes, the newest element that was not sampled yet is emitted as soon as there is
// demand. The completion of other cancels src and completes the stream; an error of src
// or of other ends it. other is subscribed before src. Samples come on the goroutine of
// other; the last one comes on the goroutine of src or on the one that requests.
func Sample[T, U any](src reactor.Publisher[T], other reactor.Publisher[U]) reactor.Publisher[T] {
	trusted := protocol.Trust("sample", other)
	return &samplePublisher[T]{
		src: protocol.Trust("sample", src),
		start: func(s *sampleSubscriber[T]) {
			trusted.Subscribe(s.Out.Context(), &sampleOther[T, U]{main: s})
		},
	}
}

// SampleEvery emits the newest element of src once every period, if an element has come
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
	argument.Positive("sample", "period", period)
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
	s := &sampleSubscriber[T]{latest: queue.NewLatest[T]()}
	s.Attach(&s.Out, ctx, sub, s)
	// Each may end the goroutine, downstream, too: a function hears that it, or the other publisher, is asked.
	defer failure.InTurn(func() { p.start(s) }, func() { p.src.Subscribe(ctx, s) })
	s.Out.Begin()
}

type sampleSubscriber[T any] struct {
	protocol.Inner
	paired.Stage
	protocol.Sender[T]
	latest *queue.Latest[T] // put by src's signals, polled by the owner of out
	ticked atomic.Bool      // a sample is due
}

func (s *sampleSubscriber[T]) OnNext(v T) {
	if s.Out.Closed() {
		s.Late(&s.Out, v)
		return
	}
	if old, replaced := s.latest.Put(v); replaced {
		s.Discard(old)
	}
	if s.Out.Closed() {
		s.Out.Run() // v may have come too late for the end
	}
}

// OnComplete ends the stream after the last sample. A cancellation before that still goes to
// src, as it does in Reactor.
func (s *sampleSubscriber[T]) OnComplete() {
	defer s.Out.End(nil) // also if a function that hears of what follows ends the goroutine
	s.Other.Dispose()
}

func (s *sampleSubscriber[T]) startTimer(scheduler schedulers.Scheduler, period time.Duration) {
	if s.Out.Cancelled() {
		return
	}
	timer, err := scheduler.SchedulePeriodically(func(context.Context) { s.tick() }, period, period)
	if err != nil {
		s.Out.Fail(rejected(s.Out.Context(), "sample", err, nil))
		return
	}
	s.Other.Set(0, timer)
}

// tick asks for a sample.
func (s *sampleSubscriber[T]) tick() {
	if !s.latest.IsEmpty() {
		s.ticked.Store(true)
		s.Out.Run()
	}
}

// Flow implements protocol.Flow, as do the two below: it emits the sample that is due.
func (s *sampleSubscriber[T]) Flow() {
	for s.Out.Open() {
		if s.Out.Done() {
			if s.Out.Demand() == 0 {
				return
			}
		} else if !s.ticked.Swap(false) {
			return
		}
		v, ok := s.latest.Poll()
		switch {
		case !ok:
		case s.Out.Demand() > 0:
			s.InFlight.Send(s.PushDown, v)
			s.Out.Produced(1)
		default:
			s.Discard(v)
			s.Out.Refuse(reactor.OperatorError(s.Out.Context(), reactor.Failure("sample", reactor.ErrOverflow, "no demand for the sample"), v))
		}
	}
}

func (s *sampleSubscriber[T]) Dry() bool { return s.latest.IsEmpty() }

func (s *sampleSubscriber[T]) Drop() {
	defer s.Out.DropFailures()
	if v, ok := s.latest.Poll(); ok {
		s.Discard(v)
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
	s.main.Other.Set(0, s)
	if s.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (s *sampleOther[T, U]) OnNext(v U) {
	defer paired.Spend(s.main.Out.Context(), v)
	s.main.tick()
}

func (s *sampleOther[T, U]) OnError(err error) {
	if !s.link.Close() {
		reactor.DropError(s.main.Out.Context(), err)
		return
	}
	s.main.Out.Fail(err)
}

func (s *sampleOther[T, U]) OnComplete() {
	if s.link.Close() {
		s.main.Out.Complete()
	}
}

// Dispose cancels the subscription.
func (s *sampleOther[T, U]) Dispose() { s.link.Cancel() }

// IsDisposed reports whether the subscription has ended.
func (s *sampleOther[T, U]) IsDisposed() bool { return s.link.IsCancelled() }
