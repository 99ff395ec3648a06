package executors_test

import (
	"context"
	"testing"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
)

// A clock that moves in steps stands a nanosecond before the time of a job: it is not looked at again without a pause.
func TestC25_ClockThatStands(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		looks := 0
		s := newTaskScheduler(t, append(opts, executors.WallClock(func() time.Time {
			if looks++; looks > 1000 {
				return time.Now() // so that the test has an end
			}
			return time.Now().Truncate(20 * ms)
		}))...)
		n := newRunNote()
		accept[*executors.Job](t)(s.At(time.Now().Add(20*ms+1), func(context.Context) error { n.now(); return nil }))
		pass(time.Second)
		assert.Equal(t, []int{40}, n.read())
		assert.Less(t, looks, 300)
	})
}
