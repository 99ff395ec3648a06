package schedulers

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Bugs that the reference libraries really had; the numbers are those of the
// reactor-core issues.

// E1 (#1973): the counter of tasks was not lowered, the scheduler died after a
// while.
func TestE1_CapacityComesBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 2, "t"))
		defer s.Dispose()
		n := 25_000
		if testing.Short() {
			n = 1_000
		}
		for range n {
			w := s.NewWorker()
			gate := make(chan struct{})
			require.NoError(t, w.Execute(func(context.Context) { <-gate })) // runs
			a := accept(t)(w.Schedule(nothing))                             // is cancelled
			accept(t)(w.ScheduleAfter(nothing, time.Hour))                  // goes with its worker
			require.ErrorIs(t, w.Execute(nothing), ErrCapacity)             // is refused
			a.Dispose()
			w.Dispose()
			close(gate)
			synctest.Wait()
			require.Equal(t, 2, s.Stats().Remaining)
			require.Equal(t, 1, s.Stats().Idle)
		}
	})
}

// E2 (#1992): scheduling again from within, at the cap, made a deadlock.
func TestE2_ReentrantAtTheCap(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 1, "t"))
		defer s.Dispose()
		var refused, ran int
		var step func(n int) Task
		step = func(n int) Task {
			return func(context.Context) {
				ran++
				for range 2 { // one place, two tasks
					if n == 0 {
						return
					}
					if err := s.Execute(step(n - 1)); err != nil {
						assert.ErrorIs(t, err, ErrCapacity)
						refused++
					}
				}
			}
		}
		require.NoError(t, s.Execute(step(100)))
		synctest.Wait()
		assert.Equal(t, 101, ran)
		assert.Equal(t, 100, refused)
	})
}

// E3 (#3182): after a refusal the worker stayed marked as busy.
func TestE3_SlotIsIdleAfterARefusal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 1, "t", WithTTL(time.Second)))
		defer s.Dispose()
		release := blocked(t, s)
		require.NoError(t, s.Execute(nothing))
		for range 10 {
			require.ErrorIs(t, s.Execute(nothing), ErrCapacity)
			require.Error(t, func() error { _, err := s.Schedule(nothing); return err }())
		}
		release()
		synctest.Wait()
		assert.Equal(t, 1, s.Stats().Idle)
		pass(2 * time.Second)
		assert.Zero(t, s.Stats().Workers)
	})
}

// E4 (#1080): one transient refusal ended the scheduler.
func TestE4_OnlyShutDownEndsTheScheduler(t *testing.T) {
	fail := errors.New("busy")
	n := 0
	s := FromExecutor(executors.Func(func(ctx context.Context, task executors.Task) error {
		if n++; n%2 == 1 {
			return fail
		}
		task(ctx)
		return nil
	}))
	for range 10 {
		assert.ErrorIs(t, s.Execute(nothing), fail)
		assert.NoError(t, s.Execute(nothing))
	}
	assert.False(t, s.IsDisposed())
}

// E5 (#1474): a busy worker was handed out again after a cancellation.
func TestE5_CancelDoesNotFreeABusySlot(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(2, 10, "t"))
		defer s.Dispose()
		gate := make(chan struct{})
		stuck := func(context.Context) { <-gate } // does not look at its context
		d := accept(t)(s.Schedule(stuck))
		w := s.NewWorker()
		require.NoError(t, w.Execute(stuck))
		synctest.Wait()
		d.Dispose()
		synctest.Wait()
		busy := s.Stats().Slots[0]
		assert.Equal(t, 1, busy.Holders, "until its task ends")
		assert.Equal(t, 2, s.Stats().Busy)
		close(gate)
		synctest.Wait()
		assert.Equal(t, 1, s.Stats().Idle)
		assert.Equal(t, busy.Name, where(t, s.NewWorker()))
	})
}

// E6 (#1107, #962, #3948): a task that cancels itself interrupted its own or the
// next callback.
func TestE6_SelfCancelReachesNobody(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		for range 100 {
			var d Disposable
			ready := make(chan struct{})
			var after journal[error]
			d = accept(t)(l.Schedule(func(ctx context.Context) {
				<-ready
				child, cancel := context.WithCancel(ctx)
				defer cancel()
				d.Dispose()
				after.note(ctx.Err())
				after.note(child.Err())
			}))
			accept(t)(l.Schedule(func(ctx context.Context) { after.note(ctx.Err()) }))
			close(ready)
			require.NoError(t, l.Execute(func(ctx context.Context) { after.note(ctx.Err()) }))
			synctest.Wait()
			require.Equal(t, []error{nil, nil, nil, nil}, after.read())
		}
	})
}

// E7 (#4061): a refusal raced the shutdown, the task was neither run nor refused.
func TestE7_RunXorRejected(t *testing.T) {
	for _, graceful := range []bool{true, false} {
		for _, k := range kinds {
			t.Run(k.name, func(t *testing.T) {
				racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
					s := k.make()
					w := s.NewWorker()
					var accepted, ran atomic.Int64
					submit := func(l lane) func() {
						return func() {
							for i := range 5 {
								var err error
								if i%2 == 0 {
									err = l.Execute(func(context.Context) { ran.Add(1) })
								} else {
									_, err = l.Schedule(func(context.Context) { ran.Add(1) })
								}
								if err == nil {
									accepted.Add(1)
								} else {
									assert.ErrorIs(t, err, ErrUnavailable)
								}
							}
						}
					}
					stop := func() { _ = s.DisposeGracefully(context.Background()) }
					if !graceful {
						stop = s.Dispose
					}
					race(submit(s), submit(w), stop)
					require.NoError(t, s.DisposeGracefully(context.Background()))
					st := s.Stats()
					if graceful {
						require.Equal(t, accepted.Load(), ran.Load())
					}
					require.EqualValues(t, ran.Load(), st.Completed)
					require.EqualValues(t, accepted.Load(), st.Completed+st.Dropped)
					require.EqualValues(t, 10-accepted.Load(), st.Rejected)
					w.Dispose()
				})
			})
		}
	}
}

// E8 (#3954): one busy loop starved others on the same worker. A task that
// continues by scheduling itself lets every other lane of its slot take turns.
func TestE8_LoopsOnOneSlotTakeTurns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		defer s.Dispose()
		var j journal[int]
		var wg sync.WaitGroup
		release := blocked(t, s)
		for id := range 3 {
			w := s.NewWorker()
			wg.Add(1)
			n := 0
			var loop Task
			loop = func(context.Context) {
				j.note(id)
				if n++; n == 100 {
					w.Dispose()
					wg.Done()
					return
				}
				assert.NoError(t, w.Execute(loop))
			}
			require.NoError(t, w.Execute(loop))
		}
		release()
		wg.Wait()
		for i, id := range j.read() {
			require.Equal(t, i%3, id, "turn %d", i)
		}
	})
}
