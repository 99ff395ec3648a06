package schedulers

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func threadPool(t *testing.T, core, most int, queue executors.Queue, opts ...executors.Option) *executors.ThreadPool {
	t.Helper()
	p, err := executors.NewThreadPool(core, most, time.Minute, queue, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { p.ShutdownNow() })
	return p
}

func scheduledPool(t *testing.T, core int) *executors.ScheduledPool {
	t.Helper()
	p, err := executors.NewScheduledPool(core)
	require.NoError(t, err)
	t.Cleanup(func() { p.ShutdownNow() })
	return p
}

func TestA9_6_PoolIsOwned(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := threadPool(t, 2, 2, executors.Unbounded())
		s := FromExecutor(p, Named("mine"))
		var j journal[string]
		require.NoError(t, s.Execute(func(ctx context.Context) { j.note(WorkerName(ctx)); time.Sleep(time.Second) }))
		_, err := s.ScheduleAfter(nothing, time.Second)
		assert.ErrorIs(t, err, ErrNotTimeCapable)
		require.NoError(t, s.DisposeGracefully(context.Background()))
		assert.True(t, p.IsTerminated())
		assert.Equal(t, []string{"mine"}, j.read())

		sp := scheduledPool(t, 2)
		sched := FromScheduledPool(sp)
		_, err = sched.ScheduleAfter(nothing, time.Hour)
		require.NoError(t, err)
		sched.Dispose()
		synctest.Wait()
		assert.True(t, sp.IsTerminated())
		assert.ErrorIs(t, sched.Execute(nothing), ErrUnavailable)
	})
}

// A policy that discards would leave a stream waiting for ever: scheduler tasks are
// refused instead.
func TestPoliciesDoNotLoseSchedulerTasks(t *testing.T) {
	for name, policy := range map[string]executors.Policy{"discard": executors.Discard, "oldest": executors.DiscardOldest, "abort": executors.Abort} {
		for _, trampoline := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					p := threadPool(t, 1, 1, executors.Bounded(1), executors.WithPolicy(policy))
					opts := []ExecutorOption{Named("s")}
					if trampoline {
						opts = append(opts, Trampoline())
					}
					s := FromExecutor(p, opts...)
					release := blocked(t, s)
					ran := 0
					require.NoError(t, s.NewWorker().Execute(func(context.Context) { ran++ }))
					err := s.NewWorker().Execute(nothing)
					assert.ErrorIs(t, err, ErrUnavailable)
					assert.ErrorIs(t, err, ErrRejected)
					assert.ErrorIs(t, err, executors.ErrSaturated)
					release()
					synctest.Wait()
					assert.Equal(t, 1, ran)
					require.NoError(t, s.NewWorker().Execute(nothing), "accepts again")
				})
			})
		}
	}
}

func TestA4_8_DisposedTaskLeavesThePool(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := threadPool(t, 1, 1, executors.Bounded(1))
		s := FromExecutor(p)
		release := blocked(t, s)
		d := accept(t)(s.Schedule(nothing))
		assert.Equal(t, 1, p.Stats().Queued)
		d.Dispose()
		assert.Zero(t, p.Stats().Queued)
		w := s.NewWorker()
		accept(t)(w.Schedule(nothing))
		w.Dispose()
		assert.Zero(t, p.Stats().Queued)
		release()
	})
}

// Somebody shuts the pool down behind the scheduler's back: handles end, and so does
// a graceful disposal.
func TestPoolShutDownByItsOwner(t *testing.T) {
	errs := catchErrors(t)
	for _, trampoline := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			p := threadPool(t, 1, 1, executors.Unbounded())
			var opts []ExecutorOption
			if trampoline {
				opts = append(opts, Trampoline())
			}
			s := FromExecutor(p, opts...)
			release := blocked(t, s)
			w := s.NewWorker()
			d := accept(t)(w.Schedule(nothing))
			p.ShutdownNow()
			assert.True(t, d.IsDisposed())
			release()
			assert.NoError(t, s.DisposeGracefully(context.Background()))
			_, err := w.Schedule(nothing)
			assert.ErrorIs(t, err, ErrUnavailable)
		})
	}
	assert.Len(t, errs.read(), 1, "the task in the line")
	bubble(t, func(t *testing.T) {
		p := scheduledPool(t, 2)
		s := FromScheduledPool(p)
		w := s.NewWorker()
		d := accept(t)(w.ScheduleAfter(nothing, time.Hour))
		series := accept(t)(w.SchedulePeriodically(nothing, time.Hour, time.Hour))
		p.ShutdownNow()
		assert.True(t, d.IsDisposed())
		assert.True(t, series.IsDisposed())
	})
}

// The workers of a scheduled pool are lanes, as those of the built-in schedulers.
func TestA5_1_WorkersOfAScheduledPoolAreSerial(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := FromScheduledPool(scheduledPool(t, 4))
		defer s.Dispose()
		w := s.NewWorker()
		var running atomic.Int32
		var j journal[int]
		task := func(i int) Task {
			return func(context.Context) {
				assert.EqualValues(t, 1, running.Add(1))
				time.Sleep(time.Millisecond)
				j.note(i)
				running.Add(-1)
			}
		}
		var want []int
		for i := range 20 {
			require.NoError(t, w.Execute(task(i)))
			want = append(want, i)
		}
		for i := range 20 {
			accept(t)(w.ScheduleAfter(task(100+i), time.Duration(1000+i)*time.Microsecond*100))
			want = append(want, 100+i)
		}
		pass(time.Second)
		assert.Equal(t, want, j.read())

		start := time.Now()
		var at journal[time.Duration]
		d := accept(t)(w.SchedulePeriodically(func(context.Context) {
			assert.EqualValues(t, 1, running.Add(1))
			at.note(time.Since(start) / time.Millisecond)
			time.Sleep(25 * time.Millisecond)
			running.Add(-1)
		}, 0, 10*time.Millisecond))
		accept(t)(w.ScheduleAfter(task(7), 12*time.Millisecond))
		pass(60 * time.Millisecond)
		d.Dispose()
		pass(time.Second)
		assert.Equal(t, []time.Duration{0, 25, 51}, at.read(), "task 7 was due between the others")
		assert.Zero(t, s.Stats().Rejected)
	})
}

func TestA9_PeriodicOnAScheduledPool(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := FromScheduledPool(scheduledPool(t, 2))
		start := time.Now()
		var j journal[time.Duration]
		d := accept(t)(s.SchedulePeriodically(func(context.Context) { j.note(time.Since(start) / time.Millisecond) }, 5*time.Millisecond, 10*time.Millisecond))
		pass(40 * time.Millisecond)
		d.Dispose()
		pass(time.Second)
		assert.Equal(t, []time.Duration{5, 15, 25, 35}, j.read())
		require.NoError(t, s.DisposeGracefully(context.Background()))
	})
	assert.PanicsWithValue(t, "schedulers: FromScheduledPool: pool is nil", func() { FromScheduledPool(nil) })
}

// A scheduler on a pool goes by the clock of the pool.
func TestA4_6_PeriodicByTheClockOfThePool(t *testing.T) {
	for name, of := range map[string]func(p *executors.ScheduledPool) Scheduler{
		"scheduledPool": func(p *executors.ScheduledPool) Scheduler { return FromScheduledPool(p) },
		"service":       func(p *executors.ScheduledPool) Scheduler { return FromExecutorService(p, "t") },
		"singleWorker":  func(p *executors.ScheduledPool) Scheduler { return SingleWorker(FromScheduledPool(p)) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				clock := newManualClock()
				p, err := executors.NewScheduledPool(1, executors.WithClock(clock))
				require.NoError(t, err)
				defer p.ShutdownNow()
				s := of(p)
				start := clock.Now()
				var runs journal[int]
				accept(t)(s.SchedulePeriodically(func(context.Context) {
					runs.note(int(clock.Now().Sub(start) / time.Second))
				}, time.Second, time.Second))
				for range 5 {
					synctest.Wait()
					clock.advance(time.Second)
				}
				synctest.Wait()
				assert.Equal(t, []int{1, 2, 3, 4, 5}, runs.read())
				assert.Equal(t, clock.Now(), s.Now())
			})
		})
	}
}

// The disposal of a scheduler ends the contexts of its tasks with ErrTaskDisposed, and
// not that of the task that disposes it.
func TestA9_6_DisposeEndsTheContextsOfOthers(t *testing.T) {
	for name, c := range map[string]struct {
		of   func(p *executors.ScheduledPool) Scheduler
		lane func(s Scheduler) lane
	}{
		"scheduledPool":           {func(p *executors.ScheduledPool) Scheduler { return FromScheduledPool(p) }, func(s Scheduler) lane { return s }},
		"worker of scheduledPool": {func(p *executors.ScheduledPool) Scheduler { return FromScheduledPool(p) }, func(s Scheduler) lane { return s.NewWorker() }},
		"service":                 {func(p *executors.ScheduledPool) Scheduler { return FromExecutorService(p, "t") }, func(s Scheduler) lane { return s }},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := scheduledPool(t, 3)
				s := c.of(p)
				dispose := make(chan struct{})
				var self error
				require.NoError(t, c.lane(s).Execute(func(ctx context.Context) {
					child, cancel := context.WithCancel(ctx)
					defer cancel()
					<-dispose
					s.Dispose()
					time.Sleep(time.Second)
					self = errors.Join(ctx.Err(), child.Err())
				}))
				var cause, late error
				require.NoError(t, c.lane(s).Execute(func(ctx context.Context) {
					<-ctx.Done()
					cause = context.Cause(ctx)
				}))
				d := accept(t)(c.lane(s).Schedule(func(ctx context.Context) {
					<-dispose // is disposed before
					late = context.Cause(ctx)
				}))
				synctest.Wait()
				d.Dispose()
				close(dispose)
				pass(time.Minute)
				assert.NoError(t, self)
				assert.Equal(t, ErrTaskDisposed, cause)
				assert.Equal(t, ErrTaskDisposed, late)
				assert.True(t, p.IsTerminated())
			})
			bubble(t, func(t *testing.T) { // from outside, and by whoever else has the pool
				for _, byOwner := range []bool{false, true} {
					p := scheduledPool(t, 1)
					s := c.of(p)
					var cause error
					require.NoError(t, c.lane(s).Execute(func(ctx context.Context) {
						<-ctx.Done()
						cause = context.Cause(ctx)
					}))
					synctest.Wait()
					want := ErrTaskDisposed
					if byOwner {
						p.ShutdownNow()
						want = executors.ErrShutdown
					} else {
						s.Dispose()
					}
					synctest.Wait()
					assert.Equal(t, want, cause)
				}
			})
		})
	}
}

// What waits in the lane of a worker behind the task that disposes the scheduler is
// dropped.
func TestA9_6_DisposeDropsTheLine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		errs := catchErrors(t)
		defer func() { assert.Empty(t, errs.read(), "its owner knows") }()
		s := FromScheduledPool(scheduledPool(t, 1))
		w := s.NewWorker()
		gate := make(chan struct{})
		require.NoError(t, w.Execute(func(context.Context) { <-gate; s.Dispose() }))
		d := accept(t)(w.Schedule(func(context.Context) { t.Error("dropped") }))
		close(gate)
		synctest.Wait()
		assert.True(t, d.IsDisposed())
		assert.Equal(t, []uint64{1, 1}, []uint64{s.Stats().Completed, s.Stats().Dropped})
	})
}

// So it is where the line waits for the pool.
func TestA9_6_DisposeDropsALineThatWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		errs := catchErrors(t)
		s := FromScheduledPool(scheduledPool(t, 1))
		gate := make(chan struct{})
		require.NoError(t, s.Execute(func(context.Context) { <-gate }))
		d := accept(t)(s.NewWorker().Schedule(func(context.Context) { t.Error("dropped") }))
		s.Dispose()
		assert.True(t, d.IsDisposed())
		close(gate)
		synctest.Wait()
		assert.Empty(t, errs.read(), "its owner knows")
	})
}
