package schedulers

import (
	"bytes"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
)

// where returns the name of the slot that a lane uses now.
func where(t *testing.T, l lane) string {
	t.Helper()
	name := make(chan string, 1)
	require.NoError(t, l.Execute(func(ctx context.Context) { name <- WorkerName(ctx) }))
	return <-name
}

func TestA10_1_Arguments(t *testing.T) {
	for _, build := range []func(int, int, string, ...Option) (Scheduler, error){NewBoundedElastic, NewPerTaskBoundedElastic} {
		for _, c := range []struct {
			max, queue int
			ttl        time.Duration
			message    string
		}{
			{0, 1, 1, "max > 0 required but it was 0"},
			{-3, 1, 1, "max > 0 required but it was -3"},
			{1, 0, 1, "queue > 0 required but it was 0"},
			{1, -4, 1, "queue > 0 required but it was -4"},
			{1, 1, 0, "TTL > 0 required but it was 0s"},
			{1, 1, -time.Second, "TTL > 0 required but it was -1s"},
		} {
			s, err := build(c.max, c.queue, "t", WithTTL(c.ttl))
			assert.Nil(t, s)
			assert.ErrorContains(t, err, c.message)
			assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
		}
	}
	s, err := NewBoundedElastic(1, 1, "t", WithTTL(math.MaxInt64))
	require.NoError(t, err)
	s.NewWorker().Dispose()
	s.Dispose()
}

func TestA10_2_PickIdleLIFO(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(3, 10, "t"))
		defer s.Dispose()
		a, b, c := s.NewWorker(), s.NewWorker(), s.NewWorker()
		names := []string{where(t, a), where(t, b), where(t, c)}
		for _, w := range []Worker{b, c, a} {
			synctest.Wait()
			w.Dispose()
		}
		assert.Equal(t, 3, s.Stats().Idle)
		for _, want := range []string{names[0], names[2], names[1]} {
			w := s.NewWorker()
			assert.Equal(t, want, where(t, w), "the one that became idle last comes first")
		}
		s.Dispose()
	})
}

func TestA10_2_PickNewSlotBeforeABusyOne(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(3, 10, "t"))
		defer s.Dispose()
		for n := range 3 {
			assert.Equal(t, n, s.Stats().Workers)
			s.NewWorker()
		}
		s.NewWorker()
		assert.Equal(t, 3, s.Stats().Workers)
		assert.Equal(t, 3, s.Stats().Busy)
	})
}

func TestA10_2_PickFewestHoldersThenTheLongestBusy(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(3, 10, "t"))
		defer s.Dispose()
		holders := func() (h []int) {
			for _, sl := range s.Stats().Slots {
				h = append(h, sl.Holders)
			}
			return h
		}
		var workers []Worker
		for range 5 {
			workers = append(workers, s.NewWorker())
		}
		assert.Equal(t, []int{2, 2, 1}, holders(), "ties go to the slot that is busy longest")
		s.NewWorker()
		assert.Equal(t, []int{2, 2, 2}, holders())
		workers[1].Dispose()
		s.NewWorker()
		assert.Equal(t, []int{2, 2, 2}, holders(), "the least held one took it")
		for _, want := range [][]int{{3, 2, 2}, {3, 3, 2}, {3, 3, 3}} {
			workers = append(workers, s.NewWorker())
			assert.Equal(t, want, holders(), "also where all have several")
		}
		for _, w := range workers[5:] {
			w.Dispose()
		}
		assert.Equal(t, []int{2, 2, 2}, holders())
		workers[2].Dispose()
		workers[0].Dispose()
		workers[3].Dispose()
		synctest.Wait()
		assert.Equal(t, 1, s.Stats().Idle, "the first slot is idle")
	})
}

// Under light load only what was used last is used again, so the others age out.
func TestA10_3_SurplusSlotsAgeOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(10, 10, "t", WithTTL(10*time.Second)))
		defer s.Dispose()
		var workers []Worker
		for range 10 {
			workers = append(workers, s.NewWorker())
		}
		for _, w := range workers {
			w.Dispose()
		}
		assert.Equal(t, 10, s.Stats().Workers)
		for range 30 {
			require.NoError(t, s.Execute(nothing))
			pass(time.Second)
		}
		assert.Equal(t, 1, s.Stats().Workers)
		pass(time.Minute)
		assert.Zero(t, s.Stats().Workers)
	})
}

func TestA10_4_NoSlotAfterShutdown(t *testing.T) {
	for range 200 {
		s := must(NewBoundedElastic(4, 10, "t"))
		var wg sync.WaitGroup
		wg.Go(s.Dispose)
		var w Worker
		wg.Go(func() { w = s.NewWorker() })
		wg.Go(func() { _ = s.Execute(nothing) })
		wg.Wait()
		assert.ErrorIs(t, w.Execute(nothing), ErrUnavailable)
		require.NoError(t, s.DisposeGracefully(t.Context()), "every slot has ended")
	}
}

func TestA10_5_HoldersOfDirectTasks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 10, "t"))
		defer s.Dispose()
		holders := func() int { synctest.Wait(); return s.Stats().Slots[0].Holders }
		release := blocked(t, s)
		assert.Equal(t, 1, holders())
		d := accept(t)(s.Schedule(nothing))
		assert.Equal(t, 2, holders())
		d.Dispose()
		assert.Equal(t, 1, holders(), "cancelled before the start")
		d.Dispose()
		assert.Equal(t, 1, holders())
		release()
		assert.Equal(t, 0, holders(), "completed")

		d = accept(t)(s.ScheduleAfter(nothing, time.Second))
		assert.Equal(t, 1, holders())
		pass(time.Second)
		assert.Equal(t, 0, holders())
		d.Dispose()
		assert.Equal(t, 0, holders())
		d = accept(t)(s.ScheduleAfter(nothing, time.Second))
		d.Dispose()
		assert.Equal(t, 0, holders())

		for _, initial := range []time.Duration{0, time.Second} {
			d = accept(t)(s.SchedulePeriodically(nothing, initial, time.Second))
			for range 3 {
				assert.Equal(t, 1, holders(), "a series holds until it is disposed")
				pass(time.Second)
			}
			d.Dispose()
			assert.Equal(t, 0, holders())
		}

		gate := make(chan struct{})
		d = accept(t)(s.Schedule(func(context.Context) { <-gate }))
		synctest.Wait()
		d.Dispose()
		assert.Equal(t, 1, holders(), "disposed while running: until the run really ends")
		close(gate)
		assert.Equal(t, 0, holders())

		gate = make(chan struct{})
		d = accept(t)(s.SchedulePeriodically(func(context.Context) { <-gate }, 0, time.Second))
		synctest.Wait()
		d.Dispose()
		assert.Equal(t, 1, holders())
		close(gate)
		assert.Equal(t, 0, holders())

		catchErrors(t)
		require.NoError(t, s.Execute(func(context.Context) { panic("boom") }))
		assert.Equal(t, 0, holders())
	})
}

func TestA10_6_TasksOfAWorkerAreNoHolders(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 10, "t"))
		defer s.Dispose()
		w := s.NewWorker()
		release := blocked(t, w)
		require.NoError(t, w.Execute(nothing))
		accept(t)(w.ScheduleAfter(nothing, time.Second))
		accept(t)(w.SchedulePeriodically(nothing, 0, time.Second))
		assert.Equal(t, 1, s.Stats().Slots[0].Holders)
		assert.Equal(t, 3, s.Stats().Queued)
		release()
		pass(time.Minute)
		assert.Equal(t, 1, s.Stats().Slots[0].Holders)
		w.Dispose()
		synctest.Wait()
		assert.Equal(t, 0, s.Stats().Slots[0].Holders)
		assert.Equal(t, 1, s.Stats().Idle)
	})
}

// A worker that goes while its task runs does not free the slot: the next worker
// would wait behind a task that nobody waits for.
func TestA10_8_DrainingSlotIsBusyAndTheLastChoice(t *testing.T) {
	for at := range 3 { // which slot is stuck: the first made, or a later one
		bubble(t, func(t *testing.T) {
			s := must(NewBoundedElastic(3, 10, "t"))
			defer s.Dispose()
			for range at {
				s.NewWorker()
			}
			stuck := s.NewWorker()
			release := blocked(t, stuck)
			for range 2 - at {
				s.NewWorker()
			}
			stuckOn := s.Stats().Slots[at].Name
			stuck.Dispose()
			synctest.Wait()
			assert.Equal(t, 3, s.Stats().Busy)
			assert.Zero(t, s.Stats().Idle)

			for range 5 {
				w := s.NewWorker()
				assert.NotEqual(t, stuckOn, where(t, w), "also when the others have many holders")
			}
			release()
			synctest.Wait()
			assert.Equal(t, 1, s.Stats().Idle, "free when its task has ended")
			assert.Equal(t, stuckOn, where(t, s.NewWorker()))
		})
	}
}

// With nothing but draining slots one of them has to do.
func TestA10_8_OnlyDrainingSlots(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 10, "t"))
		defer s.Dispose()
		stuck := s.NewWorker()
		release := blocked(t, stuck)
		stuck.Dispose()
		w := s.NewWorker()
		var j journal[int]
		require.NoError(t, w.Execute(j.noting(1)))
		release()
		synctest.Wait()
		assert.Equal(t, []int{1}, j.read())
		assert.Equal(t, 1, s.Stats().Busy)
		w.Dispose()
		assert.Equal(t, 1, s.Stats().Idle)
	})
}

func TestA10_9_CapacityIsOfTheSlot(t *testing.T) {
	submits := map[string]func(l lane) error{
		"execute":  func(l lane) error { return l.Execute(nothing) },
		"schedule": func(l lane) error { _, err := l.Schedule(nothing); return err },
		"delayed":  func(l lane) error { _, err := l.ScheduleAfter(nothing, time.Hour); return err },
		"periodic": func(l lane) error { _, err := l.SchedulePeriodically(nothing, time.Hour, time.Hour); return err },
		"at once":  func(l lane) error { _, err := l.SchedulePeriodically(nothing, 0, time.Hour); return err },
	}
	for name, submit := range submits {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := must(NewBoundedElastic(1, 9, "t"))
				defer s.Dispose()
				a, b := s.NewWorker(), s.NewWorker()
				release := blocked(t, a)
				for i := range 9 {
					require.NoError(t, submit([]lane{a, b, s}[i%3]), i)
				}
				assert.Zero(t, s.Stats().Remaining)
				for _, l := range []lane{a, b, s} {
					for _, other := range submits {
						assert.ErrorIs(t, other(l), ErrCapacity)
					}
				}
				assert.Equal(t, 9, s.Stats().Queued)
				release()
				synctest.Wait()
			})
		})
	}
}

// A periodic task has a place while it waits, none while it runs, and is not
// checked again when it comes back.
func TestA10_9_PeriodicTasksBetweenRuns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 1, "t"))
		defer s.Dispose()
		w := s.NewWorker()
		runs := 0
		d := accept(t)(w.SchedulePeriodically(func(context.Context) {
			runs++
			time.Sleep(time.Millisecond)
		}, time.Second, time.Second))
		_, err := w.ScheduleAfter(nothing, time.Hour)
		assert.ErrorIs(t, err, ErrCapacity, "it waits")
		time.Sleep(time.Second)
		synctest.Wait()
		far := accept(t)(w.ScheduleAfter(nothing, time.Hour))
		pass(time.Millisecond)
		assert.Equal(t, 2, s.Stats().Queued, "over the limit")
		assert.Zero(t, s.Stats().Remaining)
		assert.ErrorIs(t, func() error { _, err := w.ScheduleAfter(nothing, 1); return err }(), ErrCapacity)
		pass(10 * time.Second)
		assert.Equal(t, 11, runs)
		d.Dispose()
		far.Dispose()
		assert.Equal(t, 1, s.Stats().Remaining)
		w.Dispose()
	})
}

// With capacity q an idle slot accepts 1 + q immediate tasks, always.
func TestA10_10_HandOffDoesNotCount(t *testing.T) {
	for _, build := range []func(int, int, string, ...Option) (Scheduler, error){NewBoundedElastic, NewPerTaskBoundedElastic} {
		for q := 1; q <= 3; q++ {
			s := must(build(1, q, "t"))
			w := s.NewWorker()
			for round := range 200 {
				gate := make(chan struct{})
				for i := range q + 1 {
					require.NoError(t, w.Execute(func(context.Context) { <-gate }), "round %d task %d", round, i)
				}
				require.ErrorIs(t, w.Execute(nothing), ErrCapacity, "round %d", round)
				close(gate)
				for s.Stats().Completed != uint64((round+1)*(q+1)) {
					runtime.Gosched()
				}
			}
			s.Dispose()
		}
	}
}

// An idle slot whose queue is full of delayed tasks still takes one by hand.
func TestA10_10_HandOffBesideDelayedTasks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 2, "t"))
		defer s.Dispose()
		w := s.NewWorker()
		accept(t)(w.ScheduleAfter(nothing, time.Hour))
		accept(t)(w.ScheduleAfter(nothing, time.Hour))
		release := blocked(t, w)
		assert.ErrorIs(t, w.Execute(nothing), ErrCapacity)
		release()
		synctest.Wait()
		require.NoError(t, w.Execute(nothing))
		synctest.Wait()
		w.Dispose()
	})
}

func TestA10_11_Unbounded(t *testing.T) {
	s := must(NewBoundedElastic(1, math.MaxInt, "t"))
	defer s.Dispose()
	w := s.NewWorker()
	gate := make(chan struct{})
	require.NoError(t, w.Execute(func(context.Context) { <-gate }))
	for range 200_000 {
		if err := w.Execute(nothing); err != nil {
			t.Fatal(err)
		}
	}
	assert.Equal(t, Unlimited, s.Stats().Remaining)
	assert.Equal(t, Unlimited, s.Stats().QueueCapacity)
	close(gate)
}

// 100,000 queued: exactly the surplus is refused, the rest all run.
func TestA10_11_AHundredThousandTasks(t *testing.T) {
	const limit, surplus = 100_000, 10
	submits := map[string]func(w Worker, task Task) error{
		"immediate": func(w Worker, task Task) error { return w.Execute(task) },
		"delayed":   func(w Worker, task Task) error { _, err := w.ScheduleAfter(task, time.Second); return err },
	}
	for name, submit := range submits {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := must(NewBoundedElastic(1, limit, "t"))
				defer s.Dispose()
				w := s.NewWorker()
				release := blocked(t, w)
				ran, refused := 0, 0
				for range limit + surplus {
					if err := submit(w, func(context.Context) { ran++ }); err != nil {
						require.ErrorIs(t, err, ErrCapacity)
						refused++
					}
				}
				assert.Equal(t, surplus, refused)
				release()
				pass(2 * time.Second)
				assert.Equal(t, limit, ran)
				assert.Equal(t, limit, s.Stats().Remaining)
				w.Dispose()
			})
		})
	}
}

func TestA10_12_EvictionAfterTheTTL(t *testing.T) {
	clock := newManualClock()
	s := must(NewBoundedElastic(4, 10, "t", WithTTL(10*time.Second), WithClock(clock)))
	defer s.Dispose()
	a, b := s.NewWorker(), s.NewWorker()
	a.Dispose()
	clock.advance(5 * time.Second)
	b.Dispose()
	assert.Equal(t, 2, s.Stats().Idle)
	clock.advance(4 * time.Second)
	assert.Equal(t, 2, s.Stats().Idle)
	clock.advance(time.Second)
	assert.Equal(t, 1, s.Stats().Idle, "idle for a TTL")
	clock.advance(9 * time.Second)
	assert.Equal(t, 1, s.Stats().Idle, "looked after once per TTL: up to two of them")
	clock.advance(time.Second)
	assert.Zero(t, s.Stats().Workers)
	assert.Zero(t, clock.pending(), "no idle slots, no timer")
	w := s.NewWorker()
	assert.Equal(t, 1, s.Stats().Workers, "it grows again")
	w.Dispose()
	assert.Equal(t, 1, clock.pending())
	s.Dispose()
	assert.Zero(t, clock.pending(), "the evictor ends with the scheduler")
}

func TestA10_12_CountsSurviveTheSlot(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 1, "t", WithTTL(time.Second)))
		defer s.Dispose()
		for range 5 {
			release := blocked(t, s)
			d := accept(t)(s.Schedule(nothing))
			assert.ErrorIs(t, s.Execute(nothing), ErrCapacity)
			d.Dispose()
			release()
			pass(time.Minute)
			assert.Zero(t, s.Stats().Workers)
		}
		st := s.Stats()
		assert.EqualValues(t, 5, st.Completed)
		assert.EqualValues(t, 5, st.Dropped)
		assert.EqualValues(t, 5, st.Rejected)
	})
}

// What a worker is refused whose slot was given up is counted all the same.
func TestA10_12_RefusalsAfterTheSlot(t *testing.T) {
	for name, build := range map[string]func(max, queue int, name string, opts ...Option) (Scheduler, error){
		"elastic": NewBoundedElastic, "per task": NewPerTaskBoundedElastic,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := must(build(1, 1, "t", WithTTL(time.Second)))
				defer s.Dispose()
				w := s.NewWorker()
				w.Dispose()
				assert.Error(t, w.Execute(nothing))
				pass(time.Minute)
				assert.Zero(t, s.Stats().Workers)
				for range 3 {
					assert.Error(t, w.Execute(nothing))
				}
				assert.EqualValues(t, 4, s.Stats().Rejected)
			})
		})
	}
}

func TestA10_13_Introspection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(3, 100, "t"))
		defer s.Dispose()
		st := s.Stats()
		assert.Equal(t, [5]int{0, 0, 0, 3, 0}, [5]int{st.Workers, st.Busy, st.Idle, st.Capacity, st.Remaining})
		w := s.NewWorker()
		s.NewWorker().Dispose()
		release := blocked(t, w)
		require.NoError(t, w.Execute(nothing))
		accept(t)(w.ScheduleAfter(nothing, time.Second))
		st = s.Stats()
		assert.Equal(t, [5]int{2, 1, 1, 3, 198}, [5]int{st.Workers, st.Busy, st.Idle, st.Capacity, st.Remaining})
		assert.Equal(t, [3]int{2, 1, 1}, [3]int{st.Queued, st.Delayed, st.Running})
		assert.Equal(t, 100, st.QueueCapacity)
		release()
		pass(time.Minute)
		w.Dispose()
	})
	for text, s := range map[string]Scheduler{
		`boundedElastic("n",maxThreads=1,maxTaskQueuedPerThread=123,ttl=3s)`:       must(NewBoundedElastic(1, 123, "n", WithTTL(3*time.Second))),
		`boundedElastic("n",maxThreads=1,maxTaskQueuedPerThread=unbounded,ttl=3s)`: must(NewBoundedElastic(1, math.MaxInt, "n", WithTTL(3999*time.Millisecond))),
		`boundedElastic("n",maxThreads=2,maxTaskQueuedPerThread=5,ttl=523ms)`:      must(NewBoundedElastic(2, 5, "n", WithTTL(523*time.Millisecond))),
		`boundedElastic("n",maxThreads=2,maxTaskQueuedPerThread=5,ttl=60s)`:        must(NewBoundedElastic(2, 5, "n")),
		`perTaskBoundedElastic("n",maxThreads=2,maxTaskQueuedPerThread=5)`:         must(NewPerTaskBoundedElastic(2, 5, "n")),
	} {
		assert.Equal(t, text, nameOf(s))
		assert.Equal(t, text, s.Stats().Name)
	}
}

func TestA10_13_RemainingSaturates(t *testing.T) {
	assert.Equal(t, 0, remaining(10, 0, 0))
	assert.Equal(t, 15, remaining(10, 2, 5))
	assert.Equal(t, 0, remaining(1, 1, 2))
	assert.Equal(t, Unlimited, remaining(Unlimited, 3, 5))
	assert.Equal(t, Unlimited, remaining(math.MaxInt/2, 3, 5))
	assert.Equal(t, math.MaxInt-1, remaining(math.MaxInt/2, 2, 0))
}

func TestA10_14_NestedSchedulingMakesProgress(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 10, "t"))
		defer s.Dispose()
		var j journal[string]
		require.NoError(t, s.Execute(func(context.Context) {
			assert.NoError(t, s.Execute(j.noting("direct")))
			w := s.NewWorker()
			assert.NoError(t, w.Execute(func(context.Context) {
				j.note("worker")
				w.Dispose()
			}))
			j.note("outer")
		}))
		synctest.Wait()
		assert.Equal(t, []string{"outer", "direct", "worker"}, j.read())
		assert.Equal(t, 1, s.Stats().Idle)
	})
}

// A very large number of workers completes, and the pool shrinks to nothing.
func TestManyWorkers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(20, Unlimited, "t", WithTTL(time.Second)))
		defer s.Dispose()
		var wg sync.WaitGroup
		for range 10_000 {
			wg.Add(1)
			w := s.NewWorker()
			require.NoError(t, w.Execute(func(context.Context) {
				defer wg.Done()
				w.Dispose()
			}))
		}
		wg.Wait()
		synctest.Wait()
		assert.LessOrEqual(t, s.Stats().Workers, 20)
		pass(time.Minute)
		assert.Zero(t, s.Stats().Workers)
	})
}

func TestA11_1_EveryTaskHasItsGoroutine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewPerTaskBoundedElastic(1, 1000, "t"))
		defer s.Dispose()
		w := s.NewWorker()
		release := blocked(t, w)
		var numbers journal[string]
		note := func(context.Context) { numbers.note(goroutineNumber()) }
		for i := range 50 {
			if i%2 == 0 {
				require.NoError(t, w.Execute(note))
			} else {
				accept(t)(w.ScheduleAfter(note, time.Second))
			}
		}
		pass(time.Minute) // the delayed ones are overdue together
		release()
		synctest.Wait()
		all := numbers.read()
		slices.Sort(all)
		assert.Len(t, slices.Compact(all), 50)
		w.Dispose()
	})
}

// goroutineNumber returns the runtime's number of the calling goroutine, which is
// never used again.
func goroutineNumber() string {
	var buf [64]byte
	return string(bytes.Fields(buf[:runtime.Stack(buf[:], false)])[1])
}

func TestA11_2_NewLaneBelowTheCap(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewPerTaskBoundedElastic(3, 10, "t"))
		defer s.Dispose()
		var names []string
		for range 5 {
			w := s.NewWorker()
			names = append(names, where(t, w))
			w.Dispose()
			synctest.Wait()
			assert.Zero(t, s.Stats().Workers, "a lane without holders is given up")
		}
		slices.Sort(names)
		assert.Len(t, slices.Compact(names), 5, "there are no idle lanes")
		for range 7 {
			s.NewWorker()
		}
		var holders []int
		for _, sl := range s.Stats().Slots {
			holders = append(holders, sl.Holders)
		}
		assert.Equal(t, []int{3, 2, 2}, holders)
	})
}

func TestA11_2_LaneIsGivenUpWithItsPendingTasks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewPerTaskBoundedElastic(1, 10, "t"))
		defer s.Dispose()
		w := s.NewWorker()
		var j journal[int]
		handles := []Disposable{
			accept(t)(w.ScheduleAfter(j.noting(1), time.Second)),
			accept(t)(w.SchedulePeriodically(j.noting(2), time.Second, time.Second)),
		}
		w.Dispose()
		synctest.Wait()
		for _, d := range handles {
			assert.True(t, d.IsDisposed())
		}
		assert.Zero(t, s.Stats().Workers)
		pass(time.Minute)
		assert.Empty(t, j.read())
	})
}

// Capacity is taken at the submission and given back when the task starts.
func TestA11_3_CapacityOfAPerTaskLane(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewPerTaskBoundedElastic(1, 2, "t"))
		defer s.Dispose()
		w := s.NewWorker()
		accept(t)(w.ScheduleAfter(func(context.Context) { time.Sleep(time.Second) }, time.Second))
		accept(t)(w.ScheduleAfter(nothing, time.Minute))
		_, err := w.ScheduleAfter(nothing, time.Second)
		assert.ErrorIs(t, err, ErrCapacity)
		pass(time.Second)
		d := accept(t)(w.ScheduleAfter(nothing, time.Second))
		_, err = w.ScheduleAfter(nothing, time.Second)
		assert.ErrorIs(t, err, ErrCapacity)
		d.Dispose()
		accept(t)(w.ScheduleAfter(nothing, time.Second))
		pass(time.Hour)
		assert.Equal(t, 2, s.Stats().Remaining)
		w.Dispose()
	})
}

// All tasks up to the cap run at the same time.
func TestA11_6_TasksRunInParallelUpToTheCap(t *testing.T) {
	for _, k := range kinds[2:] {
		t.Run(k.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := k.make()
				defer s.Dispose()
				start := time.Now()
				var wg sync.WaitGroup
				for range 4 * s.Stats().Capacity {
					wg.Add(1)
					require.NoError(t, s.Execute(func(context.Context) {
						defer wg.Done()
						time.Sleep(time.Second)
					}))
				}
				wg.Wait()
				assert.Equal(t, 4*time.Second, time.Since(start))
			})
		})
	}
}

// Nothing that a task leaves on its goroutine reaches the next one.
func TestA11_6_PerTaskStateDoesNotLeak(t *testing.T) {
	s := must(NewPerTaskBoundedElastic(1, 1000, "t"))
	defer s.Dispose()
	w := s.NewWorker()
	defer w.Dispose()
	release := blocked(t, w)
	var seen []string
	done := make(chan struct{})
	for range 20 {
		require.NoError(t, w.Execute(func(context.Context) {
			seen = append(seen, goroutineLabels(t))
			setLabel("request", "secret")
		}))
	}
	require.NoError(t, w.Execute(func(context.Context) { close(done) }))
	release()
	<-done
	for _, labels := range seen {
		assert.NotContains(t, labels, "secret")
		assert.Contains(t, labels, "perTaskBoundedElastic")
	}
}

// A loop that has nothing left does not wait for the lock of the pool at first, but it comes back, also
// where it does not look for long.
func TestLoopTellsThePoolThatItIsQuietWhenTheLockIsFreeAgain(t *testing.T) {
	for _, spin := range []int{0, 1000} {
		s := must(NewBoundedElastic(1, 10, "t", WithSpin(spin))).(*elastic)
		release := blocked(t, s)
		slot := s.busy.all()[0]
		s.mu.Lock()
		release()
		for slot.progress.Load()%2 == 1 {
			runtime.Gosched()
		}
		for range 100 {
			runtime.Gosched()
		}
		s.mu.Unlock()
		assert.Eventually(t, func() bool { return s.Stats().Idle == 1 }, 10*time.Second, time.Millisecond)
		s.Dispose()
	}
}

// A task that ends its goroutine leaves an idle slot behind, as any other does: not one that is the last to be chosen, and kept for ever.
func TestASlotWhoseLastTaskEndsItsGoroutineIsIdle(t *testing.T) {
	for name, build := range map[string]func(max, queue int, name string, opts ...Option) (Scheduler, error){
		"elastic": NewBoundedElastic, "per task": NewPerTaskBoundedElastic,
	} {
		t.Run(name, func(t *testing.T) {
			defer OnHandleError("exits", func(context.Context, error) {})()
			bubble(t, func(t *testing.T) {
				s := must(build(2, 10, "t"))
				defer s.Dispose()
				for range 4 {
					require.NoError(t, s.Execute(func(context.Context) { runtime.Goexit() }))
				}
				w := s.NewWorker()
				require.NoError(t, w.Execute(func(context.Context) { w.Dispose(); runtime.Goexit() }))
				synctest.Wait()
				st := s.Stats()
				assert.Zero(t, st.Busy, "%+v", st.Slots)
				assert.Equal(t, st.Workers, st.Idle)
				var running atomic.Int32
				release := make(chan struct{})
				for range 2 {
					require.NoError(t, s.Execute(func(context.Context) { running.Add(1); <-release }))
				}
				synctest.Wait()
				assert.EqualValues(t, 2, running.Load())
				close(release)
				time.Sleep(3 * DefaultTTL)
				assert.Zero(t, s.Stats().Workers)
			})
		})
	}
}
