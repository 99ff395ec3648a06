package schedulers

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestA9_1_ImmediateRunsInTheCaller(t *testing.T) {
	s := Immediate()
	ran := 0
	require.NoError(t, s.Execute(func(ctx context.Context) {
		ran++
		assert.Equal(t, "immediate", WorkerName(ctx))
		assert.False(t, IsNonBlocking(ctx))
		assert.Nil(t, ctx.Done())
	}))
	d := accept(t)(s.Schedule(func(context.Context) { ran++ }))
	assert.Equal(t, 2, ran)
	assert.True(t, d.IsDisposed())
	d.Dispose()

	errs := catchErrors(t)
	assert.PanicsWithValue(t, "boom", func() { _ = s.Execute(func(context.Context) { panic("boom") }) })
	assert.Empty(t, errs.read(), "the caller has it")

	s.Dispose()
	require.NoError(t, s.DisposeGracefully(t.Context()))
	assert.False(t, s.IsDisposed())
	require.NoError(t, s.Execute(func(context.Context) { ran++ }))
	assert.Equal(t, 3, ran)
	assert.WithinDuration(t, time.Now(), s.Now(), time.Minute)
	assert.Equal(t, "immediate", s.Stats().Name)
	assert.Equal(t, "immediate", nameOf(s))
}

func TestA9_1_ImmediateHasNoTimedTasks(t *testing.T) {
	w := Immediate().NewWorker()
	for _, l := range []lane{Immediate(), w} {
		_, err := l.ScheduleAfter(nothing, time.Second)
		assert.ErrorIs(t, err, ErrNotTimeCapable)
		assert.EqualError(t, err, "scheduler is not capable of time-based scheduling")
		_, err = l.SchedulePeriodically(nothing, 0, time.Second)
		assert.ErrorIs(t, err, ErrNotTimeCapable)
	}
}

// Who gets the panic is told which of its calls it was.
func TestNilTaskPanicsInTheCaller(t *testing.T) {
	source := NewSingle("t")
	defer source.Dispose()
	plain, pinned := FromExecutor(executor(nil)), SingleWorker(source)
	for _, l := range []lane{Immediate(), Immediate().NewWorker(), plain, plain.NewWorker(), pinned, pinned.NewWorker()} {
		for want, call := range map[string]func(){
			"Execute":              func() { _ = l.Execute(nil) },
			"Schedule":             func() { _, _ = l.Schedule(nil) },
			"ScheduleAfter":        func() { _, _ = l.ScheduleAfter(nil, 0) },
			"SchedulePeriodically": func() { _, _ = l.SchedulePeriodically(nil, 0, time.Second) },
		} {
			assert.PanicsWithValue(t, "schedulers: "+want+": task is nil", call)
		}
		assert.PanicsWithValue(t, "schedulers: ScheduleAfter: task is nil", func() { _, _ = l.ScheduleAfter(nil, 1) })
	}
}

func TestA9_1_ImmediateWorkerRefusesAfterDispose(t *testing.T) {
	w := Immediate().NewWorker()
	ran := 0
	require.NoError(t, w.Execute(func(context.Context) { ran++ }))
	assert.True(t, accept(t)(w.Schedule(func(context.Context) { ran++ })).IsDisposed())
	assert.False(t, w.IsDisposed())
	w.Dispose()
	assert.True(t, w.IsDisposed())
	assert.ErrorIs(t, w.Execute(func(context.Context) { ran++ }), ErrUnavailable)
	_, err := w.Schedule(func(context.Context) { ran++ })
	assert.ErrorIs(t, err, ErrUnavailable)
	assert.Equal(t, 2, ran)
}

func TestA9_2_SingleHasOneSlotForAll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewSingle("io")
		defer s.Dispose()
		var names journal[string]
		note := func(ctx context.Context) { names.note(WorkerName(ctx)) }
		for range 5 {
			w := s.NewWorker()
			require.NoError(t, w.Execute(note))
			require.NoError(t, s.Execute(note))
		}
		pass(1)
		require.Len(t, names.read(), 10)
		for _, n := range names.read() {
			assert.Equal(t, names.read()[0], n)
			assert.Regexp(t, `^io-\d+$`, n)
		}
		st := s.Stats()
		assert.Equal(t, 1, st.Capacity)
		assert.Equal(t, 1, st.Workers)
		assert.Equal(t, Unlimited, st.QueueCapacity)
		assert.Equal(t, `single("io")`, st.Name)
	})
}

func TestA9_3_ParallelTakesTurns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewParallel("p", 4))
		defer s.Dispose()
		var names journal[string]
		note := func(ctx context.Context) { names.note(WorkerName(ctx)) }
		for i := range 100 {
			if i%2 == 0 {
				require.NoError(t, s.Execute(note))
			} else {
				require.NoError(t, s.NewWorker().Execute(note))
			}
		}
		pass(1)
		count := map[string]int{}
		for _, n := range names.read() {
			count[n]++
		}
		require.Len(t, count, 4)
		for name, n := range count {
			assert.Equal(t, 25, n, name)
		}
		assert.Equal(t, `parallel(4,"p")`, s.Stats().Name)
		assert.Equal(t, 4, s.Stats().Capacity)
	})
}

func TestA9_4_ParallelNeedsSlots(t *testing.T) {
	for _, n := range []int{0, -1} {
		s, err := NewParallel("p", n)
		assert.Nil(t, s)
		assert.ErrorContains(t, err, "n > 0 required but it was ")
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	}
}

// A wrap-around of the counter that turns must not end the turning.
func TestA9_3_TurnsForEver(t *testing.T) {
	s := must(NewParallel("p", 3)).(*fixed)
	defer s.Dispose()
	s.turn.Store(1<<32 - 4)
	for range 10 {
		assert.NotNil(t, s.next())
	}
}

func TestSingleRunsAMillionTasks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second with the race detector")
	}
	s := NewSingle("t")
	defer s.Dispose()
	n := racetest.Steps(1_000_000)
	var wg sync.WaitGroup
	wg.Add(1)
	ran := 0
	for range n {
		require.NoError(t, s.Execute(func(context.Context) {
			if ran++; ran == n {
				wg.Done()
			}
		}))
	}
	wg.Wait()
	require.NoError(t, s.DisposeGracefully(t.Context()))
	assert.LessOrEqual(t, s.(*fixed).slots[0].queue.spares, idleSpares, "the memory of the burst is given back")
}

func TestA12_1_FiguresOfAWorker(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 10, "t"))
		defer s.Dispose()
		w, other := s.NewWorker(), s.NewWorker()
		figures := func() [4]int {
			st := w.(interface{ Stats() Stats }).Stats()
			assert.Equal(t, s.Stats().Slots[0].Name, st.Name)
			return [4]int{st.Queued, st.Delayed, st.QueueCapacity, st.Remaining}
		}
		assert.Equal(t, [4]int{0, 0, 10, 10}, figures())
		release := blocked(t, w)
		assert.Equal(t, [4]int{0, 0, 10, 10}, figures())
		require.NoError(t, other.Execute(nothing))
		require.NoError(t, w.Execute(nothing))
		accept(t)(w.Schedule(nothing)).Dispose()
		accept(t)(w.Schedule(nothing))
		accept(t)(w.ScheduleAfter(nothing, time.Second))
		accept(t)(w.SchedulePeriodically(nothing, time.Second, time.Second))
		assert.Equal(t, [4]int{4, 2, 10, 5}, figures())
		release()
		pass(time.Minute)
		assert.Equal(t, [4]int{1, 1, 10, 9}, figures())
		w.Dispose()
		assert.Equal(t, [4]int{0, 0, 10, 10}, figures())
		other.Dispose()
	})
}

func TestWithSpin(t *testing.T) {
	assert.PanicsWithValue(t, "schedulers: WithSpin: looks >= 0 required but it was -1", func() { WithSpin(-1) })
	for _, looks := range []int{0, 1, 5000} {
		bubble(t, func(t *testing.T) {
			for _, s := range []Scheduler{NewSingle("t", WithSpin(looks)), must(NewBoundedElastic(1, 1, "t", WithSpin(looks)))} {
				var j journal[int]
				for i := range 3 {
					require.NoError(t, s.Execute(j.noting(i)))
					pass(time.Second) // the bubble's clock stands still while a slot looks
				}
				assert.Equal(t, []int{0, 1, 2}, j.read())
				s.Dispose()
			}
		})
	}
}

// A delay ≤ 0 means Schedule, also where there are no timed tasks.
func TestA9_1_NoDelayNeedsNoTimer(t *testing.T) {
	inCaller := executors.Func(func(ctx context.Context, task executors.Task) error { task(ctx); return nil })
	for name, s := range map[string]Scheduler{
		"immediate":    Immediate(),
		"fromExecutor": FromExecutor(inCaller),
		"trampoline":   FromExecutor(inCaller, Trampoline()),
		"singleWorker": SingleWorker(Immediate()),
	} {
		t.Run(name, func(t *testing.T) {
			w := s.NewWorker()
			for _, l := range []lane{s, w} {
				for _, delay := range []time.Duration{0, -time.Second} {
					ran := 0
					d := accept(t)(l.ScheduleAfter(func(context.Context) { ran++ }, delay))
					assert.Equal(t, 1, ran)
					assert.True(t, d.IsDisposed())
				}
				assert.Panics(t, func() { _, _ = l.ScheduleAfter(nil, 0) })
			}
			w.Dispose()
			_, err := w.ScheduleAfter(nothing, 0)
			assert.ErrorIs(t, err, ErrUnavailable)
		})
	}
}
