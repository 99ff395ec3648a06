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

	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ended waits for the end of a scheduler and returns its figures.
func ended(t *testing.T, s Scheduler) Stats {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	require.NoError(t, s.DisposeGracefully(ctx))
	return s.Stats()
}

// Dispose of a handle against its run: it runs or it is withdrawn, never both, and
// the counts agree.
func TestRaceDisposeAgainstRun(t *testing.T) {
	for _, k := range kinds {
		for _, delay := range []time.Duration{0, 1} {
			t.Run(k.name, func(t *testing.T) {
				s := k.make()
				var ran, withdrawn int64
				var submitted int64
				racetest.Repeat(racetest.Iterations(500), func(race func(...func())) {
					w := s.NewWorker()
					var run atomic.Bool
					var d Disposable
					ready := make(chan struct{})
					race(func() {
						var err error
						d, err = w.ScheduleAfter(func(context.Context) { run.Store(true) }, delay)
						assert.NoError(t, err)
						close(ready)
					}, func() {
						<-ready
						d.Dispose()
						assert.True(t, d.IsDisposed())
					}, func() {
						<-ready
						d.Dispose()
					})
					submitted++
					_, err := w.Schedule(func(context.Context) { w.Dispose() })
					require.NoError(t, err)
					submitted++
					for !w.IsDisposed() {
						time.Sleep(time.Microsecond)
					}
					if run.Load() {
						ran++
					} else {
						withdrawn++
					}
				})
				st := ended(t, s)
				assert.EqualValues(t, submitted, st.Completed+st.Dropped)
				assert.EqualValues(t, withdrawn, st.Dropped)
			})
		}
	}
}

// Dispose of a worker against its tasks and handles: every place comes back.
func TestRaceWorkerDisposeAgainstTasks(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			s := k.make()
			var submitted atomic.Int64
			racetest.Repeat(racetest.Iterations(500), func(race func(...func())) {
				w := s.NewWorker()
				submit := func() {
					for i := range 6 {
						var d Disposable
						var err error
						switch i % 6 {
						case 0:
							err = w.Execute(nothing)
						case 1:
							d, err = w.Schedule(nothing)
						case 2:
							d, err = w.ScheduleAfter(nothing, time.Microsecond)
						case 3:
							d, err = w.ScheduleAfter(nothing, time.Hour)
						case 4:
							_, err = w.ScheduleAfter(nothing, time.Hour)
						case 5:
							d, err = w.Schedule(nothing)
						}
						if err != nil {
							assert.ErrorIs(t, err, ErrUnavailable)
							continue
						}
						submitted.Add(1)
						if d != nil && i != 5 {
							d.Dispose()
							assert.True(t, d.IsDisposed())
						}
					}
				}
				race(submit, submit, w.Dispose, w.Dispose)
			})
			st := ended(t, s)
			assert.EqualValues(t, submitted.Load(), st.Completed+st.Dropped)
			assert.Zero(t, st.Queued)
			for _, sl := range st.Slots {
				assert.Zero(t, sl.Holders)
			}
		})
	}
}

// For any interleaving of submissions, withdrawals and disposals
// accepted = completed + dropped, and whatever ran was accepted.
func TestEveryTaskHasOneEnd(t *testing.T) {
	for _, k := range kinds {
		for _, force := range []bool{false, true} {
			t.Run(k.name, func(t *testing.T) {
				for round := range racetest.Iterations(30) {
					s := k.make()
					catchErrors(t)
					var accepted, refused, ran atomic.Int64
					var wg sync.WaitGroup
					for p := range 4 {
						wg.Go(func() {
							rnd := rand.New(rand.NewPCG(uint64(round), uint64(p)))
							w := s.NewWorker()
							var handles []Disposable
							for range 200 {
								l := lane(s)
								if rnd.IntN(2) == 0 {
									l = w
								}
								task := func(context.Context) { ran.Add(1) }
								if rnd.IntN(20) == 0 {
									task = func(context.Context) { ran.Add(1); panic("boom") }
								}
								var d Disposable
								var err error
								switch rnd.IntN(4) {
								case 0:
									err = l.Execute(task)
								case 1:
									d, err = l.Schedule(task)
								case 2:
									d, err = l.ScheduleAfter(task, time.Duration(rnd.IntN(100_000)))
								case 3:
									d, err = l.ScheduleAfter(task, time.Hour)
								}
								if err != nil {
									refused.Add(1)
								} else {
									accepted.Add(1)
								}
								if d != nil {
									handles = append(handles, d)
								}
								if len(handles) > 0 && rnd.IntN(3) == 0 {
									i := rnd.IntN(len(handles))
									handles[i].Dispose()
									handles = slices.Delete(handles, i, i+1)
								}
								if rnd.IntN(50) == 0 {
									w.Dispose()
									w = s.NewWorker()
								}
							}
							w.Dispose()
						})
					}
					if force {
						time.Sleep(time.Duration(round) * 20 * time.Microsecond)
						s.Dispose()
					}
					wg.Wait()
					ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
					require.NoError(t, s.DisposeGracefully(ctx, DropDelayed()))
					cancel()
					st := s.Stats()
					require.EqualValues(t, accepted.Load(), st.Completed+st.Dropped, "%+v", st)
					require.EqualValues(t, ran.Load(), st.Completed)
					require.EqualValues(t, refused.Load(), st.Rejected)
					require.Zero(t, st.Queued)
					require.Zero(t, st.Running)
				}
			})
		}
	}
}

// Picks against releases: no slot is lost, none is given to two that should not
// share it, and the cap holds.
func TestRacePickAgainstIdle(t *testing.T) {
	for _, k := range kinds[2:] {
		t.Run(k.name, func(t *testing.T) {
			s := k.make()
			capacity := s.Stats().Capacity
			racetest.Repeat(racetest.Iterations(2000), func(race func(...func())) {
				use := func() {
					w := s.NewWorker()
					assert.NoError(t, w.Execute(nothing))
					w.Dispose()
				}
				race(use, use, func() { assert.NoError(t, s.Execute(nothing)) })
				require.LessOrEqual(t, s.Stats().Workers, capacity)
			})
			st := ended(t, s)
			assert.Zero(t, st.Busy)
			for _, sl := range st.Slots {
				assert.Zero(t, sl.Holders)
			}
		})
	}
}

// Eviction against picks: a slot that is given up is never used.
func TestRacePickAgainstEviction(t *testing.T) {
	clock := newManualClock()
	s := must(NewBoundedElastic(2, Unlimited, "t", WithTTL(1), WithClock(clock)))
	var ran, used atomic.Int64
	racetest.Repeat(racetest.Iterations(2000), func(race func(...func())) {
		race(func() {
			used.Add(1)
			assert.NoError(t, s.Execute(func(context.Context) { ran.Add(1) }))
		}, func() {
			clock.advance(1)
		}, func() {
			w := s.NewWorker()
			used.Add(1)
			_, err := w.Schedule(func(context.Context) {
				ran.Add(1)
				w.Dispose()
			})
			assert.NoError(t, err)
		})
	})
	st := ended(t, s)
	assert.Equal(t, used.Load(), ran.Load())
	assert.EqualValues(t, used.Load(), st.Completed)
}

// The context of a task: whoever looks first makes it, whoever disposes cancels it.
func TestRaceContextAgainstDispose(t *testing.T) {
	s := must(NewParallel("t", 2))
	defer s.Dispose()
	racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
		w := s.NewWorker()
		ctxs, gate := make(chan context.Context, 1), make(chan struct{})
		d, err := w.Schedule(func(ctx context.Context) {
			ctxs <- ctx
			<-gate
		})
		require.NoError(t, err)
		ctx := <-ctxs
		var seen [2]<-chan struct{}
		race(func() { seen[0] = ctx.Done() }, func() { seen[1] = ctx.Done() }, d.Dispose)
		<-seen[0]
		<-seen[1]
		require.ErrorIs(t, context.Cause(ctx), ErrTaskDisposed)
		close(gate)
		w.Dispose()
	})
}

// Withdrawn tasks do not pile up behind one that takes long.
func TestWithdrawnTasksAreForgotten(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			s := k.make()
			defer s.Dispose()
			w := s.NewWorker()
			release := blocked(t, w)
			sl := w.(*worker).slot
			for range 20_000 {
				d, err := w.Schedule(nothing)
				require.NoError(t, err)
				d.Dispose()
			}
			sl.mu.Lock()
			assert.LessOrEqual(t, sl.queue.chunks, 2)
			sl.mu.Unlock()
			kept := s.NewWorker()
			for kept.(*worker).slot != sl {
				kept = s.NewWorker()
			}
			var j journal[int]
			for i := range 500 {
				require.NoError(t, kept.Execute(j.noting(i)))
				other := newWorker(sl)
				if sl.pool != nil {
					sl.holders.Add(1)
				}
				require.NoError(t, other.Execute(j.noting(-1)))
				_, err := other.SchedulePeriodically(j.noting(-1), 0, time.Second)
				require.NoError(t, err)
				_, err = other.ScheduleAfter(j.noting(-1), time.Second)
				require.NoError(t, err)
				other.Dispose()
			}
			sl.mu.Lock()
			assert.LessOrEqual(t, sl.queue.chunks, 500/chunkSize*2+4)
			sl.mu.Unlock()
			done := make(chan struct{})
			require.NoError(t, kept.Execute(func(context.Context) { close(done) }))
			release()
			<-done
			got := j.read()
			require.Len(t, got, 500)
			assert.True(t, slices.IsSorted(got))
			sl.mu.Lock()
			assert.Zero(t, sl.inFlight)
			sl.mu.Unlock()
		})
	}
}

// As long as periodic tasks are about, every submission reads the clock. When the
// last one has ended that is over, however it ended.
func TestSeriesAreCountedOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		catchErrors(t)
		s := NewSingle("t").(*fixed)
		defer s.Dispose()
		sl := s.slots[0]
		timed := func() int {
			synctest.Wait()
			sl.mu.Lock()
			defer sl.mu.Unlock()
			return sl.timed()
		}
		for _, period := range []time.Duration{0, 1, time.Second} {
			for _, initial := range []time.Duration{0, time.Second} {
				begin := func(l lane, task Task, opts ...PeriodicOption) Disposable {
					return accept(t)(l.SchedulePeriodically(task, initial, period, opts...))
				}
				nap := func(context.Context) { time.Sleep(time.Second) }
				begin(s, nap).Dispose()
				pass(time.Second) // it may have begun
				assert.Zero(t, timed(), "withdrawn")
				d := begin(s, nap)
				pass(initial + time.Second/2)
				d.Dispose()
				pass(time.Second)
				assert.Zero(t, timed(), "disposed while it ran")
				begin(s, func(context.Context) { panic("boom") }, StopOnError())
				pass(initial)
				assert.Zero(t, timed(), "stopped by its failure")
				w := s.NewWorker()
				begin(w, nap)
				w.Dispose()
				pass(time.Second)
				assert.Zero(t, timed(), "gone with its worker")
				w = s.NewWorker()
				begin(w, nap)
				pass(initial + time.Second/2)
				w.Dispose()
				pass(time.Second)
				assert.Zero(t, timed(), "gone with its worker while it ran")
			}
		}
		require.NoError(t, s.Execute(func(context.Context) { time.Sleep(time.Second) }))
		for range 10 * chunkSize {
			accept(t)(s.SchedulePeriodically(nothing, 0, time.Second)).Dispose()
		}
		assert.Zero(t, timed(), "withdrawn, one by one, behind a task that takes long")
		pass(time.Second)
	})
}

// A burst does not leave a slot with all that it has needed.
func TestASlotThatRestsKeepsLittle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewSingle("t").(*fixed)
		defer s.Dispose()
		release := blocked(t, s)
		for range 100 * chunkSize {
			require.NoError(t, s.Execute(nothing))
		}
		release()
		synctest.Wait()
		sl := s.slots[0]
		sl.mu.Lock()
		defer sl.mu.Unlock()
		assert.LessOrEqual(t, sl.queue.spares, idleSpares)
	})
}

// A timer that has gone off may come late, when others were set: none of them is forgotten.
func TestALateTimerForgetsNoOther(t *testing.T) {
	clock := newManualClock()
	s := NewSingle("t", WithClock(clock)).(*fixed)
	defer s.Dispose()
	d := accept(t)(s.ScheduleAfter(func(context.Context) {}, time.Minute))
	s.slots[0].timerFired() // of a task that was withdrawn meanwhile
	assert.Equal(t, 1, clock.pending())
	d.Dispose()
	assert.Zero(t, clock.pending())
}
