package vectors_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// What the original does not have, in the same situations. There is no answer to compare with:
// want is what follows from the comments of each, and because is how.
var ours = []struct {
	feature
	because string
}{
	{feature{name: "MaxGroups, enough", make: func(in *input) run {
		return of(in.src().GroupBy(odd, flux.MaxGroups(2)).FlatMap(keyedBy(func(g group, v int) string { return named(g, in.fn(v)) })))
	}, want: `
		plain: 1:1 0:2 1:3 0:4 1:5 done
		ones: 1:1 0:2 1:3 0:4 1:5 done
		error: 1:1 0:2 1:3 error boom dropped boom
		cancel: 1:1 0:2 cancel
		empty: done
		panic: 1:1 0:2 cancel error boom
	`}, "two keys fit into two groups: as without the option, where the error reaches the groups and then the stream of groups"},
	{feature{name: "MaxGroups, too few", make: func(in *input) run {
		return of(in.src().GroupBy(odd, flux.MaxGroups(1)).FlatMap(keyedBy(func(g group, v int) string { return named(g, in.fn(v)) })))
	}, want: `
		plain: 1:1 cancel error overflow dropped overflow
		ones: 1:1 cancel error overflow dropped overflow
		error: 1:1 cancel error overflow dropped overflow
		cancel: 1:1 cancel error overflow dropped overflow
		empty: done
		panic: 1:1 cancel error overflow dropped overflow
	`}, "the second key would open a second group: an error for the first one and for the stream of groups, before the function gets to 3"},
	{feature{name: "MaxGroups, one after the other", make: func(in *input) run {
		return of(in.src().GroupBy(odd, flux.MaxGroups(1)).FlatMap(func(g group) flux.Flux[string] {
			return g.Take(1).Map(func(v int) string { return named(g, in.fn(v)) })
		}))
	}, want: `
		plain: 1:1 0:2 1:3 0:4 1:5 done
		ones: 1:1 0:2 1:3 0:4 1:5 done
		error: 1:1 0:2 1:3 error boom
		cancel: 1:1 0:2 cancel
		empty: done
		panic: 1:1 0:2 cancel error boom
	`}, "a group that is cancelled is closed and makes room"},
	{feature{name: "Patience, groups that are read", make: func(in *input) run {
		return of(in.timed().GroupBy(odd, flux.Patience(millis(20)), in.on()).FlatMap(keyedBy(func(g group, v int) string { return named(g, in.fn(v)) })))
	}, want: `
		plain: 1:1 0:2 1:3 0:4 1:5 done
		ones: 1:1 0:2 1:3 0:4 1:5 done
		error: 1:1 0:2 1:3 error boom dropped boom
		cancel: 1:1 0:2 cancel
		empty: done
		panic: 1:1 0:2 cancel error boom
	`}, "it moves all the time"},
	{feature{name: "Patience, a group nobody reads", make: func(in *input) run {
		return of(in.src().GroupBy(odd, flux.Prefetch(2), flux.Patience(millis(20)), in.on()).FlatMap(func(g group) flux.Flux[string] {
			return g.Map(func(v int) string { return named(g, in.fn(v)) })
		}, flux.Concurrency(1)))
	}, want: `
		plain: 1:1 1:3 cancel dropped overflow error overflow
		ones: 1:1 1:3 cancel dropped overflow error overflow
		error: 1:1 1:3 error boom dropped boom
		cancel: 1:1 1:3 cancel
		empty: done
		panic: 1:1 cancel error boom
	`}, "the supply of two is 2 and 4, which wait in a group that comes when the other one has ended; without elements or after the end nobody waits"},
	{feature{name: "RetryMaxInARow", make: func(in *input) run {
		return of(in.src().Map(in.fn).RetryWhen(flux.RetryMaxInARow(1)).Take(7))
	}, want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 1 2 3 1 cancel done
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel 1 2 cancel 1 2 cancel 1 cancel done
	`}, "each round has elements, so the count begins anew, without end but for Take"},
	{feature{name: "DelayFrom", make: func(in *input) run {
		return of(in.src().Map(in.fn).RetryWhen(flux.RetryBackoff(2, millis(50)).Jitter(0).On(in.clock).
			DelayFrom(func(err error) (time.Duration, bool) { return millis(3), errors.Is(err, errBoom) }).
			DoAfterRetry(func(operators.RetrySignal) { in.note("at ", in.clock.Now().UnixMilli()) })))
	}, want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 at 3 1 2 3 at 6 1 2 3 error retryExhausted
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel at 3 1 2 cancel at 6 1 2 cancel error retryExhausted
	`}, "the failure says 3 ms, whatever the back-off"},
	{feature{name: "RepeatTimes", make: func(in *input) run {
		return of(in.src().Map(in.fn).RepeatWhen(flux.RepeatTimes(1).FixedDelay(millis(4)).On(in.clock).
			DoBeforeRepeat(func(operators.RepeatSignal) { in.note("before") }).
			DoAfterRepeat(func(operators.RepeatSignal) { in.note("after") })))
	}, want: `
		plain: 1 2 3 4 5 before after 1 2 3 4 5 done
		ones: 1 2 3 4 5 before after 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: before after done
		panic: 1 2 cancel error boom
	`}, "completions are repeated, errors are not"},
	{feature{name: "RepeatTimes, a condition", make: func(in *input) run {
		return of(in.src().RepeatWhen(flux.RepeatTimes(9).OnlyIf(func(s operators.RepeatSignal) bool { return in.fn(3) == 3 && s.Iteration < 1 })))
	}, want: `
		plain: 1 2 3 4 5 1 2 3 4 5 done
		ones: 1 2 3 4 5 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 3 4 5 error boom
	`}, "the condition is asked at each completion; its panic ends the stream"},
	{feature{name: "Throttle", make: func(in *input) run {
		return of(in.src().Map(in.fn).Throttle(2, millis(10), in.on()).Map(func(v int) string {
			return text(v) + "@" + text(in.clock.Now().UnixMilli())
		}))
	}, want: `
		plain: 1@0 2@5 3@10 4@15 5@20 done
		ones: 1@0 2@5 3@10 4@15 5@20 done
		error: 1@0 2@5 3@10 error boom
		cancel: 1@0 2@5
		empty: done
		panic: 1@0 cancel 2@5 error boom
	`}, "two in 10 ms are one in 5; the source is asked ahead, so it has ended when the reader cancels, and its error waits for its turn"},
	{feature{name: "Cron", tick: time.Second, make: func(in *input) run {
		return of(flux.Cron("*/2 * * * * *", in.on(), flux.InZone(time.UTC)).Map(func(t time.Time) int { return in.fn(t.Second() / 2) }).Take(5))
	}, want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 4 5 done
		cancel: 1 2
		empty: 1 2 3 4 5 done
		panic: 1 2 error boom
	`}, "each second second from the first one on; there is no source that could fail or be empty"},
	{feature{name: "Cron, demand that comes late", tick: time.Second, make: func(in *input) run {
		return of(flux.Cron("*/2 * * * * *", in.on(), flux.InZone(time.UTC)).Map(func(t time.Time) int { return in.fn(t.Second() / 2) }).LimitRate(1).
			ConcatMap(func(v int) mono.Mono[int] { return mono.Just(v).DelayElement(3*time.Second, in.on()) }, flux.Prefetch(0)))
	}, want: `
		plain: 1 2 3 error overflow
		ones: 1 2 3 error overflow
		error: 1 2 3 error overflow
		cancel: 1 2
		empty: 1 2 3 error overflow
		panic: 1 error boom
	`}, "each takes 3 s and one comes each 2 s: one is under way and one in the queue of LimitRate, so the fourth, at 8 s, meets no demand"},
	{feature{name: "OnTrigger", make: func(in *input) run {
		return of(flux.OnTrigger(executors.NewPeriodic(0, millis(2)), in.on()).Map(func(t time.Time) int { return in.fn(int(t.UnixMilli()/2) + 1) }).Take(5))
	}, want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 4 5 done
		cancel: 1 2
		empty: 1 2 3 4 5 done
		panic: 1 2 error boom
	`}, "the first at once, then one each 2 ms; there is no source that could fail or be empty"},
}

// TestOurs runs what the original does not have.
func TestOurs(t *testing.T) {
	for _, f := range ours {
		t.Run(f.name, func(t *testing.T) {
			assert.NotEmpty(t, f.because)
			f.check(t, "", f.make, answers(t, f.want))
		})
	}
}
