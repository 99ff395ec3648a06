package executors_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is often said of Java's pools, and what is true (section 0 of the rules).

// A pool that runs is not one that is shut down: its state is the lowest one, and the
// others only rise.
func TestS0_RunningIsNotShutDown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		assert.Equal(t, "running", p.Stats().State)
		assert.False(t, p.IsShutdown() || p.IsTerminating() || p.IsTerminated())
		end := make(chan struct{})
		require.NoError(t, p.Execute(background, func(context.Context) { <-end }))
		p.Shutdown()
		assert.Equal(t, "shutdown", p.Stats().State)
		p.ShutdownNow()
		assert.Equal(t, "stop", p.Stats().State)
		p.Shutdown()
		assert.Equal(t, "stop", p.Stats().State, "never back")
		close(end)
		synctest.Wait()
		assert.Equal(t, "terminated", p.Stats().State)
	})
}

// A task dated in the past runs at once because its delay is none, whatever the
// policies for a shutdown are.
func TestS0_PastTasksRunAtOnceWhateverThePolicies(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, opts := range [][]executors.Option{nil, {executors.DropDelayed()}, {executors.KeepPeriodic()}} {
			p := newScheduled(t, 1, opts...)
			n := newRunNote()
			accept[*executors.Handle](t)(p.After(-time.Hour, n.run))
			synctest.Wait()
			assert.Equal(t, []int{0}, n.read())
			end(t, p)
		}
	})
}

// The first run of a series at a fixed rate starts at its initial delay, not that and
// the time of a run later.
func TestS0_FixedRateStartsAtItsInitialDelay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newScheduled(t, 1)
		n := newRunNote()
		h := accept[*executors.Handle](t)(p.AtFixedRate(20*ms, 50*ms, func(context.Context) error {
			n.now()
			time.Sleep(10 * ms)
			return nil
		}))
		pass(125 * ms)
		assert.Equal(t, []int{20, 70, 120}, n.read())
		h.Cancel(nil)
	})
}

// There are no extra workers that the keep-alive time is for: whichever is idle too
// long while there are more than the core size leaves, the very first one too.
func TestS0_KeepAliveIsForAnyWorker(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 2, executors.Direct())
		first, second := newGate(t), newGate(t)
		var names journal[string]
		named := func(g *gate) executors.Task {
			return func(ctx context.Context) { names.note(executors.WorkerName(ctx)); g.task(ctx) }
		}
		require.NoError(t, p.Execute(background, named(first)))
		synctest.Wait()
		require.NoError(t, p.Execute(background, named(second)))
		synctest.Wait()
		first.open()
		pass(time.Minute)
		assert.Equal(t, 1, p.Stats().Workers, "the core worker has left")
		second.open()
		pass(time.Hour)
		require.NoError(t, p.Execute(background, named(first)))
		synctest.Wait()
		list := names.read()
		assert.Equal(t, list[1], list[2], "the later one is the core now")
	})
}

// The core size is not how many workers there are at least: they are made one by one,
// by submissions.
func TestS0_CoreWorkersAreMadeBySubmissions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 3, 3, executors.Unbounded())
		for want := range 5 {
			assert.Equal(t, min(want, 3), p.Stats().Workers)
			require.NoError(t, p.Execute(background, nothing))
			synctest.Wait()
		}
		q := newPool(t, 3, 3, executors.Unbounded())
		assert.Equal(t, 3, q.PrestartAll())
		assert.Equal(t, 3, q.Stats().Workers)
	})
}

// After AwaitTermination no goroutine of a pool exists, and no timer: the bubble would
// not end.
func TestE1_NothingIsLeft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, err := executors.NewThreadPool(1, 4, time.Hour, executors.Bounded(1))
		require.NoError(t, err)
		for range 5 {
			require.NoError(t, p.Execute(background, func(context.Context) { time.Sleep(time.Second) }))
		}
		s, err := executors.NewScheduledPool(2, executors.KeepPeriodic())
		require.NoError(t, err)
		_, err = s.AtFixedRate(0, time.Second, noError)
		require.NoError(t, err)
		_, err = s.After(24*time.Hour, noError)
		require.NoError(t, err)
		pass(10 * time.Second)
		require.NoError(t, p.Close(background))
		s.ShutdownNow()
		require.NoError(t, s.AwaitTermination(background))
	})
}

// Each refusal, drop, cancellation and panic is heard of by one party: the caller, the
// future or the error handler.
func TestE4_OnePartyHearsOfIt(t *testing.T) {
	for _, c := range []struct {
		name             string
		policy           executors.Policy
		caller, future   error // what those hear of a submission that finds the pool full
		handlerOfExecute error // what the handler hears if that was Execute
	}{
		{"abort", executors.Abort, executors.ErrSaturated, nil, nil},
		{"discard", executors.Discard, nil, executors.ErrDiscarded, executors.ErrDiscarded},
		{"silent policy", executors.PolicyFunc(func(*executors.Rejection) error { return nil }), nil, executors.ErrDiscarded, executors.ErrDiscarded},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var heard journal[error]
				p, g, _ := saturated(t, c.policy, catch(&heard))
				f, err := p.Submit(background, value(1))
				assert.ErrorIs(t, err, c.caller)
				if c.caller == nil {
					assert.ErrorIs(t, f.Err(), c.future)
				}
				assert.Empty(t, heard.read(), "not the handler: somebody else knows")
				assert.ErrorIs(t, p.Execute(background, nothing), c.caller)
				if c.handlerOfExecute == nil {
					assert.Empty(t, heard.read())
				} else {
					require.Len(t, heard.read(), 1)
					assert.ErrorIs(t, heard.read()[0], c.handlerOfExecute)
				}
				g.open()
			})
		})
	}
	bubble(t, func(t *testing.T) {
		var heard journal[error]
		p := newPool(t, 1, 1, executors.Unbounded(), catch(&heard))
		f := accept[*executors.Future[int]](t)(p.Submit(background, func(context.Context) (int, error) { panic("for the future") }))
		assert.ErrorContains(t, f.Wait(background), "for the future")
		synctest.Wait()
		assert.Empty(t, heard.read())
		require.NoError(t, p.Execute(background, func(context.Context) { panic("for the handler") }))
		synctest.Wait()
		require.Len(t, heard.read(), 1)
		assert.ErrorContains(t, heard.read()[0], "for the handler")
	})
}

// timersClock is the system's, and knows how many timers it has had, and how many of them are armed.
type timersClock struct{ all, armed atomic.Int32 }

func (c *timersClock) Now() time.Time { return time.Now() }

func (c *timersClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	c.all.Add(1)
	c.armed.Add(1)
	t := time.AfterFunc(d, func() { c.armed.Add(-1); f() })
	return func() bool {
		stopped := t.Stop()
		if stopped {
			c.armed.Add(-1)
		}
		return stopped
	}
}

// As above for timers, which keep a pool in memory until they ring.
func TestE1_NoTimerIsLeft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		clock := new(timersClock)
		p, err := executors.NewThreadPool(1, 2, time.Hour, executors.Direct(), executors.WithClock(clock))
		require.NoError(t, err)
		for range 2 {
			require.NoError(t, p.Execute(background, func(context.Context) { time.Sleep(time.Second) }))
		}
		pass(2 * time.Second)
		assert.EqualValues(t, 1, clock.armed.Load())
		require.NoError(t, p.Close(background))
		assert.Zero(t, clock.armed.Load())

		s, err := executors.NewScheduledPool(1, executors.WithClock(clock))
		require.NoError(t, err)
		_, err = s.After(time.Hour, noError)
		require.NoError(t, err)
		pass(time.Second)
		assert.EqualValues(t, 1, clock.armed.Load())
		s.ShutdownNow()
		require.NoError(t, s.AwaitTermination(background))
		assert.Zero(t, clock.armed.Load())
	})
}
