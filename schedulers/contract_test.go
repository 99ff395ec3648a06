package schedulers

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestA4_1_TasksRunOffTheCaller(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		var j journal[string]
		require.NoError(t, l.Execute(j.noting("execute")))
		synctest.Wait()
		accept(t)(l.Schedule(j.noting("schedule")))
		synctest.Wait()
		assert.Equal(t, []string{"execute", "schedule"}, j.read())
	})
}

func TestA4_2_NoDelayMeansNow(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		start := time.Now()
		var j journal[time.Duration]
		for _, d := range []time.Duration{0, -1, -time.Hour} {
			accept(t)(l.ScheduleAfter(func(context.Context) { j.note(time.Since(start)) }, d))
		}
		synctest.Wait()
		assert.Equal(t, []time.Duration{0, 0, 0}, j.read())
		assert.Zero(t, s.Stats().Delayed)
	})
}

func TestA4_2_DelayedTaskRunsAtItsTime(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		start := time.Now()
		at := make(chan time.Duration, 2)
		accept(t)(l.ScheduleAfter(func(context.Context) { at <- time.Since(start) }, 3*time.Second))
		accept(t)(l.ScheduleAfter(func(context.Context) { at <- time.Since(start) }, 2*time.Second))
		assert.Equal(t, 2*time.Second, <-at)
		assert.Equal(t, 3*time.Second, <-at)
	})
}

// A long delay that is followed by a short one must not hold the short one up.
func TestA4_2_EarlierTaskMovesTheTimer(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		start := time.Now()
		at := make(chan time.Duration, 1)
		far := accept(t)(l.ScheduleAfter(nothing, 290*365*24*time.Hour))
		farther := accept(t)(l.ScheduleAfter(nothing, 1<<63-1))
		pass(time.Second)
		accept(t)(l.ScheduleAfter(func(context.Context) { at <- time.Since(start) }, time.Millisecond))
		assert.Equal(t, time.Second+time.Millisecond, <-at)
		far.Dispose()
		farther.Dispose()
	})
}

func TestA4_4_NowIsTheClock(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		assert.Equal(t, time.Now(), s.Now())
		pass(time.Minute)
		assert.Equal(t, time.Now(), s.Now())
	})
	clock := newManualClock()
	s := NewSingle("t", WithClock(clock))
	defer s.Dispose()
	assert.Equal(t, clock.Now(), s.Now())
}

func TestA4_5_PeriodicIsFixedRate(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		start := time.Now()
		var j journal[time.Duration]
		d := accept(t)(l.SchedulePeriodically(func(context.Context) {
			j.note(time.Since(start) / time.Millisecond)
			time.Sleep(7 * time.Millisecond) // does not shift the next run
		}, 5*time.Millisecond, 10*time.Millisecond))
		pass(40 * time.Millisecond)
		d.Dispose()
		pass(time.Second)
		assert.Equal(t, []time.Duration{5, 15, 25, 35}, j.read())
		assert.True(t, d.IsDisposed())
	})
}

// The figures of a run on the JVM: period 50, first run 260.
func TestA4_5_LateRunsCatchUpBackToBack(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		start := time.Now()
		var j journal[time.Duration]
		d := accept(t)(l.SchedulePeriodically(func(context.Context) {
			at := time.Since(start)
			j.note(at / time.Millisecond)
			if at == 0 {
				time.Sleep(260 * time.Millisecond)
			}
		}, 0, 50*time.Millisecond))
		pass(360 * time.Millisecond)
		d.Dispose()
		assert.Equal(t, []time.Duration{0, 260, 260, 260, 260, 260, 300, 350}, j.read())
	})
}

func TestA4_5_PeriodZeroRunsAgainBehindTheOthers(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		if _, direct := l.(Scheduler); direct && s.Stats().Capacity > 1 {
			t.Skip("direct tasks of several slots have no order")
		}
		for _, period := range []time.Duration{0, -time.Second} {
			var j journal[string]
			release := blocked(t, l)
			var d atomic.Pointer[Disposable]
			series := accept(t)(l.SchedulePeriodically(func(context.Context) {
				j.note("series")
				if len(j.read()) >= 5 {
					(*d.Load()).Dispose()
				}
			}, 0, period))
			d.Store(&series)
			require.NoError(t, l.Execute(j.noting("a")))
			require.NoError(t, l.Execute(j.noting("b")))
			release()
			synctest.Wait()
			assert.Equal(t, []string{"series", "a", "b", "series", "series"}, j.read())
			assert.True(t, series.IsDisposed())
		}
	})
}

func TestA4_6_FailedRunIsReportedAndTheSeriesGoesOn(t *testing.T) {
	for _, period := range []time.Duration{time.Second, 0} {
		forLanes(t, func(t *testing.T, s Scheduler, l lane) {
			errs := catchErrors(t)
			boom := errors.New("boom")
			runs := 0
			done := make(chan struct{})
			d := accept(t)(l.SchedulePeriodically(func(context.Context) {
				runs++
				switch {
				case runs < 4:
					panic(boom)
				case runs == 4:
					close(done)
				}
				if period <= 0 {
					time.Sleep(time.Second)
				}
			}, 0, period))
			<-done
			assert.False(t, d.IsDisposed())
			d.Dispose()
			pass(time.Minute)
			require.Len(t, errs.read(), 3)
			for _, err := range errs.read() {
				assert.ErrorIs(t, err, boom)
			}
		})
	}
}

func TestA4_6_StopOnErrorEndsTheSeries(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		errs := catchErrors(t)
		runs := 0
		d := accept(t)(l.SchedulePeriodically(func(context.Context) {
			if runs++; runs == 2 {
				panic("boom")
			}
		}, 0, time.Second, StopOnError()))
		pass(time.Minute)
		assert.Equal(t, 2, runs)
		assert.Len(t, errs.read(), 1)
		assert.True(t, d.IsDisposed())
		assert.Zero(t, s.Stats().Queued)
	})
}

// A series with period 0 keeps its place when the queue is full, and ends quietly
// with the scheduler.
func TestA4_6_SeriesKeepsItsPlaceInAFullQueue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		errs := catchErrors(t)
		s := must(NewBoundedElastic(1, 1, "t"))
		w := s.NewWorker()
		runs := 0
		_, err := w.SchedulePeriodically(func(context.Context) {
			runs++
			time.Sleep(time.Second)
		}, 0, 0)
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, w.Execute(nothing), "one place is free while the series runs")
		pass(10*time.Second + 1)
		assert.Equal(t, 11, runs)
		require.NoError(t, s.DisposeGracefully(t.Context()))
		assert.Empty(t, errs.read())
		assert.Equal(t, 11, runs)
	})
}

func TestA4_7_FailureDoesNotKillTheSlot(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		errs := catchErrors(t)
		d := accept(t)(l.Schedule(func(context.Context) { panic("one") }))
		synctest.Wait()
		assert.True(t, d.IsDisposed())
		require.NoError(t, l.Execute(func(context.Context) { panic("two") }))
		synctest.Wait()
		accept(t)(l.ScheduleAfter(func(context.Context) { panic("three") }, time.Second))
		ran := make(chan struct{})
		accept(t)(l.ScheduleAfter(func(context.Context) { close(ran) }, time.Second))
		<-ran
		synctest.Wait()
		var values []any
		for _, err := range errs.read() {
			var p *reactor.PanicError
			require.ErrorAs(t, err, &p)
			assert.NotEmpty(t, p.Stack)
			values = append(values, p.Value)
		}
		assert.Equal(t, []any{"one", "two", "three"}, values)
		assert.EqualValues(t, 4, s.Stats().Completed)
		assert.Zero(t, s.Stats().Running)
	})
}

func TestA4_8_DisposeBeforeTheStart(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		var releases []func()
		for range s.Stats().Capacity {
			if _, direct := l.(Scheduler); direct {
				releases = append(releases, blocked(t, l))
			}
		}
		if releases == nil {
			releases = append(releases, blocked(t, l))
		}
		var j journal[int]
		before := s.Stats().Queued
		handles := []Disposable{
			accept(t)(l.Schedule(j.noting(1))),
			accept(t)(l.ScheduleAfter(j.noting(2), time.Second)),
			accept(t)(l.SchedulePeriodically(j.noting(3), 0, time.Second)),
			accept(t)(l.SchedulePeriodically(j.noting(4), time.Second, time.Second)),
			accept(t)(l.SchedulePeriodically(j.noting(5), 0, 0)),
		}
		assert.Equal(t, before+len(handles), s.Stats().Queued)
		for i, d := range handles {
			assert.False(t, d.IsDisposed())
			d.Dispose()
			d.Dispose()
			assert.True(t, d.IsDisposed())
			assert.Equal(t, before+len(handles)-i-1, s.Stats().Queued, "the place is free at once")
		}
		for _, release := range releases {
			release()
		}
		pass(time.Minute)
		assert.Empty(t, j.read())
		assert.EqualValues(t, len(handles), s.Stats().Dropped)
	})
}

func TestA4_8_DisposeDuringTheRunCancelsItsContext(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		submits := map[string]func(Task) (Disposable, error){
			"once":     l.Schedule,
			"later":    func(task Task) (Disposable, error) { return l.ScheduleAfter(task, time.Second) },
			"periodic": func(task Task) (Disposable, error) { return l.SchedulePeriodically(task, 0, time.Second) },
		}
		for name, submit := range submits {
			running, cause := make(chan struct{}), make(chan error, 1)
			runs := 0
			d := accept(t)(submit(func(ctx context.Context) {
				runs++
				close(running)
				<-ctx.Done()
				assert.ErrorIs(t, ctx.Err(), context.Canceled)
				cause <- context.Cause(ctx)
			}))
			<-running
			assert.False(t, d.IsDisposed(), name)
			d.Dispose()
			assert.True(t, d.IsDisposed(), name)
			assert.ErrorIs(t, <-cause, ErrTaskDisposed, name)
			pass(time.Minute)
			assert.Equal(t, 1, runs, name)
		}
	})
}

// The context is as good as any: derived ones follow, Err is right without Done.
func TestA4_8_TaskContextIsAContext(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		running, next := make(chan struct{}), make(chan struct{})
		done := make(chan struct{})
		d := accept(t)(l.Schedule(func(ctx context.Context) {
			defer close(done)
			_, has := ctx.Deadline()
			assert.False(t, has)
			assert.NoError(t, ctx.Err())
			assert.Nil(t, ctx.Value("unknown"))
			close(running)
			<-next
			assert.ErrorIs(t, ctx.Err(), context.Canceled)
			assert.ErrorIs(t, context.Cause(ctx), ErrTaskDisposed)
			child, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			assert.ErrorIs(t, context.Cause(child), ErrTaskDisposed)
			called := make(chan struct{})
			context.AfterFunc(ctx, func() { close(called) })
			<-called
		}))
		<-running
		d.Dispose()
		close(next)
		<-done
	})
}

// What hangs on the context of a task with a handle is let go when it ends.
func TestA4_8_ContextEndsWithTheTask(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		var child context.Context
		var cancel context.CancelFunc
		accept(t)(l.Schedule(func(ctx context.Context) {
			child, cancel = context.WithCancel(ctx)
		}))
		synctest.Wait()
		assert.ErrorIs(t, context.Cause(child), context.Canceled)
		cancel()
	})
}

// A context that nobody has asked for anything knows of the disposal of what is above it.
func TestA4_8_ContextLooksUp(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		for _, dispose := range []func(w Worker){func(w Worker) { w.Dispose() }, func(Worker) { s.Dispose() }} {
			w, gate, errs := s.NewWorker(), make(chan struct{}), make(chan error, 1)
			accept(t)(w.Schedule(func(ctx context.Context) {
				<-gate
				errs <- ctx.Err()
			}))
			synctest.Wait()
			dispose(w)
			close(gate)
			assert.Equal(t, context.Canceled, <-errs)
		}
	})
}

// A task that disposes its scheduler is not cancelled, but whoever has kept its context hears of it afterwards.
func TestA4_9_ContextAfterASelfDispose(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		var kept context.Context
		require.NoError(t, s.Execute(func(ctx context.Context) {
			kept = ctx
			s.Dispose()
		}))
		synctest.Wait()
		<-kept.Done()
		assert.Equal(t, ErrTaskDisposed, context.Cause(kept))
	})
}

// The context of a series ends with it, also if it is disposed between two runs.
func TestA4_8_ContextOfASeriesBetweenRuns(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		var done <-chan struct{}
		d := accept(t)(l.SchedulePeriodically(func(ctx context.Context) { done = ctx.Done() }, 0, time.Hour))
		synctest.Wait()
		d.Dispose()
		<-done
	})
}

func TestA4_9_SelfDisposeDoesNotCancel(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		var d Disposable
		ready, done := make(chan struct{}), make(chan struct{})
		d = accept(t)(l.Schedule(func(ctx context.Context) {
			defer close(done)
			<-ready
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			d.Dispose()
			assert.True(t, d.IsDisposed())
			assert.NoError(t, ctx.Err())
			assert.NoError(t, child.Err())
			d.Dispose()
			assert.NoError(t, ctx.Err())
		}))
		close(ready)
		<-done

		w := s.NewWorker()
		done = make(chan struct{})
		require.NoError(t, w.Execute(func(ctx context.Context) {
			defer close(done)
			w.Dispose()
			assert.True(t, w.IsDisposed())
			assert.NoError(t, ctx.Err())
			select {
			case <-ctx.Done():
				t.Error("the context is done")
			default:
			}
		}))
		<-done

		done = make(chan struct{})
		require.NoError(t, s.Execute(func(ctx context.Context) {
			defer close(done)
			s.Dispose()
			assert.True(t, s.IsDisposed())
			assert.NoError(t, ctx.Err())
		}))
		<-done
	})
}

// Disposing another task of the same lane from within a task is no self-dispose,
// but there is nothing to cancel either: it does not run.
func TestA4_9_DisposeOfTheNextTaskFromWithin(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		if _, direct := l.(Scheduler); direct && s.Stats().Capacity > 1 {
			t.Skip("direct tasks of several slots have no order")
		}
		var next Disposable
		ready := make(chan struct{})
		var j journal[int]
		require.NoError(t, l.Execute(func(context.Context) {
			<-ready
			next.Dispose()
			j.note(1)
		}))
		next = accept(t)(l.Schedule(j.noting(2)))
		accept(t)(l.Schedule(j.noting(3)))
		close(ready)
		synctest.Wait()
		assert.Equal(t, []int{1, 3}, j.read())
	})
}

// A series that disposes itself ends, without cancelling its run.
func TestA4_9_SelfDisposeOfASeries(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		var d Disposable
		ready := make(chan struct{})
		runs := 0
		d = accept(t)(l.SchedulePeriodically(func(ctx context.Context) {
			<-ready
			if runs++; runs == 3 {
				d.Dispose()
				assert.NoError(t, ctx.Err())
			}
		}, time.Second, time.Second))
		close(ready)
		pass(time.Minute)
		assert.Equal(t, 3, runs)
	})
}

func TestNilTaskPanics(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		assert.PanicsWithValue(t, "schedulers: Execute: task is nil", func() { _ = l.Execute(nil) })
		assert.PanicsWithValue(t, "schedulers: Schedule: task is nil", func() { _, _ = l.Schedule(nil) })
		assert.PanicsWithValue(t, "schedulers: ScheduleAfter: task is nil", func() { _, _ = l.ScheduleAfter(nil, 1) })
		assert.PanicsWithValue(t, "schedulers: SchedulePeriodically: task is nil", func() { _, _ = l.SchedulePeriodically(nil, 1, 1) })
	})
}

// Recursive scheduling and ping-pong between two schedulers.
func TestRecursionAndPingPong(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		other := NewSingle("other")
		defer other.Dispose()
		done := make(chan struct{})
		var step func(n int) Task
		step = func(n int) Task {
			return func(context.Context) {
				if n == 0 {
					close(done)
					return
				}
				next := Scheduler(s)
				if n%2 == 0 {
					next = other
				}
				assert.NoError(t, next.Execute(step(n-1)))
			}
		}
		require.NoError(t, s.Execute(step(10_000)))
		<-done
	})
}

// An idle scheduler has no goroutine, whatever it has run.
func TestIdleSchedulerHasNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, k := range kinds {
		s := k.make()
		var wg sync.WaitGroup
		for range 100 {
			wg.Add(1)
			require.NoError(t, s.Execute(func(context.Context) { wg.Done() }))
		}
		wg.Wait()
		require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, 5*time.Second, time.Millisecond,
			"%s: not counting the goroutine of Eventually", k.name)
		s.Dispose()
	}
}
