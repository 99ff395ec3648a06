package operators

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

// TestTimesOnRealWorkers runs the timed operators on a real scheduler, in fake
// time: nothing comes a moment too early or too late, and no timer outlives its
// stream.
func TestTimesOnRealWorkers(t *testing.T) {
	ticks := func(s schedulers.Scheduler) reactor.Publisher[int64] { return Interval(10*time.Millisecond, On(s)) }
	for name, c := range map[string]struct {
		build func(s schedulers.Scheduler) reactor.Publisher[string]
		want  []string // element@milliseconds
		err   error
	}{
		"timeout": {
			func(s schedulers.Scheduler) reactor.Publisher[string] {
				slow := Concat(Just("a"), Map(Delay(30*time.Millisecond, On(s)), func(int64) string { return "b" }), Never[string]())
				return Timeout(slow, 40*time.Millisecond, On(s))
			},
			[]string{"a@0", "b@30"}, reactor.ErrTimeout,
		},
		"delayElements": {
			func(s schedulers.Scheduler) reactor.Publisher[string] {
				return DelayElements(FromSlice([]string{"a", "b", "c"}), 7*time.Millisecond, On(s))
			},
			[]string{"a@7", "b@14", "c@21"}, nil,
		},
		"delaySequence": {
			func(s schedulers.Scheduler) reactor.Publisher[string] {
				return DelaySequence(FromSlice([]string{"a", "b"}), 7*time.Millisecond, On(s))
			},
			[]string{"a@7", "b@7"}, nil,
		},
		"sampleEvery": {
			func(s schedulers.Scheduler) reactor.Publisher[string] {
				return TakeFor(SampleEvery(Map(ticks(s), func(v int64) string { return fmt.Sprint(v) }), 23*time.Millisecond, On(s)), 80*time.Millisecond, On(s))
			},
			[]string{"1@23", "3@46", "5@69"}, nil,
		},
		"sampleFirst": {
			func(s schedulers.Scheduler) reactor.Publisher[string] {
				return TakeFor(SampleFirstFor(Map(ticks(s), func(v int64) string { return fmt.Sprint(v) }), 25*time.Millisecond, On(s)), 75*time.Millisecond, On(s))
			},
			[]string{"0@10", "3@40", "6@70"}, nil,
		},
		"sampleTimeout": {
			func(s schedulers.Scheduler) reactor.Publisher[string] {
				burst := TakeFor(Map(ticks(s), func(v int64) string { return fmt.Sprint(v) }), 35*time.Millisecond, On(s))
				return SampleTimeoutFor(Concat(burst, DelaySubscriptionFor(Just("z"), 30*time.Millisecond, On(s))), 15*time.Millisecond, On(s))
			},
			[]string{"2@45", "z@65"}, nil,
		},
		"skipFor": {
			func(s schedulers.Scheduler) reactor.Publisher[string] {
				return TakeFor(SkipFor(Map(ticks(s), func(v int64) string { return fmt.Sprint(v) }), 25*time.Millisecond, On(s)), 45*time.Millisecond, On(s))
			},
			[]string{"2@30", "3@40"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := schedulers.NewParallel("bubble", 2)
				assert.NoError(t, err)
				start := time.Now()
				var got []string
				err = ForEach(context.Background(), c.build(s), func(v string) {
					got = append(got, fmt.Sprintf("%s@%d", v, time.Since(start).Milliseconds()))
				})
				assert.ErrorIs(t, err, c.err)
				assert.Equal(t, c.want, got)
				ended := time.Now()
				assert.NoError(t, s.DisposeGracefully(context.Background()))
				assert.Equal(t, ended, time.Now(), "no timer was left to wait for")
			})
		})
	}
}
