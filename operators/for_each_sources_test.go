package operators

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

// hereThenBehindHop fails on the goroutine that asks, and then goes on with 10, 11, 12 on s.
func hereThenBehindHop(s schedulers.Scheduler) reactor.Publisher[int] {
	broken := TryMap(Range(1, 4), func(v int) (int, error) {
		if v == 4 {
			return 0, errBoom
		}
		return v, nil
	})
	return OnErrorResume(broken, func(error) reactor.Publisher[int] {
		return PublishOn(Map(Range(10, 3), func(v int) int { return v }), s)
	})
}

// The function given to ForEach is not at work any more when that has returned, although the elements come on another goroutine, in no
// run, or in one that does not count.
func TestForEachIsNotLeftByItsFunction(t *testing.T) {
	itself := func(v int) int { return v }
	for name, newSource := range map[string]func(schedulers.Scheduler) reactor.Publisher[int]{
		// A source that feeds who is below, and tells of no runs.
		"single element": func(s schedulers.Scheduler) reactor.Publisher[int] { return SubscribeOn(Just(10), s) },
		// The first source sends in runs that count, the second one does not: so it is for all stages that take one source after the
		// other below, whatever stands between.
		"two": func(s schedulers.Scheduler) reactor.Publisher[int] { return Retry(hereThenBehindHop(s)) },
		"three": func(s schedulers.Scheduler) reactor.Publisher[int] {
			return Repeat(Retry(hereThenBehindHop(s)), Times(1))
		},
		"two and a map": func(s schedulers.Scheduler) reactor.Publisher[int] { return Retry(Map(hereThenBehindHop(s), itself)) },
		"two and a filter": func(s schedulers.Scheduler) reactor.Publisher[int] {
			return ConcatWith(Filter(hereThenBehindHop(s), func(int) bool { return true }), Just(20))
		},
		"default": func(s schedulers.Scheduler) reactor.Publisher[int] {
			return Retry(DefaultIfEmpty(Map(hereThenBehindHop(s), itself), 0))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				quiet, _ := probe.Recorded() // of workers that block
				s := schedulers.NewSingle("elsewhere")
				defer s.Dispose()
				ctx, cancel := context.WithTimeout(quiet, time.Second)
				defer cancel()
				inside, over := false, false // no locks: who reads them has waited
				began := time.Now()
				err := ForEach(ctx, newSource(s), func(v int) {
					assert.False(t, over, "called again")
					if v >= 10 {
						inside = true
						time.Sleep(time.Hour)
						inside = false
					}
				})
				over = true
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				assert.False(t, inside)
				assert.Equal(t, time.Hour, time.Since(began))
				time.Sleep(24 * time.Hour)
			})
		})
	}
}
