package schedulers

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
)

// The task that starts the loop does not go through the queue. It keeps its place among the timed ones
// all the same, it is counted, and it is dropped like others.
func TestTheTaskThatStartsTheLoop(t *testing.T) {
	t.Run("comes after a timed one that was due before", func(t *testing.T) {
		clock := newManualClock()
		s := NewSingle("t", WithClock(clock))
		defer s.Dispose()
		var j journal[string]
		accept(t)(s.ScheduleAfter(func(context.Context) { j.note("timed") }, time.Second))
		clock.mu.Lock()
		clock.now = clock.now.Add(2 * time.Second) // the timer is late
		clock.mu.Unlock()
		done := make(chan struct{})
		require.NoError(t, s.Execute(func(context.Context) { j.note("immediate"); close(done) }))
		<-done
		assert.Equal(t, []string{"timed", "immediate"}, j.read())
	})
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		release := make(chan struct{})
		for n := range 3 {
			require.NoError(t, l.Execute(func(context.Context) { <-release }))
			pass(0)
			assert.Equal(t, uint64(n), s.Stats().Completed)
			assert.Zero(t, s.Stats().Queued, "it runs")
			release <- struct{}{}
			pass(0)
			assert.Equal(t, uint64(n+1), s.Stats().Completed)
			assert.Zero(t, s.Stats().Queued)
		}
	})
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 2, "t"))
		defer s.Dispose()
		release := make(chan struct{})
		require.NoError(t, s.Execute(func(context.Context) { <-release }))
		pass(0)
		for n := range 2 {
			require.NoError(t, s.Execute(nothing))
			assert.Equal(t, n+1, s.Stats().Queued, "behind the one that runs")
		}
		assert.ErrorIs(t, s.Execute(nothing), ErrRejected)
		close(release)
		pass(0)
		assert.Equal(t, 1, s.Stats().Idle)
	})
	t.Run("is dropped with its slot", func(t *testing.T) {
		s := NewSingle("t").(*fixed)
		slot := s.slots[0]
		run := make(chan func(), 1)
		slot.run = func() { run <- slot.loop } // it is as if the goroutine did not get a processor
		ran := false
		require.NoError(t, s.Execute(func(context.Context) { ran = true }))
		loop := <-run
		s.Dispose()
		loop()
		assert.False(t, ran)
		assert.Equal(t, uint64(1), s.Stats().Dropped)
		assert.Zero(t, s.Stats().Queued)
	})
	t.Run("is withdrawn", func(t *testing.T) {
		s := NewSingle("t").(*fixed)
		defer s.Dispose()
		slot := s.slots[0]
		run := make(chan func(), 1)
		slot.run = func() { run <- slot.loop }
		ran := false
		d, err := s.Schedule(func(context.Context) { ran = true })
		require.NoError(t, err)
		loop := <-run
		d.Dispose()
		assert.Zero(t, s.Stats().Queued, "at once")
		loop()
		assert.False(t, ran)
		assert.Zero(t, s.Stats().Queued)
	})
}

// Where more loops run than can be listed, the stack tells those that must not block from others.
func TestAWorkerWithoutAPlaceIsFound(t *testing.T) {
	for i := range running {
		for running[i].Load() != nil {
			runtime.Gosched() // the loop of a test before this one is about to end
		}
	}
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		defer s.Dispose()
		check := func() (there, elsewhere error) {
			require.NoError(t, s.Execute(func(context.Context) {
				there = CheckBlocking(context.Background(), "block")
				go func() { elsewhere = CheckBlocking(context.Background(), "block") }()
				time.Sleep(time.Second)
			}))
			pass(time.Minute)
			return there, elsewhere
		}
		there, elsewhere := check()
		assert.ErrorIs(t, there, reactor.ErrBlocking)
		assert.NoError(t, elsewhere, "a goroutine of its own is free")
		assert.Zero(t, unlisted.Load())

		stranger := &slotRef{}
		defer func() {
			for i := range running {
				running[i].CompareAndSwap(stranger, nil)
			}
		}()
		for i := range running {
			require.True(t, running[i].CompareAndSwap(nil, stranger))
		}
		there, elsewhere = check()
		assert.ErrorIs(t, there, reactor.ErrBlocking)
		assert.ErrorContains(t, there, "one of a single or parallel scheduler")
		assert.NoError(t, elsewhere, "a goroutine of its own is free")
		assert.Zero(t, unlisted.Load(), "the loop has ended")
	})
}
