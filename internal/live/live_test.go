package live

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/chaos"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// check compares what is counted, with the tag that makes it so.
func check(t *testing.T, timers, contexts int64) {
	t.Helper()
	if !chaos.Enabled {
		timers, contexts = 0, 0
	}
	set, watched := Counts()
	assert.Equal(t, [2]int64{timers, contexts}, [2]int64{set, watched})
}

func TestTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rang := 0
		After(time.Second, func() { rang++ })
		stop := After(time.Minute, func() { rang++ })
		check(t, 2, 0)
		time.Sleep(time.Second)
		synctest.Wait()
		check(t, 1, 0)
		assert.True(t, stop())
		assert.False(t, stop())
		check(t, 0, 0)
		assert.Equal(t, 1, rang)
		TimerSet()
		check(t, 1, 0)
		TimerDone()
		check(t, 0, 0)
	})
}

func TestContexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		called := 0
		AfterContext(ctx, Func(func() { called++ }))
		stop := AfterContext(ctx, Func(func() { called++ }))
		check(t, 0, 2)
		assert.True(t, stop())
		assert.False(t, stop())
		check(t, 0, 1)
		cancel()
		synctest.Wait()
		check(t, 0, 0)
		assert.Equal(t, 1, called)
		AfterContext(context.Background(), Func(func() { called++ }))
		check(t, 0, 0)
	})
}

// A context that has ended is no news for another goroutine.
func TestContextsThatHaveEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		told := 0
		tell := Func(func() { told++ })
		stop := WatchContext(ctx, tell)
		check(t, 0, 1)
		assert.True(t, stop())
		stop = WatchContext(ctx, tell)
		cancel()
		synctest.Wait()
		assert.Equal(t, 1, told)
		assert.False(t, stop())

		stop = WatchContext(ctx, tell)
		assert.Equal(t, 2, told, "at once")
		synctest.Wait()
		assert.Equal(t, 2, told, "once")
		assert.False(t, stop())
		check(t, 0, 0)
	})
}
