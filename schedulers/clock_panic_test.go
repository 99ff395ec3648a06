package schedulers

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// failingClock is a scheduler whose clock panics when it is to.
type failingClock struct {
	Scheduler
	fails atomic.Bool
}

func (f *failingClock) Now() time.Time {
	if f.fails.Load() {
		panic("no time")
	}
	return f.Scheduler.Now()
}

// A clock that panics leaves no task in the books.
func TestA9_8_ClockThatPanics(t *testing.T) {
	bubble(t, func(t *testing.T) {
		source := &failingClock{Scheduler: NewSingle("t")}
		defer source.Dispose()
		s := SingleWorker(source)
		defer s.Dispose()
		source.fails.Store(true)
		assert.Panics(t, func() { _, _ = s.ScheduleAfter(nothing, time.Second) })
		assert.Panics(t, func() { _, _ = s.SchedulePeriodically(nothing, time.Second, time.Second) })
		source.fails.Store(false)
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		require.NoError(t, s.DisposeGracefully(ctx), "nothing was accepted")
	})
}
