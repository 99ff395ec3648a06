package schedulers

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// decorated installs a decorator whose executors hand what they get to execute, with the one that they wrap.
func decorated(t *testing.T, execute func(e executors.Executor, ctx context.Context, task executors.Task) error) {
	t.Helper()
	AddExecutorDecorator("t", decoratorFunc(func(e executors.Executor) executors.Executor {
		return executors.Func(func(ctx context.Context, task executors.Task) error { return execute(e, ctx, task) })
	}))
	t.Cleanup(func() { RemoveExecutorDecorator("t") })
}

// A task of a decorator holds its slot until it has ended, as every direct one does, and takes off nobody else.
func TestA13_6_DecoratorsTasksHoldTheSlot(t *testing.T) {
	var gate chan struct{}
	decorated(t, func(e executors.Executor, ctx context.Context, task executors.Task) error {
		if err := e.Execute(ctx, task); err != nil {
			return err
		}
		return e.Execute(ctx, func(context.Context) { <-gate })
	})
	bothElastic(t, func(t *testing.T, s Scheduler) {
		gate = make(chan struct{})
		w := s.NewWorker()
		require.NoError(t, w.Execute(nothing))
		assert.Equal(t, []int{2}, holdersOf(s), "the worker, and the decorator's task")
		close(gate)
		assert.Equal(t, []int{1}, holdersOf(s), "the worker has not gone")
		assert.Equal(t, 1, s.Stats().Busy)
		w.Dispose()
		synctest.Wait()
		assert.Zero(t, s.Stats().Busy)

		gate = make(chan struct{})
		require.NoError(t, s.Execute(nothing))
		accept(t)(s.Schedule(nothing))
		assert.Equal(t, []int{1, 1}, holdersOf(s)[len(holdersOf(s))-2:], "their decorator's tasks")
		assert.Equal(t, 2, s.Stats().Busy)
		close(gate)
		synctest.Wait()
		assert.Zero(t, s.Stats().Busy)
		pass(3 * DefaultTTL)
		assert.Zero(t, s.Stats().Workers)
	})
}

// A slot that rests has one task more than it was picked for, and is not for others until that has ended.
func TestA13_6_DecoratorsTaskOnASlotThatRests(t *testing.T) {
	var last func(task Task) error
	decorated(t, func(e executors.Executor, ctx context.Context, task executors.Task) error {
		last = func(task Task) error { return e.Execute(ctx, task) }
		return e.Execute(ctx, task)
	})
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(2, 10, "t", WithTTL(time.Second)))
		defer s.Dispose()
		require.NoError(t, s.Execute(nothing))
		synctest.Wait()
		assert.Equal(t, 1, s.Stats().Idle)
		late, gate := last, make(chan struct{})
		require.NoError(t, late(func(context.Context) { <-gate }))
		assert.Equal(t, []int{1}, holdersOf(s))
		pass(time.Minute)
		assert.Equal(t, 1, s.Stats().Busy, "it is not given up")
		require.NoError(t, s.Execute(nothing))
		synctest.Wait()
		assert.Equal(t, 2, s.Stats().Workers, "the other one has another slot")
		close(gate)
		synctest.Wait()
		assert.Equal(t, 2, s.Stats().Idle)
		pass(time.Minute)
		assert.Zero(t, s.Stats().Workers)
		assert.ErrorIs(t, late(nothing), ErrUnavailable, "its slot was given up: nobody would wait for the task")
		assert.EqualValues(t, 1, s.Stats().Rejected)
		require.NoError(t, s.DisposeGracefully(t.Context()))
		assert.EqualValues(t, 3, s.Stats().Completed)
	})
}

// A decorator that fails when the task has come through does not take back that it was accepted: it runs, and the error
// goes where those of tasks go.
func TestA13_6_DecoratorThatFailsWhenTheTaskIsIn(t *testing.T) {
	own := errors.New("own")
	for name, c := range map[string]struct {
		after func(e executors.Executor, ctx context.Context) error
		want  error
	}{
		"its own task is refused": {func(e executors.Executor, ctx context.Context) error { return e.Execute(ctx, nothing) }, ErrCapacity},
		"an error":                {func(executors.Executor, context.Context) error { return own }, own},
	} {
		t.Run(name, func(t *testing.T) {
			decorated(t, func(e executors.Executor, ctx context.Context, task executors.Task) error {
				if err := e.Execute(ctx, task); err != nil {
					return err
				}
				return c.after(e, ctx)
			})
			bubble(t, func(t *testing.T) {
				errs := catchErrors(t)
				s := must(NewBoundedElastic(1, 2, "t"))
				defer s.Dispose()
				w := s.NewWorker()
				release := blocked(t, w)
				var ran journal[int]
				d := accept(t)(s.Schedule(ran.noting(1)))
				assert.False(t, d.IsDisposed())
				require.NotEmpty(t, errs.read())
				for _, err := range errs.read() {
					assert.ErrorIs(t, err, c.want)
				}
				release()
				synctest.Wait()
				assert.Equal(t, []int{1}, ran.read())
				assert.Equal(t, []int{1}, holdersOf(s), "the worker")
				w.Dispose()
				synctest.Wait()
				assert.Equal(t, 1, s.Stats().Idle)
			})
		})
	}
}

// What the slot has refused may be tried again.
func TestA13_6_DecoratorThatTriesAgain(t *testing.T) {
	var room func()
	decorated(t, func(e executors.Executor, ctx context.Context, task executors.Task) error {
		err := e.Execute(ctx, task)
		if errors.Is(err, ErrCapacity) {
			room()
			err = e.Execute(ctx, task)
		}
		return err
	})
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 1, "t"))
		defer s.Dispose()
		w := s.NewWorker()
		release := blocked(t, w)
		first := accept(t)(w.Schedule(nothing))
		room = first.Dispose
		d := accept(t)(w.Schedule(func(context.Context) { t.Error("disposed") }))
		d.Dispose()
		release()
		synctest.Wait()
		assert.EqualValues(t, 2, s.Stats().Dropped, "it is the task of the handle")
	})
}

// The pool is not locked while a decorator is asked, and one that panics leaves nothing behind.
func TestA13_6_DecoratorsAreAskedInTheOpen(t *testing.T) {
	var s *elastic
	panics := false
	AddExecutorDecorator("t", decoratorFunc(func(e executors.Executor) executors.Executor {
		if assert.True(t, s.mu.TryLock()) {
			s.mu.Unlock()
		}
		if panics {
			panic("decorator")
		}
		assert.NoError(t, e.Execute(t.Context(), nothing), "before anybody else")
		return e
	}))
	defer RemoveExecutorDecorator("t")
	bubble(t, func(t *testing.T) {
		s = must(NewBoundedElastic(1, 10, "t")).(*elastic)
		panics = true
		assert.Panics(t, func() { s.NewWorker() })
		assert.Panics(t, func() { _ = s.Execute(nothing) })
		panics = false
		assert.Zero(t, s.Stats().Workers)
		require.NoError(t, s.Execute(nothing))
		synctest.Wait()
		assert.Equal(t, []int{0}, holdersOf(s))
		assert.EqualValues(t, 2, s.Stats().Completed)
		require.NoError(t, s.DisposeGracefully(t.Context()))
		assert.ErrorIs(t, s.NewWorker().Execute(nothing), ErrUnavailable)
	})
}

// A hook or a decorator that ends the goroutine of who submits a task takes no place along that was meant for it.
func TestA13_6_GoexitOnTheWayIn(t *testing.T) {
	for name, install := range map[string]func() (remove func()){
		"hook": func() func() {
			return OnScheduleHook("t", func(Task) Task { runtime.Goexit(); return nil })
		},
		"decorator": func() func() {
			AddExecutorDecorator("t", decoratorFunc(func(executors.Executor) executors.Executor {
				return executors.Func(func(context.Context, executors.Task) error { runtime.Goexit(); return nil })
			}))
			return func() { RemoveExecutorDecorator("t") }
		},
		"decorator, once the task is in": func() func() {
			AddExecutorDecorator("t", decoratorFunc(func(e executors.Executor) executors.Executor {
				return executors.Func(func(ctx context.Context, task executors.Task) error {
					defer runtime.Goexit()
					return e.Execute(ctx, task)
				})
			}))
			return func() { RemoveExecutorDecorator("t") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer install()()
			bothElastic(t, func(t *testing.T, s Scheduler) {
				w := s.NewWorker()
				for _, l := range []lane{s, w} {
					racetest.Aside(func() { _ = l.Execute(nothing) })
					racetest.Aside(func() { _, _ = l.Schedule(nothing) })
					racetest.Aside(func() { _, _ = l.ScheduleAfter(nothing, time.Second) })
				}
				racetest.Aside(func() { _, _ = owning{s}.Schedule(nothing) })
				pass(2 * time.Second)
				assert.Equal(t, 1, s.Stats().Busy, "%+v", s.Stats().Slots)
				w.Dispose()
				synctest.Wait()
				assert.Zero(t, s.Stats().Busy)
			})
		})
	}
}

// Slots that are made at the same time are not more than there may be, and what decorators submit leaves no holder.
func TestRaceDecorators(t *testing.T) {
	decorated(t, func(e executors.Executor, ctx context.Context, task executors.Task) error {
		if err := e.Execute(ctx, task); err != nil {
			return err
		}
		return e.Execute(ctx, nothing)
	})
	for _, build := range []func(int, int, string, ...Option) (Scheduler, error){NewBoundedElastic, NewPerTaskBoundedElastic} {
		racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
			s := must(build(2, 100, "t"))
			direct := func() { assert.NoError(t, s.Execute(nothing)) }
			race(direct, direct, func() {
				w := s.NewWorker()
				assert.NoError(t, w.Execute(nothing))
				w.Dispose()
			}, func() { assert.LessOrEqual(t, s.Stats().Workers, 2) })
			st := s.Stats()
			for deadline := time.Now().Add(10 * time.Second); st.Busy > 0 && time.Now().Before(deadline); st = s.Stats() {
				runtime.Gosched()
			}
			require.Zero(t, st.Busy, "%+v", st)
			for _, sl := range st.Slots {
				require.Zero(t, sl.Holders)
			}
			require.EqualValues(t, 6, st.Completed+st.Dropped)
			ended(t, s)
		})
	}
}

// An option that panics takes no place along either.
func TestA13_6_OptionThatPanics(t *testing.T) {
	bothElastic(t, func(t *testing.T, s Scheduler) {
		assert.Panics(t, func() { _, _ = s.SchedulePeriodically(nothing, 0, time.Second, nil) })
		assert.Panics(t, func() {
			_, _ = s.SchedulePeriodically(nothing, 0, time.Second, func(*periodicSettings) { panic("option") })
		})
		assert.Zero(t, s.Stats().Busy)
	})
}
