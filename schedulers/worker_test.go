package schedulers

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// forWorkers runs f for a worker of each kind.
func forWorkers(t *testing.T, f func(t *testing.T, s Scheduler, w Worker)) {
	t.Helper()
	forKinds(t, func(t *testing.T, s Scheduler) {
		w := s.NewWorker()
		defer w.Dispose()
		f(t, s, w)
	})
}

func TestA5_1_SubmissionOrder(t *testing.T) {
	const n = 5_000
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			s := k.make()
			defer s.Dispose()
			if s.Stats().QueueCapacity < n {
				s = must(NewBoundedElastic(2, n, "t"))
				defer s.Dispose()
			}
			w := s.NewWorker()
			var got []int
			done := make(chan struct{})
			for i := range n {
				task := func(context.Context) { got = append(got, i) }
				if i%3 == 0 {
					accept(t)(w.Schedule(task))
				} else {
					require.NoError(t, w.Execute(task))
				}
			}
			require.NoError(t, w.Execute(func(context.Context) { close(done) }))
			<-done
			require.Len(t, got, n)
			assert.True(t, slices.IsSorted(got))
		})
	}
}

func TestA5_1_EqualDelaysInSubmissionOrder(t *testing.T) {
	forWorkers(t, func(t *testing.T, s Scheduler, w Worker) {
		var j journal[int]
		release := blocked(t, w)
		for i := range 500 {
			accept(t)(w.ScheduleAfter(j.noting(i), time.Second))
		}
		pass(2 * time.Second)
		release()
		synctest.Wait()
		got := j.read()
		require.Len(t, got, 500)
		assert.True(t, slices.IsSorted(got))
	})
}

func TestA5_1_NoOverlapAndSomeTotalOrder(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			s := k.make()
			defer s.Dispose()
			w := s.NewWorker()
			var inside atomic.Int32
			var got [][2]int // plain: the race detector looks at it
			var wg sync.WaitGroup
			const producers, each = 8, 100
			for p := range producers {
				wg.Go(func() {
					for i := range each {
						wg.Add(1)
						_, err := w.ScheduleAfter(func(context.Context) {
							defer wg.Done()
							assert.EqualValues(t, 1, inside.Add(1))
							got = append(got, [2]int{p, i})
							inside.Add(-1)
						}, time.Duration(i%2)) // some through the heap
						assert.NoError(t, err)
					}
				})
			}
			wg.Wait()
			require.Len(t, got, producers*each)
		})
	}
}

// The order of a thread pool with a delay queue: by due time, then by submission.
func TestA5_2_OverdueDelayedBeforeLaterImmediate(t *testing.T) {
	forWorkers(t, func(t *testing.T, s Scheduler, w Worker) {
		var j journal[string]
		release := blocked(t, w)
		require.NoError(t, w.Execute(j.noting("now, before any delay")))
		accept(t)(w.ScheduleAfter(j.noting("after 20"), 20*time.Millisecond))
		accept(t)(w.ScheduleAfter(j.noting("after 10"), 10*time.Millisecond))
		require.NoError(t, w.Execute(j.noting("now, at 0")))
		pass(10 * time.Millisecond)
		require.NoError(t, w.Execute(j.noting("now, at 10")))
		pass(5 * time.Millisecond)
		accept(t)(w.Schedule(j.noting("now, at 15")))
		accept(t)(w.ScheduleAfter(j.noting("after 5, at 15"), 5*time.Millisecond))
		pass(6 * time.Millisecond)
		require.NoError(t, w.Execute(j.noting("now, at 21")))
		accept(t)(w.ScheduleAfter(j.noting("after 100"), 100*time.Millisecond))
		release()
		pass(time.Second)
		assert.Equal(t, []string{
			"now, before any delay", "now, at 0", "after 10", "now, at 10", "now, at 15",
			"after 20", "after 5, at 15", "now, at 21", "after 100",
		}, j.read())
	})
}

// Run on the JVM: rate 20 ms, one slow run of 100 ms, a one-shot due at 50.
func TestA5_2_OneShotBetweenTheRunsThatCatchUp(t *testing.T) {
	forWorkers(t, func(t *testing.T, s Scheduler, w Worker) {
		for _, immediate := range []bool{false, true} {
			var j journal[string]
			first := true
			d := accept(t)(w.SchedulePeriodically(func(context.Context) {
				j.note("R")
				if first {
					first = false
					time.Sleep(100 * time.Millisecond)
				}
			}, 0, 20*time.Millisecond))
			if immediate {
				pass(50 * time.Millisecond)
				require.NoError(t, w.Execute(j.noting("X")))
				pass(55 * time.Millisecond)
			} else {
				accept(t)(w.ScheduleAfter(j.noting("X"), 50*time.Millisecond))
				pass(105 * time.Millisecond)
			}
			d.Dispose()
			assert.Equal(t, []string{"R", "R", "R", "X", "R", "R", "R"}, j.read())
		}
	})
}

// Against a model: tasks of random kinds, submitted while the worker is held up.
func TestA5_2_RandomOrderAgainstAModel(t *testing.T) {
	forWorkers(t, func(t *testing.T, s Scheduler, w Worker) {
		rnd := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			type planned struct {
				due time.Duration
				seq int
			}
			var want []planned
			var j journal[int]
			start := time.Now()
			release := blocked(t, w)
			for seq := range 300 {
				due := time.Since(start)
				if rnd.IntN(2) == 0 {
					require.NoError(t, w.Execute(j.noting(seq)))
				} else {
					d := time.Duration(1 + rnd.IntN(50))
					due += d
					h := accept(t)(w.ScheduleAfter(j.noting(seq), d))
					if rnd.IntN(4) == 0 {
						h.Dispose()
						continue
					}
				}
				want = append(want, planned{due, seq})
				if rnd.IntN(3) == 0 {
					pass(time.Duration(rnd.IntN(10)))
				}
			}
			pass(time.Second)
			release()
			synctest.Wait()
			slices.SortStableFunc(want, func(a, b planned) int { return int(a.due - b.due) })
			var order []int
			for _, p := range want {
				order = append(order, p.seq)
			}
			require.Equal(t, order, j.read())
		}
	})
}

func TestA5_3_WorkerStaysOnItsSlot(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		var workers []Worker
		for range 6 {
			w := s.NewWorker()
			workers = append(workers, w)
			var j journal[string]
			name := func(ctx context.Context) { j.note(WorkerName(ctx)) }
			for range 10 {
				require.NoError(t, w.Execute(name))
				accept(t)(w.Schedule(name))
				accept(t)(w.ScheduleAfter(name, time.Second))
			}
			pass(time.Minute)
			require.Len(t, j.read(), 30)
			assert.Len(t, slices.Compact(j.read()), 1)
		}
		for _, w := range workers {
			w.Dispose()
		}
	})
}

func TestA5_4_DisposeDropsOnlyItsOwnTasks(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		// Two workers on one slot.
		workers := []Worker{s.NewWorker()}
		for len(workers) <= s.Stats().Capacity {
			workers = append(workers, s.NewWorker())
		}
		mine, other := workers[0], workers[len(workers)-1]
		release := blocked(t, mine)
		var j journal[string]
		var handles []Disposable
		for _, w := range []Worker{mine, other} {
			who := "mine"
			if w == other {
				who = "other"
			}
			require.NoError(t, w.Execute(j.noting(who+" execute")))
			handles = append(handles,
				accept(t)(w.Schedule(j.noting(who+" schedule"))),
				accept(t)(w.ScheduleAfter(j.noting(who+" after"), time.Second)),
				accept(t)(w.SchedulePeriodically(j.noting(who+" periodic"), 2*time.Second, time.Hour)),
				accept(t)(w.SchedulePeriodically(j.noting(who+" periodic at once"), 0, time.Hour)),
			)
		}
		assert.Equal(t, 10, s.Stats().Queued)
		mine.Dispose()
		mine.Dispose()
		assert.True(t, mine.IsDisposed())
		assert.Equal(t, 5, s.Stats().Queued, "the places are free at once")
		for i, d := range handles {
			assert.Equal(t, i < 4, d.IsDisposed(), i)
		}
		release()
		pass(time.Minute)
		assert.Equal(t, []string{"other execute", "other schedule", "other periodic at once", "other after", "other periodic"}, j.read())
		assert.EqualValues(t, 5, s.Stats().Dropped)
		for _, w := range workers {
			w.Dispose()
		}
	})
}

func TestA5_4_DisposeCancelsWhatRuns(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		submits := map[string]func(w Worker, task Task) error{
			"execute":  func(w Worker, task Task) error { return w.Execute(task) },
			"schedule": func(w Worker, task Task) error { _, err := w.Schedule(task); return err },
			"periodic": func(w Worker, task Task) error { _, err := w.SchedulePeriodically(task, 1, 1); return err },
		}
		for name, submit := range submits {
			w := s.NewWorker()
			running, cause := make(chan struct{}), make(chan error, 1)
			require.NoError(t, submit(w, func(ctx context.Context) {
				close(running)
				<-ctx.Done()
				cause <- context.Cause(ctx)
			}))
			<-running
			w.Dispose()
			assert.ErrorIs(t, <-cause, ErrTaskDisposed, name)
		}
	})
}

// The context of a worker that another task of its slot disposes is cancelled,
// later at the latest.
func TestA5_4_DisposeByAnotherTaskOfTheSlot(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		defer s.Dispose()
		a, b := s.NewWorker(), s.NewWorker()
		var kept context.Context
		require.NoError(t, a.Execute(func(ctx context.Context) {
			kept = ctx
			_ = ctx.Done()
		}))
		require.NoError(t, b.Execute(func(ctx context.Context) {
			a.Dispose()
			assert.NoError(t, ctx.Err())
		}))
		synctest.Wait()
		assert.ErrorIs(t, context.Cause(kept), ErrTaskDisposed)
		require.NoError(t, b.Execute(func(ctx context.Context) { assert.NoError(t, ctx.Err()) }))
		synctest.Wait()
		b.Dispose()
	})
}

func TestA5_5_RefusesAfterDispose(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		w := s.NewWorker()
		w.Dispose()
		assertRefuses(t, w, WorkerDisposed, ErrUnavailable)
		assert.Zero(t, s.Stats().Queued)
	})
}

// assertRefuses calls every method of l and expects the same refusal.
func assertRefuses(t *testing.T, l lane, reason Reason, is error) {
	t.Helper()
	never := func(context.Context) { t.Error("a refused task runs") }
	check := func(d Disposable, err error) {
		t.Helper()
		assert.Nil(t, d)
		require.ErrorIs(t, err, ErrRejected)
		require.ErrorIs(t, err, is)
		var r *RejectedError
		require.ErrorAs(t, err, &r)
		assert.Equal(t, reason, r.Reason)
	}
	check(nil, l.Execute(never))
	check(l.Schedule(never))
	check(l.ScheduleAfter(never, 0))
	check(l.ScheduleAfter(never, time.Second))
	check(l.SchedulePeriodically(never, 0, time.Second))
	check(l.SchedulePeriodically(never, time.Second, time.Second))
	check(l.SchedulePeriodically(never, 0, 0))
	check(l.SchedulePeriodically(never, time.Second, 0))
}

func TestA5_6_WorkerOfADisposedScheduler(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		early := s.NewWorker()
		s.Dispose()
		late := s.NewWorker()
		for _, w := range []Worker{early, late} {
			assert.False(t, w.IsDisposed(), "says nothing about the scheduler")
			assertRefuses(t, w, Disposed, ErrUnavailable)
			w.Dispose()
			assert.True(t, w.IsDisposed())
		}
	})
}

func TestA5_7_DoubleDisposeReleasesOnce(t *testing.T) {
	for _, k := range kinds[2:] {
		t.Run(k.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := k.make()
				defer s.Dispose()
				var workers []Worker
				for range s.Stats().Capacity + 1 {
					workers = append(workers, s.NewWorker())
				}
				first, sibling := workers[0], workers[len(workers)-1]
				assert.Equal(t, 2, s.Stats().Slots[0].Holders)
				first.Dispose()
				first.Dispose()
				assert.Equal(t, 1, s.Stats().Slots[0].Holders)
				var j journal[int]
				require.NoError(t, sibling.Execute(j.noting(1)))
				synctest.Wait()
				assert.Equal(t, []int{1}, j.read())
				for _, w := range workers {
					w.Dispose()
				}
				synctest.Wait()
				for _, sl := range s.Stats().Slots {
					assert.Zero(t, sl.Holders)
				}
			})
		})
	}
}

// What is withdrawn behind a task that takes long leaves the others in their order.
func TestA5_2_WithdrawnTasksKeepTheOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		defer s.Dispose()
		w := s.NewWorker()
		var order journal[string]
		require.NoError(t, w.Execute(func(context.Context) { time.Sleep(10 * time.Millisecond) }))
		synctest.Wait()
		accept(t)(w.ScheduleAfter(order.noting("at 5"), 5*time.Millisecond))
		pass(6 * time.Millisecond)
		require.NoError(t, w.Execute(order.noting("at 6")))
		for range 10 * chunkSize {
			accept(t)(w.Schedule(nothing)).Dispose()
		}
		pass(time.Second)
		assert.Equal(t, []string{"at 5", "at 6"}, order.read())
	})
}
