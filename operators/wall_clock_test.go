package operators

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/schedulers"
)

// sleepingClock is the system's on a machine that was asleep: the wall clock has gone
// on, the monotonic one has not, and times carry both.
type sleepingClock struct {
	base, begin time.Time // the same instant; base is of outside the bubble, whose times have no monotonic reading
	asleep      atomic.Int64
}

func (c *sleepingClock) Now() time.Time {
	t := c.base.Add(time.Since(c.begin))
	// Time has no function for this: its wall seconds begin at bit 30 of the first word.
	*(*uint64)(unsafe.Pointer(&t)) += uint64(time.Duration(c.asleep.Load())/time.Second) << 30
	return t
}

func (c *sleepingClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d, f).Stop
}

// Instants are those of the wall, also if they were reckoned from a time with a monotonic reading, which
// stands still while the machine sleeps.
func TestInstantsComeAfterASleep(t *testing.T) {
	base := time.Now()
	synctest.Test(t, func(t *testing.T) {
		clock := &sleepingClock{base: base, begin: time.Now()}
		s := schedulers.NewSingle("sleeping", schedulers.WithClock(clock))
		defer s.Dispose()
		noon := s.Now().Add(8 * time.Hour)
		at, early, late := probeOf[time.Time](1), probeOf[time.Time](1), probeOf[time.Time](1)
		At(noon, On(s)).Subscribe(context.Background(), at)
		OnTrigger(executors.NewPeriodic(8*time.Hour, 24*time.Hour), On(s)).Subscribe(context.Background(), early)
		OnTrigger(executors.NewPeriodic(10*time.Hour, 24*time.Hour), On(s)).Subscribe(context.Background(), late)
		sleep(time.Second)
		clock.asleep.Store(int64(9 * time.Hour))
		sleep(30 * time.Second)
		at.Done(t, noon)
		early.Open(t, noon.Round(0))
		late.Open(t)
		early.Cancel()
		late.Cancel()
	})
}
