package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// MonoDelayElement holds the element of src, which sends at most one, back for d.
//
//	src:   1 |
//	       MonoDelayElement(4 steps)
//	out:   ---- 1 |
//
// Demand passes through. An empty source completes at once, a failing one fails at
// once. The element comes on schedulers.Parallel() unless [On] names another
// scheduler; if it refuses the timer, the stream fails with reactor.ErrRejected.
// Cancelling stops the timer and discards the element.
func MonoDelayElement[T any](src reactor.Publisher[T], d time.Duration, opts ...SchedulerOption) reactor.Publisher[T] {
	return &delayElementPublisher[T]{
		src:       protocol.Trust("delayElement", src),
		after:     d,
		scheduler: timerOf("delayElement", opts),
	}
}

type delayElementPublisher[T any] struct {
	protocol.Op
	src       reactor.Publisher[T]
	after     time.Duration
	scheduler schedulers.Scheduler
}

func (p *delayElementPublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s := &delayElementSubscriber[T]{after: p.after, scheduler: p.scheduler}
	s.down = protocol.Strict(ctx, sub)
	s.Ctx, s.Down = ctx, s.down
	p.src.Subscribe(ctx, s)
}

type delayElementSubscriber[T any] struct {
	protocol.Link
	down      reactor.Subscriber[T]
	after     time.Duration
	scheduler schedulers.Scheduler
	timer     protocol.Handle
	taken     bool          // touched by upstream's signals: the element has come
	ended     atomic.Bool   // upstream has ended after it: there is nothing to cancel
	state     atomic.Uint32 // as in MonoPublishOn
	value     T             // written before state becomes hopReady; then it belongs to the call that moves state on
}

func (s *delayElementSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	s.Down.OnSubscribe(s)
}

func (s *delayElementSubscriber[T]) OnNext(v T) {
	if s.taken || s.Done {
		reactor.DropNext(s.Ctx, v)
		return
	}
	s.taken = true
	s.value = v
	if !s.state.CompareAndSwap(hopWaiting, hopReady) {
		reactor.Discard(s.Ctx, v)
		return
	}
	timer, err := s.scheduler.ScheduleAfter(s.deliver, s.after)
	if err == nil {
		s.timer.Set(0, timer)
	} else if s.state.CompareAndSwap(hopReady, hopDelivered) {
		err = rejected(s.Ctx, "delayElement", err, v)
		failure.InTurn(s.Up.Cancel, func() { // which may end the goroutine
			reactor.Discard(s.Ctx, v)
			s.Down.OnError(err)
		})
	}
}

func (s *delayElementSubscriber[T]) OnError(err error) {
	if s.taken {
		s.ended.Store(true)
		reactor.DropError(s.Ctx, err)
		return
	}
	s.Link.OnError(err)
}

func (s *delayElementSubscriber[T]) OnComplete() {
	if s.taken {
		s.ended.Store(true)
		return
	}
	s.Link.OnComplete()
}

// Request passes demand on.
func (s *delayElementSubscriber[T]) Request(n int64) { s.Up.Request(n) }

// Cancel stops upstream, unless that has ended, and the timer.
func (s *delayElementSubscriber[T]) Cancel() {
	old := s.state.Swap(hopCancelled)
	// Deferred: the discard hook, or a function that hears of what follows, may end the goroutine.
	defer func() {
		if !s.ended.Load() {
			s.Up.Cancel()
		}
	}()
	defer s.timer.Dispose()
	if old == hopReady {
		reactor.Discard(s.Ctx, s.value)
	}
}

// deliver is the task.
func (s *delayElementSubscriber[T]) deliver(context.Context) {
	if !s.state.CompareAndSwap(hopReady, hopDelivered) {
		return
	}
	v := s.value
	s.value = *new(T)
	if protocol.Emit(s.Ctx, s.down, v) && s.state.Load() != hopCancelled {
		s.Down.OnComplete()
	}
}
