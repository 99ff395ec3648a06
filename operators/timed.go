package operators

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
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

func (p *timedPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	elementwise.Subscribe(ctx, p, stopwatch{clock: p.clock}, p.src, s)
}

func (p *timedPublisher[T, R]) Step(s *stopwatch, next func(R)) func(T) {
	fn := p.fn
	return func(v T) {
		t := reactor.Timed[T]{Value: v}
		t.Time, t.Elapsed, t.Total = s.read()
		next(fn(t))
	}
}

// stopwatch measures the time between elements.
type stopwatch struct {
	clock       schedulers.Scheduler
	start, last time.Time
}

// Start implements elementwise.Starting.
func (s *stopwatch) Start() {
	s.start = s.clock.Now()
	s.last = s.start
}

func (s *stopwatch) read() (now time.Time, elapsed, total time.Duration) {
	now = s.clock.Now()
	elapsed, total = now.Sub(s.last), now.Sub(s.start)
	s.last = now
	return now, elapsed, total
}
