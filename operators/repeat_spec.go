package operators

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/schedulers"
)

// RepeatSpec is a repeat policy for [RepeatWhen]: how often, under which condition, how long
// to wait in between, and what to do before and after the wait. It is a value: each method
// returns a changed copy. [RepeatTimes] makes specs.
type RepeatSpec struct {
	times     int64
	condition func(RepeatSignal) bool     // nil: always
	refuse    func(iteration int64) error // nil: never; makes an error of a repetition
	fixed     time.Duration
	factor    float64 // jitter
	backoffSettings[RepeatSignal]
}

func (RepeatSpec) repeatPolicy() {}

// RepeatTimes repeats at once, n ≥ 0 times; with n = math.MaxInt it repeats without
// end.
func RepeatTimes(n int) RepeatSpec {
	argument.NotNegative("repeatTimes", "n", n)
	return RepeatSpec{times: count(n)}
}

// OnlyIf asks condition after each round; the stream completes when condition reports
// false. It replaces the condition set before. A panic of condition ends the stream.
func (r RepeatSpec) OnlyIf(condition func(RepeatSignal) bool) RepeatSpec {
	argument.Given("onlyIf", "condition", condition != nil)
	r.condition = condition
	return r
}

// FixedDelay waits between rounds.
func (r RepeatSpec) FixedDelay(d time.Duration) RepeatSpec {
	argument.NotNegative("fixedDelay", "delay", d)
	r.fixed = d
	return r
}

// Jitter makes each delay d random, between d - factor·d and d + factor·d; 0 ≤ factor ≤ 1.
func (r RepeatSpec) Jitter(factor float64) RepeatSpec {
	r.factor = jitter(factor)
	return r
}

// On makes the delays run on s. The default is schedulers.Parallel().
func (r RepeatSpec) On(s schedulers.Scheduler) RepeatSpec {
	argument.NotNil("on", "scheduler", s)
	r.clock = foreign.Scheduler(s)
	return r
}

// WithContext sets the context that the callbacks find in [RepeatSignal].
func (r RepeatSpec) WithContext(ctx context.Context) RepeatSpec {
	argument.NotNil("withContext", "context", ctx)
	r.ctx = ctx
	return r
}

// DoBeforeRepeat calls fn before the delay of each repetition, after the functions added
// before. A panic of fn ends the stream.
func (r RepeatSpec) DoBeforeRepeat(fn func(RepeatSignal)) RepeatSpec {
	argument.Given("doBeforeRepeat", "callback", fn != nil)
	r.before = append(slices.Clip(r.before), fn)
	return r
}

// DoAfterRepeat calls fn after the delay of each repetition, right before the source is
// subscribed. A panic of fn ends the stream.
func (r RepeatSpec) DoAfterRepeat(fn func(RepeatSignal)) RepeatSpec {
	argument.Given("doAfterRepeat", "callback", fn != nil)
	r.after = append(slices.Clip(r.after), fn)
	return r
}

// decide reports whether there is another round. If not, it has called end with nil, or
// with the error to end with. If the condition has failed, the guard calls end, because
// nothing runs after the guard if the condition has ended the goroutine.
func (r *RepeatSpec) decide(ctx context.Context, s RepeatSignal, end func(error)) (again bool) {
	if s.Iteration >= r.times {
		end(nil)
		return false
	}
	again = true
	if r.condition != nil && !failure.Guard(
		func() { again = r.condition(s) },
		func(broken error) { end(reactor.OperatorError(ctx, broken, nil)) },
	) {
		return false
	}
	var err error
	if again && r.refuse != nil {
		err = r.refuse(s.Iteration)
	}
	if !again || err != nil {
		end(err)
		return false
	}
	return true
}

// delay returns the delay before a round.
func (r *RepeatSpec) delay() time.Duration {
	spread := int64(float64(r.fixed) * r.factor)
	if spread <= 0 {
		return r.fixed
	}
	spread = min(spread, int64(r.fixed)) // a float64 may have rounded it up
	low, high := int64(r.fixed)-spread, int64(r.fixed)
	if high += spread; high < 0 { // beyond what a duration holds
		high = math.MaxInt64
	}
	return time.Duration(low + rand.Int64N(high-low))
}
