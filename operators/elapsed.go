package operators

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/stage"
)

// Elapsed emits fn(d, v) for every v, where d is the time since the element before, or
// since the subscription for the first one.
//
//	src:  -- 1 - 2 --- 3 |
//	      Elapsed((d, v) => d)
//	out:  -- 3 - 4 --- 6 |
//
// The time is that of schedulers.Parallel() unless [On] names another scheduler.
// Demand passes through; a panic of fn cancels src and ends the stream. fn runs on
// the goroutine of src.
func Elapsed[T, R any](src reactor.Publisher[T], fn func(d time.Duration, v T) R, opts ...SchedulerOption) reactor.Publisher[R] {
	stage.NotNil("elapsed", "function", fn)
	return stage.Each("elapsed", src, splits{on: timerOf("elapsed", opts)}, elapsed[T, R]{fn})
}

type elapsed[T, R any] struct {
	fn func(time.Duration, T) R
}

func (p elapsed[T, R]) Step(s *splits, next func(R)) func(T) {
	fn := p.fn
	return func(v T) { next(fn(s.split(), v)) }
}

// splits measures the time between elements.
type splits struct {
	on    schedulers.Scheduler
	clock stopclock
	last  time.Duration
}

// Start implements elementwise.Starting.
func (s *splits) Start() { s.clock = startClock(s.on) }

func (s *splits) split() (elapsed time.Duration) {
	now := s.clock.passed()
	elapsed, s.last = now-s.last, now
	return elapsed
}
