package executors_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestB1_1_CoreThenQueueThenMaxThenReject(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 3, executors.Bounded(2))
		g := newGate(t)
		type figures struct{ workers, queued int }
		for i, want := range []figures{{1, 0}, {1, 1}, {1, 2}, {2, 2}, {3, 2}} {
			require.NoError(t, p.Execute(background, g.task))
			s := p.Stats()
			assert.Equal(t, want, figures{s.Workers, s.Queued}, "task %d", i+1)
		}
		assert.ErrorIs(t, p.Execute(background, g.task), executors.ErrSaturated)
		g.open()
		synctest.Wait()
		assert.EqualValues(t, 5, p.Stats().Completed)
	})
}

func TestB1_2_WhoFindsTheQueueFullOvertakes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 2, executors.Bounded(1))
		var j journal[string]
		task := func(name string) executors.Task {
			return func(context.Context) {
				j.note(name)
				time.Sleep(time.Second)
			}
		}
		for _, name := range []string{"t1", "t2", "t3"} {
			require.NoError(t, p.Execute(background, task(name)))
			synctest.Wait()
		}
		pass(3 * time.Second)
		assert.Equal(t, []string{"t1", "t3", "t2"}, j.read())
	})
}

func TestB1_3_NewWorkerAlthoughOneIsIdle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 2, 2, executors.Unbounded())
		for want := 1; want <= 2; want++ {
			require.NoError(t, p.Execute(background, nothing))
			synctest.Wait()
			assert.Equal(t, want, p.Stats().Workers)
			assert.Equal(t, want, p.Stats().Idle)
		}
		require.NoError(t, p.Execute(background, nothing))
		assert.Equal(t, 2, p.Stats().Workers)
	})
}

func TestB1_4_UnboundedQueueNeverGrowsBeyondCore(t *testing.T) {
	for _, core := range []int{0, 1, 3} {
		bubble(t, func(t *testing.T) {
			p := newPool(t, core, 10, executors.Unbounded())
			for range 100 {
				require.NoError(t, p.Execute(background, func(context.Context) { time.Sleep(time.Second) }))
			}
			synctest.Wait()
			assert.Equal(t, max(1, core), p.Stats().Workers)
			assert.Equal(t, max(1, core), p.Stats().Largest)
		})
	}
}

func TestB1_5_DirectNeedsAWorkerThatWaitsOrANewOne(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 0, 2, executors.Direct())
		g := newGate(t)
		require.NoError(t, p.Execute(background, g.task))
		require.NoError(t, p.Execute(background, g.task))
		assert.ErrorIs(t, p.Execute(background, nothing), executors.ErrSaturated)
		g.open()
		synctest.Wait()
		for range 5 { // the waiting ones take them
			require.NoError(t, p.Execute(background, nothing))
			synctest.Wait()
		}
		assert.Equal(t, 2, p.Stats().Largest)
		assert.Zero(t, p.Stats().Capacity)
	})
}

// Queueing and stopping are one step under the lock: a task is accepted and run or
// returned, or it is refused. TestB5_3 races them.
func TestB1_6_NothingIsQueuedByAStoppedPoolOrWithoutAWorker(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 0, 1, executors.Bounded(5))
		require.NoError(t, p.Execute(background, nothing))
		assert.Equal(t, 1, p.Stats().Workers, "a queue without a worker")
		p.Shutdown()
		assert.ErrorIs(t, p.Execute(background, nothing), executors.ErrShutdown)
		assert.Zero(t, p.Stats().Queued)
	})
}

// The experiment of the article: 60 tasks of a second on a pool of 10 to 50 workers.
func TestB1_7_SixtyTasksOfASecond(t *testing.T) {
	sixty := func(t *testing.T, queue executors.Queue) *executors.ThreadPool {
		p := newPool(t, 10, 50, queue)
		for range 60 {
			require.NoError(t, p.Execute(background, func(context.Context) { time.Sleep(time.Second) }))
		}
		synctest.Wait()
		return p
	}
	t.Run("an unbounded queue: 10 at a time", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			start := time.Now()
			p := sixty(t, executors.Unbounded())
			for left := 50; left >= 0; left -= 10 {
				s := p.Stats()
				assert.Equal(t, []int{10, 10, left}, []int{s.Workers, s.Active, s.Queued})
				pass(time.Second)
			}
			assert.EqualValues(t, 60, p.Stats().Completed)
			assert.Equal(t, 6*time.Second, time.Since(start))
			assert.Equal(t, 10, p.Stats().Largest)
		})
	})
	t.Run("a queue of 10: 50 active, 10 queued, then 10", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			p := sixty(t, executors.Bounded(10))
			s := p.Stats()
			assert.Equal(t, []int{50, 50, 10}, []int{s.Workers, s.Active, s.Queued})
			err := p.Execute(background, nothing) // one more: the policy
			assert.ErrorIs(t, err, executors.ErrSaturated)
			pass(time.Second)
			s = p.Stats()
			assert.Equal(t, []int{50, 10, 0}, []int{s.Workers, s.Active, s.Queued})
			pass(time.Second)
			assert.EqualValues(t, 60, p.Stats().Completed)
			pass(time.Minute)
			assert.Equal(t, 10, p.Stats().Workers, "40 have left after the keep-alive time")
			assert.EqualValues(t, 1, p.Stats().Rejected)
		})
	})
}

func TestB1_8_ArgumentsThatCanNotBeUsed(t *testing.T) {
	q := executors.Unbounded()
	for _, c := range []struct {
		core, most int
		keep       time.Duration
		queue      executors.Queue
		opts       []executors.Option
		says       string
	}{
		{-1, 1, 0, q, nil, "core ≥ 0 required but it was -1"},
		{0, 0, 0, q, nil, "most > 0 required but it was 0"},
		{0, -3, 0, q, nil, "most > 0 required but it was -3"},
		{3, 2, 0, q, nil, "most ≥ core required but they were 2 and 3"},
		{1, 1, -time.Second, q, nil, "keepAlive ≥ 0 required but it was -1s"},
		{1, 1, 0, nil, nil, "the queue is nil"},
		{1, 1, 0, q, []executors.Option{nil}, "an option is nil"},
		{1, 1, 0, q, []executors.Option{executors.WithPolicy(nil)}, "WithPolicy: policy is nil"},
		{1, 1, 0, q, []executors.Option{executors.WithSpawn(nil)}, "WithSpawn: spawn is nil"},
		{1, 1, 0, q, []executors.Option{executors.WithClock(nil)}, "WithClock: clock is nil"},
		{1, 1, 0, q, []executors.Option{executors.WithErrorHandler(nil)}, "WithErrorHandler: handler is nil"},
		{1, 1, 0, q, []executors.Option{executors.WithDecorator(nil)}, "WithDecorator: decorate is nil"},
		{1, 1, 0, q, []executors.Option{executors.WithMeter(nil, "x")}, "WithMeter: meter is nil"},
	} {
		p, err := executors.NewThreadPool(c.core, c.most, c.keep, c.queue, c.opts...)
		assert.Nil(t, p)
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
		assert.ErrorContains(t, err, c.says)
	}
	assert.PanicsWithValue(t, "executors: Bounded: n > 0 required but it was 0", func() { executors.Bounded(0) })
	assert.PanicsWithValue(t, "executors: Priority: n > 0 required but it was -1", func() { executors.Priority(-1, nil) })
	assert.PanicsWithValue(t, "executors: Priority: rank is nil", func() { executors.Priority(1, nil) })
}

func TestB1_9_NilTaskIsAnErrorBeforeAnythingElse(t *testing.T) {
	assert.EqualError(t, executors.ErrNilTask, "executors: the task is nil: illegal argument")
	assert.ErrorIs(t, executors.ErrNilTask, reactor.ErrIllegalArgument)
	p := newPool(t, 1, 1, executors.Unbounded())
	p.Shutdown()
	assert.Equal(t, executors.ErrNilTask, p.Execute(background, nil))
	assert.Equal(t, executors.ErrNilTask, p.ExecuteWait(background, nil))
	_, err := p.Submit[int](background, nil)
	assert.Equal(t, executors.ErrNilTask, err)
	_, err = p.Track(background, nil, nil)
	assert.Equal(t, executors.ErrNilTask, err)
}

// A context that has ended is refused; one that ends later is the task's business,
// unless there is a future.
func TestContextOfTheSubmitter(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		cause := errors.New("the reason")
		gone, cancel := context.WithCancelCause(background)
		cancel(cause)
		assert.Equal(t, cause, p.Execute(gone, nothing))
		_, err := p.Submit(gone, value(1))
		assert.Equal(t, cause, err)

		g := newGate(t)
		require.NoError(t, p.Execute(background, g.task))
		type key struct{}
		ctx, cancel := context.WithCancelCause(context.WithValue(background, key{}, "value"))
		var seen []any
		require.NoError(t, p.Execute(ctx, func(ctx context.Context) {
			seen = append(seen, ctx.Value(key{}), ctx.Err(), context.Cause(ctx), executors.WorkerName(ctx))
		}))
		f := accept[*executors.Future[int]](t)(p.Submit(ctx, value(1)))
		cancel(cause)
		synctest.Wait()
		_, err = f.Get(background)
		assert.ErrorIs(t, err, cause, "at once, not when its turn comes")
		assert.Equal(t, 1, p.Stats().Queued)
		g.open()
		synctest.Wait()
		require.Len(t, seen, 4)
		assert.Equal(t, []any{"value", context.Canceled, cause}, seen[:3])
		assert.Contains(t, seen[3], "-1")
		balanced(t, p.Stats())
	})
}

// Contexts derived in a task end with the run, with the pool, or with the submitter.
func TestContextOfTheRun(t *testing.T) {
	type key struct{}
	for name, parent := range map[string]context.Context{
		"background": background,
		"values":     context.WithValue(background, key{}, 1),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := newPool(t, 2, 2, executors.Unbounded())
				var kept context.Context
				require.NoError(t, p.Execute(parent, func(ctx context.Context) {
					kept = ctx
					assert.NoError(t, ctx.Err())
					_, has := ctx.Deadline()
					assert.False(t, has)
				}))
				synctest.Wait()
				var causes journal[error]
				require.NoError(t, p.Execute(parent, func(ctx context.Context) {
					derived, cancel := context.WithCancel(ctx)
					defer cancel()
					<-derived.Done()
					causes.note(context.Cause(derived))
				}))
				synctest.Wait()
				p.ShutdownNow()
				synctest.Wait()
				assert.Equal(t, []error{executors.ErrShutdown}, causes.read())
				assert.Error(t, kept.Err())
				<-kept.Done()
			})
		})
	}
	t.Run("cancellable", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			p := newPool(t, 1, 1, executors.Unbounded())
			ctx, cancel := context.WithCancel(background)
			defer cancel()
			var causes journal[error]
			wait := func(ctx context.Context) { <-ctx.Done(); causes.note(context.Cause(ctx)) }
			require.NoError(t, p.Execute(ctx, wait))
			synctest.Wait()
			p.ShutdownNow()
			synctest.Wait()
			assert.Equal(t, []error{executors.ErrShutdown}, causes.read())
		})
	})
}

func TestPriorityRunsTheLowestRankFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		type rankKey struct{}
		rank := func(ctx context.Context) int { r, _ := ctx.Value(rankKey{}).(int); return r }
		p := newPool(t, 1, 1, executors.Priority(8, rank))
		g := newGate(t)
		require.NoError(t, p.Execute(background, g.task))
		var j journal[string]
		var third *executors.Future[int]
		for i, r := range []int{3, 1, 2, 1, 3, 0} {
			ctx := context.WithValue(background, rankKey{}, r)
			name := fmt.Sprint(r, "#", i)
			if i == 2 {
				third = accept[*executors.Future[int]](t)(p.Submit(ctx, value(0)))
				continue
			}
			require.NoError(t, p.Execute(ctx, j.noting(name)))
		}
		require.NoError(t, p.Execute(background, j.noting("0#6")))
		assert.True(t, third.Cancel(nil))
		g.open()
		synctest.Wait()
		assert.Equal(t, []string{"0#5", "0#6", "1#1", "1#3", "3#0", "3#4"}, j.read())
	})
}

func TestPoolAsText(t *testing.T) {
	p := newPool(t, 1, 2, executors.Unbounded(), executors.WithName("io"))
	assert.Equal(t, `pool "io"`, p.String())
	assert.Equal(t, `"io" [running, workers 0/2, active 0, queued 0/∞, completed 0]`, p.Stats().String())
}

// The context of a run ends with it, for those who keep it.
func TestContextEndsWithItsRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		for _, looks := range []bool{false, true} {
			var kept context.Context
			told := false
			require.NoError(t, p.Execute(ctx, func(ctx context.Context) {
				kept = ctx
				if looks {
					context.AfterFunc(ctx, func() { told = true })
				}
			}))
			synctest.Wait()
			assert.Equal(t, looks, told)
			assert.Equal(t, context.Canceled, kept.Err())
			<-kept.Done()
		}
		assert.NoError(t, ctx.Err())
	})
}

// Who looks at the context of a run after it was cancelled finds it ended.
func TestContextIsAskedForAfterTheCancellation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		hold := make(chan struct{})
		why := errors.New("why")
		var cause error
		f := accept[*executors.Future[int]](t)(p.Submit(background, func(ctx context.Context) (int, error) {
			<-hold
			<-ctx.Done()
			cause = context.Cause(ctx)
			return 0, nil
		}))
		synctest.Wait()
		assert.True(t, f.Cancel(why))
		close(hold)
		<-f.Finished()
		assert.ErrorIs(t, cause, why)
	})
}

func TestRemoveIsForTheTasksOfThePool(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, other := newPool(t, 1, 1, executors.Unbounded()), newPool(t, 1, 1, executors.Unbounded())
		hold := newGate(t)
		running := accept[*executors.Future[int]](t)(p.Submit(background, func(ctx context.Context) (int, error) { hold.task(ctx); return 1, nil }))
		waiting := accept[*executors.Future[int]](t)(p.Submit(background, value(2)))
		synctest.Wait()
		assert.False(t, p.Remove(&running.Handle), "it runs")
		assert.False(t, other.Remove(&waiting.Handle), "it is of another pool")
		assert.False(t, p.Remove(nil), "it is none")
		assert.Equal(t, 1, p.Stats().Queued)
		hold.open()
		assert.NoError(t, running.Wait(background))
		assert.NoError(t, waiting.Wait(background))
		assert.False(t, p.Remove(&waiting.Handle), "it is over")
	})
}

// The private key of package context is a pointer to an int, as a key of the user may be.
func TestContextOfTheSubmitterHasValuesUnderPointers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		key, other := new(int), new(int)
		withValue := context.WithValue(background, key, "value")
		ending, cancel := context.WithCancel(withValue)
		defer cancel()
		for _, ctx := range []context.Context{withValue, ending} {
			f := accept[*executors.Future[[2]any]](t)(p.Submit(ctx, func(ctx context.Context) ([2]any, error) {
				return [2]any{ctx.Value(key), ctx.Value(other)}, nil
			}))
			got, err := f.Get(background)
			require.NoError(t, err)
			assert.Equal(t, [2]any{"value", nil}, got)
		}
	})
}

// A zero pool has no queue and no policy: it says so, and nobody waits for it.
func TestAZeroPoolRefuses(t *testing.T) {
	var p executors.ThreadPool
	var timed executors.ScheduledPool
	task := func(context.Context) {}
	fn := func(context.Context) (int, error) { return 1, nil }
	_, submit := p.Submit(background, fn)
	_, wait := p.SubmitWait(background, fn)
	_, track := p.Track(background, task, nil)
	_, anyOf := p.InvokeAny(background, []func(context.Context) (int, error){fn})
	_, allOf := p.InvokeAll(background, []func(context.Context) (int, error){fn})
	_, after := timed.After(0, noError)
	_, later := timed.SubmitAfter(background, 0, fn)
	_, trackLater := timed.TrackAfter(background, 0, task, nil)
	for what, err := range map[string]error{
		"Execute": p.Execute(background, task), "ExecuteWait": p.ExecuteWait(background, task), "Submit": submit,
		"SubmitWait": wait, "Track": track, "InvokeAny": anyOf, "InvokeAll": allOf, "Close": p.Close(background),
		"scheduled Execute": timed.Execute(background, task), "After": after, "SubmitAfter": later, "TrackAfter": trackLater,
		"scheduled Close": timed.Close(background), "SetCore": p.SetCore(1), "SetMax": p.SetMax(1), "Resize": p.Resize(1, 1),
		"SetKeepAlive": p.SetKeepAlive(1), "AllowCoreTimeout": p.AllowCoreTimeout(false), "scheduled SetCore": timed.SetCore(1),
	} {
		assert.ErrorIs(t, err, reactor.ErrIllegalState, what)
		assert.ErrorContains(t, err, "executors: the pool was not made by NewThreadPool or NewScheduledPool", what)
	}
	assert.Empty(t, p.ShutdownNow())
	assert.Equal(t, "not made", p.Stats().State)
	for what, has := range map[string]bool{
		"IsShutdown": p.IsShutdown(), "IsTerminated": p.IsTerminated(), "PrestartOne": p.PrestartOne(), "Remove": p.Remove(nil),
		"scheduled IsShutdown": timed.IsShutdown(), "scheduled IsTerminated": timed.IsTerminated(), "scheduled Remove": timed.Remove(nil),
	} {
		assert.False(t, has, what)
	}
	assert.Zero(t, timed.PrestartAll())
	timed.SetDropDelayed(true)
	timed.SetKeepPeriodic(true)
	timed.Shutdown()
	assert.Empty(t, timed.ShutdownNow())
	assert.WithinDuration(t, time.Now(), timed.Now(), time.Minute)
	assert.Equal(t, `pool ""`, p.String())
	assert.Equal(t, `scheduled pool ""`, timed.String())
}

func TestAZeroHandleHasEnded(t *testing.T) {
	var h executors.Handle
	var f executors.Future[int]
	_, err := f.Get(background)
	for what, err := range map[string]error{"Wait": h.Wait(background), "Err": h.Err(), "Get": err} {
		assert.ErrorIs(t, err, reactor.ErrIllegalState, what)
		assert.ErrorContains(t, err, "executors: the handle is of no task", what)
	}
	assert.False(t, h.Cancel(nil))
	assert.False(t, h.IsCancelled())
	assert.True(t, h.IsDone())
	<-h.Done()
	<-h.Finished()
}

func TestAZeroTaskSchedulerRefuses(t *testing.T) {
	var s executors.TaskScheduler
	_, at := s.At(time.Now(), noError)
	_, on := s.On(executors.NewPeriodic(0, 1), noError)
	_, rate := s.AtFixedRate(1, noError)
	_, delay := s.WithFixedDelay(1, noError)
	for what, err := range map[string]error{
		"At": at, "On": on, "AtFixedRate": rate, "WithFixedDelay": delay, "AwaitTermination": s.AwaitTermination(background),
	} {
		assert.ErrorIs(t, err, reactor.ErrIllegalState, what)
		assert.ErrorContains(t, err, "executors: the scheduler was not made by NewTaskScheduler", what)
	}
	assert.NoError(t, s.Shutdown())
	s.ShutdownNow()
	assert.False(t, s.IsShutdown())
	assert.Equal(t, "not made", s.Stats().State)
	assert.WithinDuration(t, time.Now(), s.Now(), time.Minute)
}
