package operators

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/stage"
)

// Timed emits fn(t) for every element, where t holds the element together with the
// time when it came, the time since the element before and the time since the
// subscription.
//
// The times are those of schedulers.Parallel() unless [On] names another
// scheduler. Demand passes through; a panic of fn cancels src and ends the stream.
// fn runs on the goroutine of src.
func Timed[T, R any](src reactor.Publisher[T], fn func(reactor.Timed[T]) R, opts ...SchedulerOption) reactor.Publisher[R] {
	stage.NotNil("timed", "function", fn)
	return newTimed("timed", src, fn, opts)
}

func newTimed[T, R any](op string, src reactor.Publisher[T], fn func(reactor.Timed[T]) R, opts []SchedulerOption) reactor.Publisher[R] {
	return stage.Each(op, src, stopwatch{clock: timerOf(op, opts)}, timed[T, R]{fn})
}

type timed[T, R any] struct{ fn func(reactor.Timed[T]) R }

func (p timed[T, R]) Step(s *stopwatch, next func(R)) func(T) {
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
