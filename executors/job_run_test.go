package executors_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/executors"
)

// A run knows its job and when it was due, also if it begins later: behind another run of the job, and to make up for one that was
// missed while the clock jumped.
func TestRunKnowsItsJob(t *testing.T) {
	type derived struct{}
	watching := func(start time.Time, n *journal[int], of *journal[*executors.Job], d time.Duration) func(context.Context) error {
		return func(ctx context.Context) error {
			job, due := executors.JobOf(context.WithValue(ctx, derived{}, 1))
			of.note(job)
			n.note(int(due.Sub(start) / ms))
			time.Sleep(d)
			return nil
		}
	}
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		clock := &wallClock{}
		s := newTaskScheduler(t, append(opts, executors.WallClock(clock.Now))...)
		var n journal[int]
		var of journal[*executors.Job]
		j := accept[*executors.Job](t)(s.AtFixedRate(time.Minute, watching(time.Now(), &n, &of, 0), executors.Allow))
		pass(time.Second)
		clock.jump(4 * time.Minute)
		pass(time.Minute)
		assert.ElementsMatch(t, []int{0, 60_000, 120_000, 180_000, 240_000, 300_000}, n.read())
		for _, job := range of.read() {
			assert.Same(t, j, job)
		}
	})
	bubble(t, func(t *testing.T) {
		s := newTaskScheduler(t, executors.GoroutinePerRun())
		var n journal[int]
		var of journal[*executors.Job]
		accept[*executors.Job](t)(s.AtFixedRate(time.Second, watching(time.Now(), &n, &of, 2500*ms), executors.Queued(1)))
		pass(5500 * ms)
		assert.Equal(t, []int{0, 1000, 3000}, n.read(), "they began at 0, 2500 and 5000")
	})
	for _, none := range []context.Context{nil, context.Background()} { //nolint:staticcheck // nil is what it is about
		job, due := executors.JobOf(none)
		assert.Nil(t, job)
		assert.Zero(t, due)
	}
}
