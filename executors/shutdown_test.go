package executors_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestB5_1_StatesOnlyAdvance(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		var states []string
		see := func() { states = append(states, p.Stats().State) }
		g := newGate(t)
		require.NoError(t, p.Execute(background, func(context.Context) { <-g.c }))
		see()
		p.Shutdown()
		see()
		p.ShutdownNow()
		see()
		p.Shutdown()
		see()
		assert.True(t, p.IsTerminating())
		g.open()
		synctest.Wait()
		see()
		p.ShutdownNow()
		see()
		assert.Equal(t, []string{"running", "shutdown", "stop", "stop", "terminated", "terminated"}, states)
		assert.False(t, p.IsTerminating())
		assert.Zero(t, p.Stats().Workers)
	})
}

func TestB5_2_ShutdownFinishesWhatIsThere(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 2, 2, executors.Unbounded())
		var j journal[int]
		for i := range 5 {
			require.NoError(t, p.Execute(background, func(ctx context.Context) {
				if i == 0 {
					time.Sleep(time.Millisecond)
					p.Shutdown() // from inside: nothing is interrupted
				}
				time.Sleep(time.Second)
				assert.NoError(t, ctx.Err())
				j.note(i)
			}))
		}
		p.Shutdown()
		assert.ErrorIs(t, p.Execute(background, nothing), executors.ErrShutdown)
		assert.NoError(t, p.AwaitTermination(background))
		assert.Len(t, j.read(), 5)
	})
}

func TestB5_2_ShutdownWakesIdleWorkers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 3, 3, executors.Unbounded())
		p.PrestartAll()
		synctest.Wait()
		p.Shutdown()
		assert.NoError(t, p.AwaitTermination(background))
	})
	p := newPool(t, 3, 3, executors.Unbounded()) // without a worker it ends at once
	p.Shutdown()
	assert.True(t, p.IsTerminated())
}

func TestB5_3_ShutdownNowReturnsWhatNeverRan(t *testing.T) {
	same := executors.WithDecorator(func(task executors.Task) executors.Task {
		return func(ctx context.Context) { task(ctx) }
	})
	t.Run("plain", func(t *testing.T) { shutdownNowReturnsWhatNeverRan(t) })
	t.Run("decorated", func(t *testing.T) { shutdownNowReturnsWhatNeverRan(t, same) })
}

func shutdownNowReturnsWhatNeverRan(t *testing.T, opts ...executors.Option) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded(), opts...)
		var cause error
		require.NoError(t, p.Execute(background, func(ctx context.Context) { <-ctx.Done(); cause = context.Cause(ctx) }))
		var j journal[int]
		require.NoError(t, p.Execute(background, j.noting(1)))
		f := accept[*executors.Future[int]](t)(p.Submit(background, func(context.Context) (int, error) { j.note(2); return 2, nil }))
		_, err := p.Track(background, j.noting(3), func(err error) { j.note(-3); assert.ErrorIs(t, err, executors.ErrShutdown) })
		require.NoError(t, err)
		tasks := p.ShutdownNow()
		require.Len(t, tasks, 3)
		assert.ErrorIs(t, f.Wait(background), executors.ErrCancelled)
		assert.ErrorIs(t, f.Wait(background), executors.ErrShutdown)
		assert.Equal(t, []int{-3}, j.read(), "none of them has run")
		for _, task := range tasks {
			task(background)
		}
		assert.Equal(t, []int{-3, 1, 2, 3}, j.read(), "in the order of the queue")
		assert.NoError(t, p.AwaitTermination(background))
		assert.ErrorIs(t, cause, executors.ErrShutdown)
		assert.ErrorIs(t, f.Wait(background), executors.ErrCancelled, "as it was")
		balanced(t, p.Stats())
	})
}

// Each task is either run or returned, or was refused.
func TestB5_3_RaceShutdownNowAgainstExecute(t *testing.T) {
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		p := newPool(t, 1, 2, executors.Bounded(3))
		var ran, refused journal[int]
		submit := func(first int) func() {
			return func() {
				for i := first; i < first+4; i++ {
					if p.Execute(background, ran.noting(i)) != nil {
						refused.note(i)
					}
				}
			}
		}
		var left []executors.Task
		race(submit(0), submit(4), func() { left = p.ShutdownNow() })
		require.NoError(t, p.AwaitTermination(background))
		assert.Len(t, append(ran.read(), refused.read()...), 8-len(left))
		for _, task := range left {
			task(background)
		}
		seen := map[int]bool{}
		for _, i := range append(ran.read(), refused.read()...) {
			assert.False(t, seen[i])
			seen[i] = true
		}
		assert.Len(t, seen, 8)
		balanced(t, p.Stats())
	})
}

func TestB5_4_AwaitTermination(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ended := false
		p := newPool(t, 1, 1, executors.Unbounded(), executors.WithHooks(executors.Hooks{Terminated: func() {
			time.Sleep(time.Second)
			ended = true
		}}))
		require.NoError(t, p.Execute(background, func(context.Context) { time.Sleep(time.Second) }))
		poll, cancel := context.WithCancel(background)
		cancel()
		assert.ErrorIs(t, p.AwaitTermination(poll), context.Canceled, "running")
		p.Shutdown()
		short, cancel := context.WithTimeout(background, 1500*time.Millisecond)
		defer cancel()
		assert.ErrorIs(t, p.AwaitTermination(short), context.DeadlineExceeded, "the hook has not returned")
		assert.True(t, p.IsTerminating())
		assert.NoError(t, p.AwaitTermination(background))
		assert.True(t, ended)
		assert.NoError(t, p.AwaitTermination(poll), "only looks")
	})
}

func TestB5_5_RemovingTheLastTaskTerminates(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		g := newGate(t)
		require.NoError(t, p.Execute(background, g.task))
		f := accept[*executors.Future[int]](t)(p.Submit(background, value(1)))
		p.Shutdown()
		g.open()
		f.Cancel(nil)
		assert.NoError(t, p.AwaitTermination(background))
	})
}

func TestB5_6_CloseForcesAfterItsTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		var cause error
		require.NoError(t, p.Execute(background, func(ctx context.Context) { <-ctx.Done(); cause = context.Cause(ctx) }))
		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		err := p.Close(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, "active 1, queued 0/∞, completed 0]: context deadline exceeded")
		assert.ErrorContains(t, err, "executors: Close: \"")
		assert.NoError(t, p.AwaitTermination(background))
		assert.Equal(t, executors.ErrShutdown, cause)
		assert.NoError(t, p.Close(background))
	})
}

func TestB6_1_Counters(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 2, 3, executors.Bounded(2), executors.WithName("c"))
		g := newGate(t)
		for range 4 {
			require.NoError(t, p.Execute(background, g.task))
		}
		require.NoError(t, p.Execute(background, func(context.Context) { panic("counts too") }))
		synctest.Wait()
		s := p.Stats()
		assert.Equal(t, executors.Stats{
			Name: "c", State: "running", Core: 2, Max: 3, Workers: 3, Largest: 3, Capacity: 2,
			Active: 3, Queued: 1, Submitted: 5, Completed: 1,
		}, s)
		assert.EqualValues(t, 5, s.Tasks())
		g.open()
		pass(time.Minute)
		s = p.Stats()
		assert.Equal(t, []int{2, 2, 3, 0}, []int{s.Workers, s.Idle, s.Largest, s.Active})
		assert.EqualValues(t, 5, s.Completed)
		p.Shutdown()
		synctest.Wait()
		assert.Zero(t, p.Stats().Workers, "terminated")
		assert.Equal(t, 3, p.Stats().Largest)
	})
}

// The sum holds in every snapshot, not on average.
func TestB6_2_StatsAddUpAtAnyTime(t *testing.T) {
	p := newPool(t, 1, 3, executors.Bounded(4), executors.WithPolicy(executors.DiscardOldest))
	racetest.Repeat(racetest.Iterations(100), func(race func(...func())) {
		submit := func() {
			for i := range 5 {
				f, err := p.Submit(background, value(i))
				if err == nil && i%2 == 0 {
					f.Cancel(nil)
				}
			}
		}
		race(submit, submit, func() {
			for range 10 {
				balanced(t, p.Stats())
			}
		})
	})
}

func TestB7_1_ResizeAtRunTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 2, 4, executors.Bounded(3))
		for _, err := range []error{p.SetCore(-1), p.SetCore(5), p.SetMax(0), p.SetMax(1), p.Resize(3, 2)} {
			assert.Error(t, err)
		}
		g := newGate(t)
		for range 5 {
			require.NoError(t, p.Execute(background, g.task))
		}
		assert.Equal(t, 2, p.Stats().Workers)
		require.NoError(t, p.SetCore(4))
		assert.Equal(t, 4, p.Stats().Workers, "min(delta, queued)")
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Queued)
		require.NoError(t, p.SetCore(0))
		require.NoError(t, p.SetMax(1))
		g.open()
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Workers, "above the maximum: they leave as soon as they are idle")
		pass(59 * time.Second)
		assert.Equal(t, 1, p.Stats().Workers)
		pass(time.Second)
		assert.Zero(t, p.Stats().Workers, "above the core: after the keep-alive time")
	})
}

func TestB7_1_ShorterKeepAliveHoldsForIdleWorkers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 2, 2, executors.Unbounded())
		p.PrestartAll()
		pass(time.Second)
		require.NoError(t, p.SetCore(1))
		pass(30 * time.Second)
		require.NoError(t, p.SetKeepAlive(10*time.Second))
		pass(9 * time.Second)
		assert.Equal(t, 2, p.Stats().Workers)
		pass(time.Second)
		assert.Equal(t, 1, p.Stats().Workers)
		pass(time.Hour)
		assert.Equal(t, 1, p.Stats().Workers, "never below core")
		require.NoError(t, p.SetCore(0))
		require.NoError(t, p.SetKeepAlive(0))
		synctest.Wait()
		assert.Zero(t, p.Stats().Workers)
	})
}

func TestB7_2_RaisingMaxStartsNobody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Bounded(5))
		g := newGate(t)
		for range 6 {
			require.NoError(t, p.Execute(background, g.task))
		}
		require.NoError(t, p.SetMax(10))
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Workers)
		require.NoError(t, p.Execute(background, g.task))
		assert.Equal(t, 2, p.Stats().Workers)
	})
}

// Resize is pond's: more workers at once are for what waits, and no more than that. A
// negative size is an error here, where pond panics, and 0 is no way to say unlimited.
func TestB7_3_ResizeStartsWorkersForWhatWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, c := range []struct{ queued, grow, want int }{{5, 3, 3}, {2, 4, 2}, {0, 4, 0}} {
			p := newPool(t, 1, 1, executors.Unbounded())
			g := newGate(t)
			for range 1 + c.queued {
				require.NoError(t, p.Execute(background, g.task))
			}
			synctest.Wait()
			require.NoError(t, p.Resize(1+c.grow, 1+c.grow))
			synctest.Wait()
			assert.Equal(t, 1+c.want, p.Stats().Workers, "%+v", c)
			assert.Error(t, p.Resize(-1, 1))
			assert.Error(t, p.Resize(0, 0))
			assert.Equal(t, 1+c.grow, p.Stats().Max, "an error changes nothing")
			g.open()
			end(t, p)
		}
	})
}

func TestB8_1_CancelledTasksLeaveTheQueueAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Bounded(3))
		g := newGate(t)
		running := accept[*executors.Future[int]](t)(p.Submit(background, func(ctx context.Context) (int, error) { g.task(ctx); return 0, nil }))
		var fs []*executors.Future[int]
		for i := range 3 {
			fs = append(fs, accept[*executors.Future[int]](t)(p.Submit(background, value(i))))
		}
		assert.True(t, fs[1].Cancel(nil))
		assert.Equal(t, 2, p.Stats().Queued)
		assert.NoError(t, p.Execute(background, nothing), "its place is free")
		assert.True(t, p.Remove(&fs[0].Handle))
		assert.False(t, p.Remove(&fs[0].Handle))
		assert.ErrorIs(t, fs[0].Err(), executors.ErrCancelled)
		assert.False(t, p.Remove(&running.Handle), "it runs")
		assert.False(t, running.IsDone())
		assert.Zero(t, p.Purge())
		g.open()
		v, err := fs[2].Get(background)
		assert.NoError(t, err)
		assert.Equal(t, 2, v)
		synctest.Wait()
		s := p.Stats()
		assert.Equal(t, []uint64{5, 3, 2}, []uint64{s.Submitted, s.Completed, s.Cancelled})
	})
}

func TestB9_1_InvokeAll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 2, 2, executors.Bounded(2))
		sleeping := func(v int) func(context.Context) (int, error) {
			return func(ctx context.Context) (int, error) {
				select {
				case <-time.After(time.Duration(v) * time.Second):
					return v, nil
				case <-ctx.Done():
					return 0, context.Cause(ctx)
				}
			}
		}
		boom := errors.New("boom")
		fs, err := p.InvokeAll(background, []func(context.Context) (int, error){sleeping(3), failing(boom), sleeping(1)})
		require.NoError(t, err)
		require.Len(t, fs, 3)
		for i, want := range []int{3, 0, 1} { // the order of the input
			assert.True(t, fs[i].IsDone())
			v, _ := fs[i].Get(background)
			assert.Equal(t, want, v)
		}
		assert.Equal(t, boom, fs[1].Err())
		fs, err = p.InvokeAll[int](background, nil)
		assert.NoError(t, err)
		assert.Empty(t, fs)

		// A time limit: the full list, and what was not done is cancelled.
		ctx, cancel := context.WithTimeout(background, 1500*time.Millisecond)
		defer cancel()
		fs, err = p.InvokeAll(ctx, []func(context.Context) (int, error){sleeping(1), sleeping(5), sleeping(9)})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, fs, 3)
		assert.NoError(t, fs[0].Err())
		assert.True(t, fs[1].IsCancelled())
		assert.True(t, fs[2].IsCancelled())
		synctest.Wait()

		// A refusal: the others are cancelled.
		var many []func(context.Context) (int, error)
		for range 5 {
			many = append(many, sleeping(1000))
		}
		fs, err = p.InvokeAll(background, many)
		assert.Nil(t, fs)
		assert.ErrorIs(t, err, executors.ErrSaturated)
		synctest.Wait()
		assert.Zero(t, p.Stats().Active)
		balanced(t, p.Stats())
	})
}

func TestB9_2_InvokeAny(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 3, 3, executors.Bounded(1))
		first, second := errors.New("first"), errors.New("second")
		after := func(d time.Duration, err error) func(context.Context) (string, error) {
			return func(ctx context.Context) (string, error) {
				select {
				case <-time.After(d):
					return d.String(), err
				case <-ctx.Done():
					return "", context.Cause(ctx)
				}
			}
		}
		type fns = []func(context.Context) (string, error)
		start := time.Now()
		v, err := p.InvokeAny(background, fns{after(time.Hour, nil), after(time.Second, first), after(2*time.Second, nil)})
		assert.NoError(t, err)
		assert.Equal(t, "2s", v)
		assert.Equal(t, 2*time.Second, time.Since(start))
		synctest.Wait()
		assert.Zero(t, p.Stats().Active, "the others are cancelled")

		_, err = p.InvokeAny(background, fns{after(2*time.Second, second), after(time.Second, first)})
		assert.ErrorIs(t, err, first)
		assert.ErrorIs(t, err, second)
		assert.EqualError(t, err, "first\nsecond", "in the order in which they ended")

		_, err = p.InvokeAny(background, fns{})
		assert.ErrorContains(t, err, "illegal argument")

		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		_, err = p.InvokeAny(ctx, fns{after(time.Hour, nil), after(time.Hour, nil)})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()

		_, err = p.InvokeAny(background, fns{after(time.Hour, nil), after(time.Hour, nil), after(time.Hour, nil), after(time.Hour, nil), after(time.Hour, nil)})
		assert.ErrorIs(t, err, executors.ErrSaturated)
		synctest.Wait()
		assert.Zero(t, p.Stats().Active)
	})
}

// All failures are in the error, not the last one alone, and panics are among them.
func TestB9_3_InvokeAnyJoinsAllFailures(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		one, two := errors.New("one"), errors.New("two")
		v, err := p.InvokeAny(background, []func(context.Context) (int, error){
			failing(one), func(context.Context) (int, error) { panic(two) }, failing(two),
		})
		assert.Zero(t, v)
		assert.ErrorIs(t, err, one)
		assert.ErrorIs(t, err, two)
		_, ok := errors.AsType[*reactor.PanicError](err)
		assert.True(t, ok)
		joined, ok := err.(interface{ Unwrap() []error })
		require.True(t, ok)
		assert.Len(t, joined.Unwrap(), 3)
	})
}

// With a quick first function the later ones may never be submitted: a pool that runs
// tasks in the caller makes that certain.
// The end of the context is the error, whatever the functions have made of it.
func TestB9_2_InvokeAnyEndsWithItsContext(t *testing.T) {
	p, _, _ := saturated(t, executors.CallerRuns) // so that both have ended when it looks
	for range 50 {
		ctx, cancel := context.WithCancel(background)
		_, err := p.InvokeAny(ctx, []func(context.Context) (int, error){func(context.Context) (int, error) {
			cancel()
			return 0, assert.AnError
		}})
		require.Equal(t, context.Canceled, err)
	}
}

// A refusal counts, also where the context has ended by then.
func TestB9_1_InvokeAllThatIsRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		p, _, _ := saturated(t, executors.PolicyFunc(func(r *executors.Rejection) error {
			cancel()
			return r.Err()
		}))
		futures, err := p.InvokeAll(ctx, []func(context.Context) (int, error){value(1)})
		assert.ErrorIs(t, err, executors.ErrRejected)
		assert.Empty(t, futures)
	})
}

func TestB9_2_LaterOnesMayNeverBeSubmitted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, _, _ := saturated(t, executors.CallerRuns)
		v, err := p.InvokeAny(background, []func(context.Context) (int, error){value(1), func(context.Context) (int, error) {
			t.Error("must not be submitted")
			return 2, nil
		}})
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
	})
}

func TestB10_1_CancelledWhileItRuns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		cause, seen := errors.New("changed my mind"), error(nil)
		f := accept[*executors.Future[int]](t)(p.Submit(background, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			seen = context.Cause(ctx)
			time.Sleep(time.Second) // takes its time
			return 1, nil
		}))
		done, finished := f.Done(), f.Finished()
		synctest.Wait()
		assert.True(t, f.Cancel(cause))
		assert.False(t, f.Cancel(nil), "done already")
		<-done
		_, err := f.Get(background)
		assert.ErrorIs(t, err, cause)
		assert.ErrorIs(t, err, executors.ErrCancelled)
		assert.EqualError(t, err, "cancelled: changed my mind")
		synctest.Wait()
		select {
		case <-finished:
			t.Error("it still runs")
		default:
		}
		<-finished
		<-f.Finished()
		<-f.Done()
		assert.ErrorIs(t, seen, cause)
		synctest.Wait()
		assert.EqualValues(t, 1, p.Stats().Completed)
		_, err = f.Get(background)
		assert.ErrorIs(t, err, cause, "the late result changes nothing")
	})
}

func TestB10_1_GetGivesUpWithItsContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		f := accept[*executors.Future[int]](t)(p.Submit(background, func(context.Context) (int, error) { time.Sleep(time.Minute); return 5, nil }))
		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		_, err := f.Get(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		v, err := f.Get(background)
		assert.NoError(t, err)
		assert.Equal(t, 5, v)
		assert.False(t, f.Cancel(nil))
	})
}

func TestB10_2_PanicComesWithItsStack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		f := accept[*executors.Future[int]](t)(p.Submit(background, func(context.Context) (int, error) { panic("at the disco") }))
		_, err := f.Get(background)
		panicked, ok := errors.AsType[*reactor.PanicError](err)
		require.True(t, ok)
		assert.Equal(t, "at the disco", panicked.Value)
		assert.Contains(t, string(panicked.Stack), "TestB10_2")
	})
}

// Cancel against start against shutdown: one of them ends the future, once, and the
// figures add up.
func TestRaceCancelAgainstRunAndShutdown(t *testing.T) {
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		p := newPool(t, 1, 1, executors.Unbounded())
		require.NoError(t, p.Execute(background, nothing))
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		var f *executors.Future[int]
		ready := make(chan struct{})
		race(func() {
			f, _ = p.Submit(ctx, func(ctx context.Context) (int, error) { return 1, ctx.Err() })
			close(ready)
		}, func() {
			<-ready
			if f != nil {
				f.Cancel(nil)
			}
		}, cancel, func() { p.ShutdownNow() })
		require.NoError(t, p.AwaitTermination(background))
		if f != nil {
			<-f.Done()
			<-f.Finished()
			assert.True(t, f.IsDone())
		}
		balanced(t, p.Stats())
		s := p.Stats()
		assert.Zero(t, s.Active+s.Queued)
	})
}

// The context ends while InvokeAll submits: what is not submitted by then is cancelled.
func TestB9_1_InvokeAllEndsWhileItSubmits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Direct(), executors.WithPolicy(executors.CallerRuns))
		g := newGate(t)
		require.NoError(t, p.Execute(background, g.task))
		ctx, cancel := context.WithCancelCause(background)
		why := errors.New("why")
		ran := 0
		end := func(context.Context) (int, error) { ran++; cancel(why); return 1, nil }
		fs, err := p.InvokeAll(ctx, []func(context.Context) (int, error){value(1), end, end})
		assert.Equal(t, why, err)
		require.Len(t, fs, 3)
		assert.NoError(t, fs[0].Err())
		for _, f := range fs[1:] {
			<-f.Finished()
			assert.ErrorIs(t, f.Err(), why)
			assert.True(t, f.IsCancelled())
		}
		assert.Equal(t, 1, ran)
		fs, err = p.InvokeAll(ctx, []func(context.Context) (int, error){end, nil})
		assert.Nil(t, fs)
		assert.Equal(t, executors.ErrNilTask, err)
	})
}
