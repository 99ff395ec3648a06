package operators

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// Timed emits fn(t) for every element, where t holds the element together with the
// time when it came, the time since the element before and the time since the
// subscription.
//
// The times are those of schedulers.Parallel() unless [On] names another
// scheduler. Demand passes through; a panic of fn cancels src and ends the stream.
// fn runs on the goroutine of src.
func Timed[T, R any](src reactor.Publisher[T], fn func(reactor.Timed[T]) R, opts ...SchedulerOption) reactor.Publisher[R] {
	protocol.NotNil("timed", "function", fn)
	return newTimed("timed", src, fn, opts)
}

func newTimed[T, R any](op string, src reactor.Publisher[T], fn func(reactor.Timed[T]) R, opts []SchedulerOption) reactor.Publisher[R] {
	return &timedPublisher[T, R]{src: protocol.Trust(op, src), fn: fn, clock: timerOf(op, opts)}
}

type timedPublisher[T, R any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	fn    func(reactor.Timed[T]) R
	clock schedulers.Scheduler
}

func (p *timedPublisher[T, R]) Subscribe(ctx context.Context, sub reactor.Subscriber[R]) {
	p.src.Subscribe(ctx, &timedSubscriber[T, R]{down: protocol.Strict(ctx, sub), fn: p.fn, clock: p.clock})
}

type timedSubscriber[T, R any] struct {
	protocol.Inner
	down  reactor.Subscriber[R]
	fn    func(reactor.Timed[T]) R
	clock schedulers.Scheduler
	start time.Time // touched by src's signals
	last  time.Time // touched by src's signals
}

func (s *timedSubscriber[T, R]) OnSubscribe(up reactor.Subscription) {
	s.start = s.clock.Now()
	s.last = s.start
	s.down.OnSubscribe(up)
}

func (s *timedSubscriber[T, R]) OnNext(v T) { s.down.OnNext(s.fn(s.take(v))) }

// Push implements protocol.Pusher.
func (s *timedSubscriber[T, R]) Push() func(T) {
	fn, next := s.fn, protocol.Push(s.down)
	return func(v T) { next(fn(s.take(v))) }
}

func (s *timedSubscriber[T, R]) OnError(err error) { s.down.OnError(err) }

func (s *timedSubscriber[T, R]) OnComplete() { s.down.OnComplete() }

// take looks at the clock.
func (s *timedSubscriber[T, R]) take(v T) reactor.Timed[T] {
	now := s.clock.Now()
	t := reactor.Timed[T]{Value: v, Time: now, Elapsed: now.Sub(s.last), Total: now.Sub(s.start)}
	s.last = now
	return t
}
