package reactortest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

const ms = time.Millisecond

// trace collects what tasks say, with the time at which they said it.
type trace struct {
	v     *VirtualTime
	lines []string
}

func (tr *trace) say(what string) schedulers.Task {
	return func(context.Context) {
		tr.lines = append(tr.lines, fmt.Sprintf("%d %s", tr.v.Now().UnixMilli(), what))
	}
}

func newTrace() (*VirtualTime, *trace) {
	v := NewVirtualTime()
	return v, &trace{v: v}
}

func TestVirtualTimeOrder(t *testing.T) {
	v, tr := newTrace()
	after := func(d time.Duration, task schedulers.Task) {
		_, err := v.ScheduleAfter(task, d)
		require.NoError(t, err)
	}
	after(20*ms, tr.say("b"))
	after(10*ms, tr.say("a"))
	after(20*ms, tr.say("c"))
	after(20*ms, func(ctx context.Context) {
		after(0, tr.say("due now, last"))
		after(-5*ms, tr.say("negative is now"))
		require.NoError(t, v.Execute(tr.say("immediate 1")))
		require.NoError(t, v.NewWorker().Execute(tr.say("immediate 2")))
		tr.say("d")(ctx)
	})
	after(20*ms, tr.say("e"))
	v.AdvanceBy(15 * ms)
	assert.Equal(t, []string{"10 a"}, tr.lines)
	v.AdvanceTo(time.UnixMilli(30))
	assert.Equal(t, []string{"10 a", "20 b", "20 c", "20 d", "20 immediate 1", "20 immediate 2", "20 e", "20 due now, last", "20 negative is now"}, tr.lines)
	assert.EqualValues(t, 30, v.Now().UnixMilli())
	v.AdvanceTo(time.UnixMilli(3))
	assert.EqualValues(t, 30, v.Now().UnixMilli(), "the clock does not go back")
	assert.PanicsWithValue(t, "reactortest: AdvanceBy: the clock can't go back by 1ms", func() { v.AdvanceBy(-ms) })
}

func TestVirtualTimeRunsImmediateTasksInTheCall(t *testing.T) {
	v, tr := newTrace()
	require.NoError(t, v.Execute(tr.say("x")))
	h, err := v.Schedule(tr.say("y"))
	require.NoError(t, err)
	assert.Equal(t, []string{"0 x", "0 y"}, tr.lines)
	assert.True(t, h.IsDisposed(), "a handle whose task has run is disposed")
}

func TestVirtualTimeMovesWithoutTasks(t *testing.T) {
	v := NewVirtualTime()
	v.AdvanceBy(time.Hour)
	assert.Equal(t, time.Hour, v.Now().Sub(time.UnixMilli(0)))
	assert.EqualValues(t, 0, v.Scheduled())
}

func TestVirtualTimeFarAway(t *testing.T) {
	v, tr := newTrace()
	v.AdvanceBy(ms)
	_, err := v.ScheduleAfter(tr.say("never"), 1<<63-1)
	require.NoError(t, err)
	v.AdvanceBy(1<<63 - 1)
	assert.Len(t, tr.lines, 1, "times saturate")
}

func TestVirtualTimePeriodic(t *testing.T) {
	v, tr := newTrace()
	h, err := v.SchedulePeriodically(tr.say("p"), 10*ms, 20*ms)
	require.NoError(t, err)
	_, err = v.SchedulePeriodically(tr.say("q"), 0, 30*ms)
	require.NoError(t, err)
	v.AdvanceBy(60 * ms)
	assert.Equal(t, []string{"0 q", "10 p", "30 q", "30 p", "50 p", "60 q"}, tr.lines,
		"at 30 the second run of q was queued at 0, that of p at 10")
	assert.False(t, h.IsDisposed())
	assert.EqualValues(t, 8, v.Scheduled(), "every run counts, so does the one that waits")
	assert.Equal(t, 2, v.Pending())
	h.Dispose()
	assert.True(t, h.IsDisposed())
	v.AdvanceBy(60 * ms)
	assert.Equal(t, []string{"90 q", "120 q"}, tr.lines[6:])
}

// A series ends with the last time that the clock can show.
func TestVirtualTimePeriodicFarAway(t *testing.T) {
	const century = 100 * 365 * 24 * time.Hour
	for name, on := range map[string]func(*VirtualTime) schedulers.Scheduler{
		"itself": func(v *VirtualTime) schedulers.Scheduler { return v },
		"behind a chaos": func(v *VirtualTime) schedulers.Scheduler {
			return NewChaosScheduler(t, ChaosOver(v), ChaosDelays(0, 0))
		},
	} {
		v := NewVirtualTime()
		var h schedulers.Disposable
		var at []time.Duration
		h, err := on(v).SchedulePeriodically(func(context.Context) {
			if at = append(at, v.Now().Sub(epoch)); len(at) == 10 {
				h.Dispose() // or this would go on for ever
			}
		}, time.Hour, century)
		require.NoError(t, err)
		v.AdvanceTo(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
		assert.Equal(t, []time.Duration{time.Hour, time.Hour + century, time.Hour + 2*century}, at, name)
		assert.True(t, h.IsDisposed(), name)
		assert.Zero(t, v.Pending(), name)
	}
}

func TestVirtualTimePeriodicWithoutPeriod(t *testing.T) {
	v, tr := newTrace()
	var h schedulers.Disposable
	runs := 0
	_, err := v.ScheduleAfter(func(context.Context) {
		h, _ = v.SchedulePeriodically(func(ctx context.Context) {
			if runs++; runs == 3 {
				h.Dispose()
				return
			}
			tr.say("again")(ctx)
		}, 0, 0)
		_, _ = v.ScheduleAfter(tr.say("other"), 0)
	}, 5*ms)
	require.NoError(t, err)
	v.AdvanceBy(5 * ms)
	assert.Equal(t, []string{"5 again", "5 other", "5 again"}, tr.lines)
	assert.Zero(t, v.Pending())
}

func TestVirtualTimeStopOnError(t *testing.T) {
	var errs []error
	v := NewVirtualTime(HandleErrors(func(_ context.Context, err error) { errs = append(errs, err) }))
	boom := errors.New("boom")
	fail := func(context.Context) { panic(boom) }
	on, err := v.SchedulePeriodically(fail, 0, 10*ms)
	require.NoError(t, err)
	off, err := v.SchedulePeriodically(fail, 0, 10*ms, schedulers.StopOnError())
	require.NoError(t, err)
	v.AdvanceBy(20 * ms)
	assert.Len(t, errs, 4)
	assert.ErrorIs(t, errs[0], boom)
	var p *reactor.PanicError
	require.ErrorAs(t, errs[0], &p)
	assert.NotEmpty(t, p.Stack)
	assert.False(t, on.IsDisposed())
	assert.True(t, off.IsDisposed())
	on.Dispose()
}

func TestVirtualTimeErrorsGoToTheHandlersOfTheProcess(t *testing.T) {
	var got error
	remove := schedulers.OnHandleError("virtual", func(_ context.Context, err error) { got = err })
	defer remove()
	v, tr := newTrace()
	require.NoError(t, v.Execute(func(context.Context) { panic("boom") }))
	assert.ErrorContains(t, got, "boom")
	require.NoError(t, v.Execute(tr.say("goes on")))
	assert.Len(t, tr.lines, 1)
}

func TestVirtualTimeTaskThatEndsItsGoroutine(t *testing.T) {
	v, tr := newTrace()
	_, err := v.ScheduleAfter(func(context.Context) { runtime.Goexit() }, 5*ms)
	require.NoError(t, err)
	_, err = v.ScheduleAfter(tr.say("rest"), 7*ms)
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		v.AdvanceBy(10 * ms)
		t.Error("not reached")
	}()
	<-done
	assert.Empty(t, tr.lines)
	v.AdvanceBy(0)
	assert.Equal(t, []string{"7 rest"}, tr.lines, "the rest of the step is made up for")
	assert.EqualValues(t, 10, v.Now().UnixMilli())
}

// The handler of errors fails the test, which ends the goroutine, or panics: the clock goes on for whoever moves it next.
func TestVirtualTimeHandlerThatDoesNotReturn(t *testing.T) {
	for name, fail := range map[string]func(){"goexit": runtime.Goexit, "panic": func() { panic(errBoom) }} {
		v := NewVirtualTime(HandleErrors(func(context.Context, error) { fail() }))
		runs := 0
		_, err := v.ScheduleAfter(func(context.Context) { panic("the task") }, ms)
		require.NoError(t, err)
		_, err = v.ScheduleAfter(func(context.Context) { runs++ }, 2*ms)
		require.NoError(t, err)
		done := make(chan any)
		go func() {
			defer func() { done <- recover() }()
			v.AdvanceBy(2 * ms)
		}()
		<-done
		v.AdvanceBy(0)
		assert.Equal(t, 1, runs, name)
		assert.EqualValues(t, 2, v.Now().UnixMilli(), name)
	}
}

func TestVirtualTimeDisposedTaskNeverRuns(t *testing.T) {
	v, tr := newTrace()
	a, _ := v.ScheduleAfter(tr.say("a"), 10*ms)
	_, _ = v.ScheduleAfter(tr.say("b"), 10*ms)
	a.Dispose()
	a.Dispose()
	assert.True(t, a.IsDisposed())
	_, _ = v.ScheduleAfter(func(context.Context) {
		c, _ := v.ScheduleAfter(tr.say("c"), 0)
		c.Dispose()
	}, 10*ms)
	v.AdvanceBy(time.Second)
	assert.Equal(t, []string{"10 b"}, tr.lines)
	assert.EqualValues(t, 2, v.Stats().Dropped)
}

func TestVirtualTimeWorkers(t *testing.T) {
	v, tr := newTrace()
	w, other := v.NewWorker(), v.NewWorker()
	_, _ = w.ScheduleAfter(tr.say("w1"), 10*ms)
	_, _ = w.ScheduleAfter(tr.say("w2"), 10*ms)
	_, _ = other.ScheduleAfter(tr.say("other"), 10*ms)
	_, _ = w.SchedulePeriodically(func(context.Context) { w.Dispose() }, 10*ms, ms)
	gone, _ := w.ScheduleAfter(tr.say("gone"), 20*ms)
	v.AdvanceBy(time.Second)
	assert.Equal(t, []string{"10 w1", "10 w2", "10 other"}, tr.lines)
	assert.True(t, w.IsDisposed())
	assert.True(t, gone.IsDisposed())
	assert.False(t, other.IsDisposed())
	for _, refused := range []error{
		w.Execute(tr.say("x")),
		errorOf(w.Schedule(tr.say("x"))),
		errorOf(w.ScheduleAfter(tr.say("x"), 0)),
		errorOf(w.SchedulePeriodically(tr.say("x"), 0, 0)),
	} {
		var r *schedulers.RejectedError
		require.ErrorAs(t, refused, &r)
		assert.Equal(t, schedulers.WorkerDisposed, r.Reason)
		assert.ErrorIs(t, refused, reactor.ErrRejected)
	}
	assert.EqualValues(t, 4, v.Stats().Rejected)
	assert.PanicsWithValue(t, "reactortest: Execute: task is nil", func() { _ = v.Execute(nil) })
}

func errorOf(_ schedulers.Disposable, err error) error { return err }

func TestVirtualTimeDispose(t *testing.T) {
	v, tr := newTrace()
	_, _ = v.ScheduleAfter(tr.say("x"), ms)
	w := v.NewWorker()
	_, _ = w.ScheduleAfter(tr.say("y"), ms)
	v.Dispose()
	v.Dispose()
	assert.True(t, v.IsDisposed())
	assert.False(t, w.IsDisposed(), "that of the scheduler is none of the worker's")
	v.AdvanceBy(time.Second)
	assert.Empty(t, tr.lines)
	assert.EqualValues(t, 1000, v.Now().UnixMilli())
	for _, err := range []error{v.Execute(tr.say("x")), w.Execute(tr.say("x")), v.NewWorker().Execute(tr.say("x"))} {
		assert.ErrorIs(t, err, schedulers.ErrUnavailable)
	}
}

func TestVirtualTimeContextOfATask(t *testing.T) {
	v := NewVirtualTime()
	var h schedulers.Disposable
	started, stop := make(chan struct{}), make(chan error)
	h, _ = v.ScheduleAfter(func(ctx context.Context) {
		close(started)
		<-ctx.Done()
		stop <- context.Cause(ctx)
	}, ms)
	go v.AdvanceBy(ms)
	<-started
	assert.Equal(t, 1, v.Stats().Running)
	h.Dispose()
	assert.ErrorIs(t, <-stop, schedulers.ErrTaskDisposed)

	self := NewVirtualTime()
	h, _ = self.ScheduleAfter(func(ctx context.Context) {
		h.Dispose()
		assert.NoError(t, ctx.Err(), "a task that disposes itself goes on")
		self.Dispose()
		assert.NoError(t, ctx.Err())
	}, ms)
	self.AdvanceBy(ms)
}

func TestVirtualTimeDisposeCancelsWhatRuns(t *testing.T) {
	v := NewVirtualTime()
	started, cause := make(chan struct{}), make(chan error)
	go func() {
		_ = v.Execute(func(ctx context.Context) {
			close(started)
			<-ctx.Done()
			cause <- context.Cause(ctx)
		})
	}()
	<-started
	v.Dispose()
	assert.ErrorIs(t, <-cause, schedulers.ErrTaskDisposed)
}

func TestVirtualTimeDisposeGracefully(t *testing.T) {
	v, tr := newTrace()
	_, _ = v.ScheduleAfter(tr.say("x"), 5*ms)
	p, _ := v.SchedulePeriodically(tr.say("p"), ms, ms)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("not waiting"))
	assert.EqualError(t, v.DisposeGracefully(ctx), "not waiting")
	assert.True(t, v.IsDisposed())
	assert.True(t, p.IsDisposed())
	assert.ErrorIs(t, v.Execute(tr.say("late")), reactor.ErrRejected)
	done := make(chan error)
	go func() { done <- v.DisposeGracefully(t.Context()) }()
	v.AdvanceBy(5 * ms)
	require.NoError(t, <-done)
	assert.Equal(t, []string{"5 x"}, tr.lines)
	require.NoError(t, v.DisposeGracefully(ctx), "nothing is left")

	v, tr = newTrace()
	_, _ = v.ScheduleAfter(tr.say("x"), 5*ms)
	require.NoError(t, v.DisposeGracefully(t.Context(), schedulers.DropDelayed()))
}

func TestDisposalWithoutAContextIsRefused(t *testing.T) {
	v := NewVirtualTime()
	for _, s := range []schedulers.Scheduler{v, v.NewWorker().(*lane), NewChaosScheduler(t, ChaosOver(v))} {
		h, err := s.ScheduleAfter(func(context.Context) {}, ms)
		require.NoError(t, err)
		var none context.Context
		assert.ErrorIs(t, s.DisposeGracefully(none), reactor.ErrIllegalArgument)
		assert.False(t, s.IsDisposed())
		assert.False(t, h.IsDisposed())
	}
}

func TestVirtualTimeAdvanceInATask(t *testing.T) {
	v, tr := newTrace()
	_, _ = v.ScheduleAfter(func(ctx context.Context) {
		v.AdvanceBy(10 * ms)
		tr.say("still")(ctx)
	}, 5*ms)
	_, _ = v.ScheduleAfter(tr.say("then"), 12*ms)
	v.AdvanceBy(5 * ms)
	assert.Equal(t, []string{"5 still", "12 then"}, tr.lines)
	assert.EqualValues(t, 15, v.Now().UnixMilli())
}

func TestVirtualTimeDeferAdvance(t *testing.T) {
	v := NewVirtualTime(DeferAdvance())
	tr := &trace{v: v}
	v.AdvanceBy(10 * ms)
	assert.EqualValues(t, 10, v.Now().UnixMilli())
	_, _ = v.ScheduleAfter(tr.say("x"), 10*ms)
	assert.Equal(t, []string{"10 x"}, tr.lines, "the delay counts from before the step")
}

func TestVirtualTimeStats(t *testing.T) {
	v, tr := newTrace()
	assert.Equal(t, 1, v.Stats().Idle)
	_, _ = v.ScheduleAfter(tr.say("x"), ms)
	_, _ = v.SchedulePeriodically(tr.say("p"), 0, ms)
	st := v.Stats()
	assert.Equal(t, "virtualTime", st.Kind)
	assert.Equal(t, []int{2, 2, 0, 1}, []int{st.Queued, st.Delayed, st.Running, st.Busy})
	assert.EqualValues(t, 1, st.Completed)
	assert.Equal(t, "virtualTime", v.String())
}

func TestVirtualTimeAppliesScheduleHooks(t *testing.T) {
	v, tr := newTrace()
	remove := schedulers.OnScheduleHook("virtual", func(task schedulers.Task) schedulers.Task {
		return func(ctx context.Context) {
			tr.say("hook")(ctx)
			task(ctx)
		}
	})
	defer remove()
	require.NoError(t, v.Execute(tr.say("task")))
	assert.Equal(t, []string{"0 hook", "0 task"}, tr.lines)
}

// Steps made at the same time must add up, on an empty and on a full queue, and no
// task may get lost, also when others are withdrawn meanwhile.
func TestVirtualTimeRacingAdvances(t *testing.T) {
	for _, tasks := range []int{0, 50} {
		t.Run(fmt.Sprint(tasks, " tasks"), func(t *testing.T) {
			for range 50 {
				v := NewVirtualTime()
				var ran, wrong atomic.Int64
				var wg sync.WaitGroup
				for range 4 {
					wg.Go(func() {
						for range 25 {
							v.AdvanceBy(2 * ms)
						}
					})
					wg.Go(func() {
						for i := range tasks {
							_, err := v.ScheduleAfter(func(context.Context) { ran.Add(1) }, time.Duration(1+rand.IntN(20))*ms)
							if err != nil {
								t.Error(err)
							}
							if i%3 == 0 {
								h, _ := v.ScheduleAfter(func(context.Context) { wrong.Add(1) }, time.Hour)
								h.Dispose()
							}
						}
					})
				}
				wg.Wait()
				v.AdvanceBy(20 * ms)
				require.Equal(t, 220*ms, v.Now().Sub(epoch))
				require.EqualValues(t, 4*tasks, ran.Load())
				require.Zero(t, wrong.Load())
				require.Zero(t, v.Pending())
			}
		})
	}
}

// A random mix against a list that is sorted.
func TestVirtualTimeModel(t *testing.T) {
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		v := NewVirtualTime()
		type planned struct{ at, id int }
		var plan []planned
		var got []int
		for id := range 100 {
			at := rnd.IntN(10)
			h, err := v.ScheduleAfter(func(context.Context) {
				assert.EqualValues(t, at, v.Now().UnixMilli())
				got = append(got, id)
			}, time.Duration(at)*ms)
			require.NoError(t, err)
			if at > 0 && rnd.IntN(4) == 0 {
				h.Dispose()
				continue
			}
			plan = append(plan, planned{at, id})
		}
		slices.SortStableFunc(plan, func(a, b planned) int { return a.at - b.at })
		var want []int
		for _, p := range plan {
			want = append(want, p.id)
		}
		for range 10 {
			v.AdvanceBy(ms)
		}
		require.Equal(t, want, got)
	}
}

// A time that can't be reached by a duration from here.
func TestVirtualTimeDoesNotGoBackHoweverFar(t *testing.T) {
	for _, c := range []struct{ to, want time.Time }{
		{time.Time{}, time.UnixMilli(1)},
		{time.UnixMilli(-1), time.UnixMilli(1)},
		{time.UnixMilli(2), time.UnixMilli(2)},
		{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), epoch.Add(math.MaxInt64)},
	} {
		v := NewVirtualTime()
		v.AdvanceBy(ms)
		v.AdvanceTo(c.to)
		assert.WithinDuration(t, c.want, v.Now(), 0)
	}
}

// What counts within a step is where that leads, and not where it is.
func TestVirtualTimeAdvanceToWithinAStep(t *testing.T) {
	v := NewVirtualTime()
	_, err := v.ScheduleAfter(func(context.Context) {
		v.AdvanceTo(time.UnixMilli(5))
		v.AdvanceTo(time.UnixMilli(12))
		v.AdvanceTo(time.UnixMilli(12))
	}, ms)
	require.NoError(t, err)
	v.AdvanceBy(10 * ms)
	assert.EqualValues(t, 12, v.Now().UnixMilli())
	v.AdvanceTo(time.UnixMilli(13))
	assert.EqualValues(t, 13, v.Now().UnixMilli())
}

// So it is after a step that a task has cut short.
func TestVirtualTimeAdvanceToAfterAGoexit(t *testing.T) {
	v := NewVirtualTime()
	_, err := v.ScheduleAfter(func(context.Context) { runtime.Goexit() }, ms)
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		v.AdvanceBy(10 * ms)
	}()
	<-ended
	v.AdvanceTo(time.UnixMilli(11))
	assert.EqualValues(t, 11, v.Now().UnixMilli())
}

func TestNilOptionsAreNamed(t *testing.T) {
	assert.PanicsWithValue(t, "reactortest: NewVirtualTime: an option is nil", func() { NewVirtualTime(nil) })
	assert.PanicsWithValue(t, "reactortest: NewChaosScheduler: an option is nil", func() { NewChaosScheduler(t, nil) })
	assert.PanicsWithValue(t, "reactortest: NewMarbles: an option is nil", func() { NewMarbles(t, nil) })
	assert.PanicsWithValue(t, "reactortest: NewTestSubscriber: an option is nil", func() { NewTestSubscriber[int](t, nil) })
}
