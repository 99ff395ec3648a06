package schedulers

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// directs are the ways to submit a direct task without a delay.
var directs = map[string]func(Scheduler, Task) (Disposable, error){
	"execute":  func(s Scheduler, task Task) (Disposable, error) { return nil, s.Execute(task) },
	"schedule": Scheduler.Schedule,
	"owned":    func(s Scheduler, task Task) (Disposable, error) { return owning{s}.Schedule(task) },
}

// bothElastic calls test with two slots of each kind of elastic scheduler.
func bothElastic(t *testing.T, test func(t *testing.T, s Scheduler)) {
	for name, build := range map[string]func(int, int, string, ...Option) (Scheduler, error){
		"bounded": NewBoundedElastic, "per task": NewPerTaskBoundedElastic,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := must(build(2, 10, "t"))
				defer s.Dispose()
				test(t, s)
			})
		})
	}
}

func holdersOf(s Scheduler) (h []int) {
	synctest.Wait()
	for _, sl := range s.Stats().Slots {
		h = append(h, sl.Holders)
	}
	return h
}

// A direct task behind one that goes on for long need not wait for that one.
func TestDirectTaskMovesToASlotThatBecomesIdle(t *testing.T) {
	for how, submit := range directs {
		t.Run(how, func(t *testing.T) {
			bothElastic(t, func(t *testing.T, s Scheduler) {
				first, second := blocked(t, s), blocked(t, s)
				name := s.Stats().Slots[1].Name
				var ran journal[string]
				for range 3 {
					_, err := submit(s, func(ctx context.Context) { ran.note(WorkerName(ctx)) })
					require.NoError(t, err)
				}
				assert.Equal(t, []int{3, 2}, holdersOf(s))
				assert.Equal(t, 3, s.Stats().Queued)
				second()
				synctest.Wait()
				assert.Equal(t, []string{name, name, name}, ran.read())
				st := s.Stats()
				assert.EqualValues(t, 4, st.Completed)
				assert.Zero(t, st.Dropped)
				assert.Zero(t, st.Queued)
				assert.Equal(t, 1, st.Running)
				assert.Equal(t, 1, st.Busy)
				first()
				synctest.Wait()
				assert.Zero(t, s.Stats().Busy)
				assert.EqualValues(t, 5, s.Stats().Completed)
			})
		})
	}
}

// A slot also becomes idle where nothing has run.
func TestDirectTaskMovesToASlotWithoutALoop(t *testing.T) {
	bothElastic(t, func(t *testing.T, s Scheduler) {
		blocked(t, s)
		w := s.NewWorker()
		var ran journal[int]
		require.NoError(t, s.Execute(ran.noting(1)))
		require.NoError(t, s.Execute(ran.noting(2)))
		synctest.Wait()
		assert.Equal(t, []int{2}, ran.read(), "the other one is behind the first")
		w.Dispose()
		synctest.Wait()
		assert.Equal(t, []int{2, 1}, ran.read())
		assert.Equal(t, 1, s.Stats().Busy)
	})
}

// The slot to which a task moves is one that has just been picked: after those that are busy longer.
func TestMovedTaskCountsAsPicked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(3, 10, "t"))
		defer s.Dispose()
		blocked(t, s)
		w := s.NewWorker()
		blocked(t, s)
		var names []string
		for _, sl := range s.Stats().Slots {
			names = append(names, sl.Name)
		}
		gate := make(chan struct{})
		defer close(gate)
		require.NoError(t, s.Execute(func(context.Context) { <-gate }))
		assert.Equal(t, []int{2, 1, 1}, holdersOf(s))
		w.Dispose()
		assert.Equal(t, []int{1, 1, 1}, holdersOf(s))
		var order []string
		for _, sl := range s.Stats().Slots {
			order = append(order, sl.Name)
		}
		assert.Equal(t, []string{names[0], names[2], names[1]}, order)
		for n := range 3 {
			s.NewWorker()
			holders := holdersOf(s)
			assert.Equal(t, 2, holders[n], "the one that is busy longest comes first")
		}
	})
}

func TestMovedTaskIsDisposedWhereItIs(t *testing.T) {
	bothElastic(t, func(t *testing.T, s Scheduler) {
		blocked(t, s)
		second := blocked(t, s)
		name := s.Stats().Slots[1].Name
		var cause error
		d := accept(t)(s.Schedule(func(ctx context.Context) {
			assert.NoError(t, ctx.Err())
			assert.Equal(t, name, WorkerName(ctx))
			<-ctx.Done()
			cause = context.Cause(ctx)
		}))
		second()
		synctest.Wait()
		assert.False(t, d.IsDisposed())
		d.Dispose()
		synctest.Wait()
		assert.True(t, d.IsDisposed())
		assert.ErrorIs(t, cause, ErrTaskDisposed)
		assert.EqualValues(t, 2, s.Stats().Completed)
		assert.Equal(t, 1, s.Stats().Busy)
	})
}

// The slot that a task leaves may have no other holder.
func TestTaskMovesFromASlotWhoseWorkerIsGone(t *testing.T) {
	bothElastic(t, func(t *testing.T, s Scheduler) {
		w := s.NewWorker()
		first, second := blocked(t, w), blocked(t, s)
		var ran journal[int]
		require.NoError(t, s.Execute(ran.noting(1)))
		w.Dispose()
		second()
		synctest.Wait()
		assert.Equal(t, []int{1}, ran.read())
		assert.Equal(t, 1, s.Stats().Busy)
		first()
		synctest.Wait()
		assert.Zero(t, s.Stats().Busy)
	})
}

// What has an order, or comes later, stays.
func TestWhatDoesNotMove(t *testing.T) {
	for name, submit := range map[string]func(s Scheduler, w Worker, task Task) error{
		"worker execute":  func(_ Scheduler, w Worker, task Task) error { return w.Execute(task) },
		"worker schedule": func(_ Scheduler, w Worker, task Task) error { _, err := w.Schedule(task); return err },
		"delayed":         func(s Scheduler, _ Worker, task Task) error { _, err := s.ScheduleAfter(task, 1); return err },
		"periodic at once": func(s Scheduler, _ Worker, task Task) error {
			_, err := s.SchedulePeriodically(task, 0, 1e9)
			return err
		},
		"cancelled by then": func(s Scheduler, _ Worker, task Task) error { d, err := s.Schedule(task); d.Dispose(); return err },
	} {
		t.Run(name, func(t *testing.T) {
			bothElastic(t, func(t *testing.T, s Scheduler) {
				w := s.NewWorker()
				first, second := blocked(t, w), blocked(t, s)
				var ran journal[int]
				require.NoError(t, submit(s, w, ran.noting(1)))
				pass(1)
				st := s.Stats()
				require.NoError(t, s.Execute(nothing), "makes the second slot crowded")
				require.NoError(t, s.Execute(nothing), "one of the slots is the first")
				second()
				synctest.Wait()
				assert.Empty(t, ran.read())
				assert.Equal(t, st.Queued, s.Stats().Queued, "only the direct tasks have run")
				assert.EqualValues(t, 3, s.Stats().Completed)
				first()
				synctest.Wait()
				if name != "cancelled by then" {
					assert.Equal(t, []int{1}, ran.read())
				}
			})
		})
	}
}

// A decorator sees what is handed to its slot, hence that stays there.
func TestNothingMovesBetweenDecoratedSlots(t *testing.T) {
	for at := range 2 {
		bubble(t, func(t *testing.T) {
			s := must(NewBoundedElastic(2, 10, "t"))
			defer s.Dispose()
			var releases [2]func()
			for i := range 2 {
				if i == at {
					SetExecutorDecorator("move", decoratorFunc(func(e executors.Executor) executors.Executor { return e }))
				}
				releases[i] = blocked(t, s)
				RemoveExecutorDecorator("move")
			}
			var ran journal[int]
			require.NoError(t, s.Execute(ran.noting(1)))
			releases[1]()
			synctest.Wait()
			assert.Empty(t, ran.read())
			releases[0]()
			synctest.Wait()
			assert.Equal(t, []int{1}, ran.read())
		})
	}
}

// What ends gracefully runs where it is: the other slots have said that they are at their end.
func TestNothingMovesAtTheEnd(t *testing.T) {
	bothElastic(t, func(t *testing.T, s Scheduler) {
		first, second := blocked(t, s), blocked(t, s)
		var ran journal[int]
		require.NoError(t, s.Execute(ran.noting(1)))
		done := make(chan error, 1)
		go func() { done <- s.DisposeGracefully(t.Context()) }()
		synctest.Wait()
		second()
		synctest.Wait()
		assert.Empty(t, ran.read())
		first()
		require.NoError(t, <-done)
		assert.Equal(t, []int{1}, ran.read())
		assert.EqualValues(t, 3, s.Stats().Completed)
	})
}

// A slot that has crowded ones before it in the list that can't give anything finds those behind.
func TestMoveLooksPastSlotsThatHaveNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(4, 10, "t"))
		defer s.Dispose()
		workers := []Worker{s.NewWorker(), s.NewWorker(), s.NewWorker()}
		for _, w := range workers {
			blocked(t, w)
		}
		last := blocked(t, s)
		var delayed []Disposable
		for range 2 {
			delayed = append(delayed, accept(t)(s.ScheduleAfter(nothing, time.Hour)))
		}
		var ran journal[int]
		require.NoError(t, s.Execute(ran.noting(1)))
		assert.Equal(t, []int{2, 2, 2, 1}, holdersOf(s))
		last()
		synctest.Wait()
		assert.Equal(t, []int{1}, ran.read())
		for _, d := range delayed {
			d.Dispose()
		}
	})
}

// Moves against withdrawals and the end of the task before: one end for each task, and no holder is left.
func TestRaceMove(t *testing.T) {
	s := must(NewBoundedElastic(2, 10, "t"))
	var submitted, ran atomic.Int64
	racetest.Repeat(racetest.Iterations(5000), func(race func(...func())) {
		gates := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
		for _, gate := range gates {
			require.NoError(t, s.Execute(func(context.Context) { <-gate; ran.Add(1) }))
		}
		var tasks [3]Disposable
		for i := range tasks {
			tasks[i] = accept(t)(s.Schedule(func(context.Context) { ran.Add(1) }))
		}
		submitted.Add(5)
		race(func() { close(gates[0]) }, func() { close(gates[1]) },
			func() { tasks[0].Dispose(); tasks[2].Dispose() },
			func() {
				tasks[1].IsDisposed()
				assert.NoError(t, s.Execute(func(context.Context) { ran.Add(1) }))
				submitted.Add(1)
			})
		st := s.Stats()
		for deadline := time.Now().Add(10 * time.Second); st.Busy > 0 && time.Now().Before(deadline); st = s.Stats() {
			runtime.Gosched()
		}
		require.Zero(t, st.Busy, "%+v", st)
		require.EqualValues(t, submitted.Load(), st.Completed+st.Dropped)
		require.EqualValues(t, ran.Load(), st.Completed)
		for _, sl := range st.Slots {
			require.Zero(t, sl.Holders)
		}
	})
	ended(t, s)
}

func TestTakeDirect(t *testing.T) {
	var q queue
	_, ok := q.takeDirect()
	assert.False(t, ok)

	of := &handle{w: &worker{}}
	for i := range 4 {
		it := item{h: of}
		if i%2 == 1 {
			it = item{h: new(handle)}
		}
		q.push(it).stamp(int64(i + 1))
	}
	for left := 3; left >= 2; left-- {
		it, ok := q.takeDirect()
		assert.True(t, ok)
		assert.Nil(t, it.worker())
		assert.Equal(t, left, q.head.n)
	}
	_, ok = q.takeDirect()
	assert.False(t, ok, "the others are of a worker")
	assert.Equal(t, []int64{1, 3}, q.head.stamps[:2], "they have kept their stamps")
	assert.Equal(t, item{}, q.head.items[2])

	q = queue{}
	q.push(item{fn: nothing})
	_, ok = q.takeDirect()
	assert.True(t, ok)
	assert.Nil(t, q.take(1), "no chunk without a task")
	assert.Zero(t, q.chunks)
	spare := q.spare
	assert.Same(t, spare, q.push(item{fn: nothing}), "it is used again")
}
