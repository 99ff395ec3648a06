package executors_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Those who wait are served in their order, whatever wakes them in between and
// whoever gives up, with a queue and without one.
func TestB11_WaitersAreServedInTheirOrder(t *testing.T) {
	for _, c := range []struct {
		name  string
		queue executors.Queue
	}{{"bounded", executors.Bounded(1)}, {"direct", executors.Direct()}} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := newPool(t, 1, 1, c.queue)
				hold := newGate(t)
				require.NoError(t, p.Execute(background, hold.task))
				if c.queue.Capacity() > 0 {
					require.NoError(t, p.Execute(background, nothing))
				}
				var ran journal[int]
				var all sync.WaitGroup
				odd, giveUp := context.WithCancelCause(background)
				left := errors.New("left")
				var gone atomic.Int32
				for i := range 20 {
					all.Go(func() {
						ctx := background
						if i%2 == 1 {
							ctx = odd
						}
						if err := p.ExecuteWait(ctx, ran.noting(i)); err != nil {
							assert.ErrorIs(t, err, left)
							gone.Add(1)
						}
					})
					synctest.Wait()
				}
				for range 3 { // wakes, and makes no room
					require.NoError(t, p.Resize(1, 1))
					synctest.Wait()
				}
				giveUp(left)
				synctest.Wait()
				assert.EqualValues(t, 10, gone.Load())
				hold.open()
				all.Wait()
				synctest.Wait()
				assert.Equal(t, []int{0, 2, 4, 6, 8, 10, 12, 14, 16, 18}, ran.read())
				balanced(t, p.Stats())
			})
		})
	}
}

// More workers are room for as many of those who wait.
func TestB11_WaitersGetNewWorkers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Direct())
		hold := newGate(t)
		require.NoError(t, p.Execute(background, hold.task))
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() { assert.NoError(t, p.ExecuteWait(background, hold.task)) })
		}
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Active)
		require.NoError(t, p.SetMax(4))
		synctest.Wait()
		assert.Equal(t, 4, p.Stats().Active)
		hold.open()
		all.Wait()
		synctest.Wait()
		assert.EqualValues(t, 6, p.Stats().Completed)
	})
}

// A snapshot must not depend on how much waits: whoever takes one holds the lock of
// the pool, and every refusal takes one. It doesn't ask what is due, for that can
// only be found out by looking at the tasks.
func TestB6_2_StatsDoNotLookAtTasks(t *testing.T) {
	clock := &countingClock{now: time.Unix(0, 0)}
	p, err := executors.NewScheduledPool(1, executors.WithClock(clock))
	require.NoError(t, err)
	defer end(t, p)
	hold := newGate(t)
	started := make(chan struct{})
	require.NoError(t, p.Execute(background, func(ctx context.Context) { close(started); hold.task(ctx) }))
	<-started
	for i := range 1000 {
		_, err := p.After(time.Duration(i%500)*time.Millisecond, noError)
		require.NoError(t, err)
	}
	clock.advance(time.Minute)
	before := clock.asked.Load()
	s := p.Stats()
	assert.Zero(t, testing.AllocsPerRun(100, func() { p.Stats() }))
	assert.Equal(t, before, clock.asked.Load(), "no snapshot needs the time")
	assert.Equal(t, 1000, s.Queued)
	assert.Equal(t, 998, s.Delayed, "all that came with a delay, due or not")
	balanced(t, s)
}

// countingClock is a clock that stands still, whose timers never fire.
type countingClock struct {
	mu    sync.Mutex
	now   time.Time
	asked atomic.Int64
}

func (c *countingClock) Now() time.Time {
	c.asked.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *countingClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *countingClock) AfterFunc(time.Duration, func()) (stop func() bool) {
	return func() bool { return true }
}

// Who waits for room tries again when the worker that took the last place can't be started.
func TestB11_WaitersHearOfAWorkerThatCanNotBeStarted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		no := errors.New("no goroutines today")
		first, hold := true, make(chan struct{})
		p := newPool(t, 0, 1, executors.Direct(), executors.WithSpawn(func(_ string, run func()) error {
			if first {
				first = false
				<-hold
				return no
			}
			go run()
			return nil
		}))
		go func() { assert.ErrorIs(t, p.Execute(background, nothing), no) }()
		synctest.Wait()
		var ran journal[int]
		busy := make(chan struct{})
		go func() {
			assert.NoError(t, p.ExecuteWait(background, func(ctx context.Context) {
				ran.noting(1)(ctx)
				<-busy // or the first one, which looks once more, may find this worker idle
			}))
		}()
		synctest.Wait()
		assert.Empty(t, ran.read())
		close(hold)
		synctest.Wait()
		assert.Equal(t, []int{1}, ran.read())
		close(busy)
		synctest.Wait()
		balanced(t, p.Stats())
	})
}

// A policy makes room and does not use it: it is for who waits.
func TestB11_WaitersGetRoomThatAPolicyMakes(t *testing.T) {
	for name, c := range map[string]struct {
		decide   func(r *executors.Rejection) error
		admitted bool
	}{
		"left":  {func(r *executors.Rejection) error { r.DropOldest(); return r.Err() }, true},
		"taken": {func(r *executors.Rejection) error { r.DropOldest(); r.Retry(); return nil }, false},
		"twice": {func(r *executors.Rejection) error { r.DropOldest(); r.DropOldest(); return r.Err() }, true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p, g, first := saturated(t, executors.PolicyFunc(c.decide))
				admitted := false
				go func() {
					assert.NoError(t, p.ExecuteWait(background, nothing))
					admitted = true
				}()
				synctest.Wait()
				_ = p.Execute(background, nothing)
				synctest.Wait()
				assert.Equal(t, executors.ErrDiscarded, first.Err())
				assert.Equal(t, 1, p.Stats().Queued)
				assert.Equal(t, c.admitted, admitted)
				g.open()
				synctest.Wait()
				assert.True(t, admitted)
			})
		})
	}
}

// The lag of a task that has waited for room begins with its acceptance, also if that brings it a worker of its own.
func TestLagOfWhoWaitedForRoom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := &sums{of: map[string]int64{}}
		p := newPool(t, 1, 1, executors.Direct(), executors.WithMeter(m, "x"))
		g := newGate(t)
		require.NoError(t, p.Execute(background, g.task))
		go func() { assert.NoError(t, p.ExecuteWait(background, g.task)) }()
		pass(time.Second)
		require.NoError(t, p.SetMax(2))
		synctest.Wait()
		assert.Equal(t, 2, p.Stats().Active)
		m.mu.Lock()
		defer m.mu.Unlock()
		assert.Zero(t, m.of["x.executor.lag in ns"])
	})
}
