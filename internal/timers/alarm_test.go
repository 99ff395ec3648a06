package timers

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// otherClock counts what is set and stopped.
type otherClock struct{ set, stopped int }

func (c *otherClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	c.set++
	timer := time.AfterFunc(d, f)
	return func() bool { c.stopped++; return timer.Stop() }
}

func TestAlarm(t *testing.T) {
	other := new(otherClock)
	for _, clock := range []Clock{System{}, other} {
		synctest.Test(t, func(t *testing.T) {
			var a Alarm
			rang := 0
			var mu sync.Mutex
			mu.Lock()
			ring := func() {
				mu.Lock()
				defer mu.Unlock()
				rang++
				a.Stop()
			}
			pass := func(d time.Duration) {
				mu.Unlock()
				time.Sleep(d)
				synctest.Wait()
				mu.Lock()
			}
			assert.False(t, a.SetBefore(5))
			a.Set(clock, 5, 5*time.Second, ring)
			assert.True(t, a.SetBefore(5))
			assert.True(t, a.SetBefore(6))
			assert.False(t, a.SetBefore(4))
			a.Set(clock, 2, 2*time.Second, ring) // instead of the other one
			pass(2 * time.Second)
			assert.Equal(t, 1, rang)
			assert.False(t, a.SetBefore(5))
			pass(10 * time.Second)
			assert.Equal(t, 1, rang)
			a.Set(clock, 20, time.Second, ring)
			a.Stop()
			assert.False(t, a.SetBefore(20))
			pass(10 * time.Second)
			assert.Equal(t, 1, rang)
			a.Set(clock, 30, time.Second, ring)
			pass(10 * time.Second)
			assert.Equal(t, 2, rang)
		})
	}
	assert.Equal(t, otherClock{set: 4, stopped: 4}, *other)
}

// The function of an alarm may come late, when the alarm has been set again: that is not
// forgotten.
func TestAlarmRingsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, clock := range []Clock{System{}, new(otherClock)} {
			var a Alarm
			a.Set(clock, 5, 5*time.Second, func() { t.Error("stopped") })
			a.Stop() // by its function
			assert.False(t, a.SetBefore(5))
			time.Sleep(10 * time.Second)
		}
	})
}

// Setting an alarm again costs nothing.
func TestAlarmAllocations(t *testing.T) {
	var a Alarm
	f := func() {}
	a.Set(System{}, 1, time.Hour, f)
	defer a.Stop()
	assert.Zero(t, testing.AllocsPerRun(100, func() { a.Set(System{}, 1, time.Hour, f) }))
}
