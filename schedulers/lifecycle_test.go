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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestA8_1_DisposedFromTheBeginningOfADisposal(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		assert.False(t, s.IsDisposed())
		release := blocked(t, s)
		var wg sync.WaitGroup
		wg.Go(func() { assert.NoError(t, s.DisposeGracefully(context.Background())) })
		synctest.Wait()
		assert.True(t, s.IsDisposed())
		assert.True(t, s.Stats().Disposed)
		release()
		wg.Wait()
		assert.True(t, s.IsDisposed())
	})
}

func TestA8_4_Dispose(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		w := s.NewWorker()
		running, cause := make(chan struct{}), make(chan error, 2)
		task := func(ctx context.Context) {
			running <- struct{}{}
			<-ctx.Done()
			cause <- context.Cause(ctx)
		}
		require.NoError(t, w.Execute(task))
		<-running
		n := 1
		if s.Stats().Capacity > 1 {
			accept(t)(s.Schedule(task)) // on another slot
			<-running
			n++
		}
		var j journal[int]
		handles := []Disposable{
			accept(t)(w.Schedule(j.noting(1))),
			accept(t)(w.ScheduleAfter(j.noting(2), time.Second)),
			accept(t)(w.SchedulePeriodically(j.noting(3), 0, time.Second)),
			accept(t)(w.SchedulePeriodically(j.noting(4), time.Second, time.Second)),
		}
		require.NoError(t, w.Execute(j.noting(5)))
		s.Dispose()
		for range n {
			assert.ErrorIs(t, <-cause, ErrTaskDisposed)
		}
		s.Dispose()
		for _, d := range handles {
			assert.True(t, d.IsDisposed())
			d.Dispose()
		}
		assertRefuses(t, s, Disposed, ErrUnavailable)
		assertRefuses(t, w, Disposed, ErrUnavailable)
		pass(time.Minute)
		assert.Empty(t, j.read())
		st := s.Stats()
		assert.Zero(t, st.Queued)
		assert.EqualValues(t, 5, st.Dropped)
		assert.EqualValues(t, n, st.Completed)
		w.Dispose()
		assert.EqualValues(t, 5, s.Stats().Dropped)
		assert.NoError(t, s.DisposeGracefully(t.Context()), "it has ended")
	})
}

func TestA8_4_DisposeCutsAGracefulDisposalShort(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		var j journal[int]
		running := make(chan struct{})
		require.NoError(t, s.Execute(func(ctx context.Context) {
			close(running)
			<-ctx.Done()
		}))
		<-running
		accept(t)(s.ScheduleAfter(j.noting(1), time.Hour))
		var wg sync.WaitGroup
		wg.Go(func() { assert.NoError(t, s.DisposeGracefully(context.Background())) })
		synctest.Wait()
		start := time.Now()
		s.Dispose()
		wg.Wait()
		assert.Zero(t, time.Since(start))
		assert.Empty(t, j.read())
	})
}

func TestA8_5_GracefulRunsWhatWasAccepted(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		var j journal[string]
		w := s.NewWorker()
		release := blocked(t, w)
		require.NoError(t, w.Execute(j.noting("queued")))
		accept(t)(w.Schedule(j.noting("queued with handle")))
		accept(t)(w.ScheduleAfter(j.noting("delayed"), time.Hour))
		series := []Disposable{
			accept(t)(w.SchedulePeriodically(j.noting("late series"), time.Minute, time.Minute)),
			accept(t)(w.SchedulePeriodically(j.noting("series"), 0, time.Minute)),
		}
		start := time.Now()
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { assert.NoError(t, s.DisposeGracefully(context.Background())) })
		}
		synctest.Wait()
		assertRefuses(t, s, Disposed, ErrUnavailable)
		assertRefuses(t, w, Disposed, ErrUnavailable)
		assert.True(t, series[0].IsDisposed())
		assert.True(t, series[1].IsDisposed())
		release()
		wg.Wait()
		assert.Equal(t, time.Hour, time.Since(start), "the delayed task holds it")
		assert.Equal(t, []string{"queued", "queued with handle", "delayed"}, j.read())
		assert.NoError(t, s.DisposeGracefully(t.Context()), "may be repeated")
		w.Dispose()
	})
}

func TestA8_6_GracefulEndsWithItsContext(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		release := blocked(t, s)
		impatient := errors.New("impatient")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, impatient)
		defer cancel()
		start := time.Now()
		assert.ErrorIs(t, s.DisposeGracefully(ctx), impatient)
		assert.Equal(t, time.Minute, time.Since(start))
		ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		assert.ErrorIs(t, s.DisposeGracefully(ctx), context.DeadlineExceeded)
		release()
		assert.NoError(t, s.DisposeGracefully(t.Context()))
		done, cancel := context.WithCancel(t.Context())
		cancel()
		assert.NoError(t, s.DisposeGracefully(done), "what has ended has ended")
	})
}

func TestA8_6_DropDelayed(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		var j journal[string]
		release := blocked(t, s)
		w := s.NewWorker()
		require.NoError(t, w.Execute(j.noting("queued")))
		var delayed []Disposable
		for i := range 20 {
			delayed = append(delayed, accept(t)(s.ScheduleAfter(j.noting("delayed"), time.Hour+time.Duration(i*7%20))))
		}
		start := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { assert.NoError(t, s.DisposeGracefully(context.Background(), DropDelayed())) })
		synctest.Wait()
		release()
		wg.Wait()
		assert.Zero(t, time.Since(start))
		assert.Equal(t, []string{"queued"}, j.read())
		for _, d := range delayed {
			assert.True(t, d.IsDisposed())
		}
	})
}

// One graceful disposal costs no goroutine but that of its caller.
func TestA8_6_GracefulNeedsNoGoroutine(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		release := blocked(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		before := runtime.NumGoroutine()
		for range 100 {
			assert.ErrorIs(t, s.DisposeGracefully(ctx), context.Canceled)
		}
		assert.LessOrEqual(t, runtime.NumGoroutine(), before)
		release()
	})
}

// Tasks that dispose their own handles, or whose worker goes, end a graceful
// disposal too.
func TestA8_5_GracefulEndsWhenTheRestIsWithdrawn(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		w := s.NewWorker()
		d := accept(t)(s.ScheduleAfter(nothing, time.Hour))
		accept(t)(w.ScheduleAfter(nothing, time.Hour))
		start := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { assert.NoError(t, s.DisposeGracefully(context.Background())) })
		synctest.Wait()
		d.Dispose()
		w.Dispose()
		wg.Wait()
		assert.Zero(t, time.Since(start))
	})
}

// Schedulers on others, and on pools, drop what is delayed, too.
func TestA8_6_DropDelayedOnOthers(t *testing.T) {
	for name, makeOne := range map[string]func(t *testing.T) Scheduler{
		"singleWorker": func(t *testing.T) Scheduler {
			source := NewSingle("t")
			t.Cleanup(source.Dispose)
			return SingleWorker(source)
		},
		"scheduledPool": func(t *testing.T) Scheduler { return FromScheduledPool(scheduledPool(t, 1)) },
		"pool":          func(t *testing.T) Scheduler { return FromExecutorService(scheduledPool(t, 1), "t") },
		"service":       func(*testing.T) Scheduler { return FromExecutorService(newTestService(), "t") },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := makeOne(t)
				var j journal[string]
				require.NoError(t, s.Execute(func(context.Context) { time.Sleep(time.Minute) }))
				delayed := []Disposable{accept(t)(s.ScheduleAfter(j.noting("delayed"), time.Hour))}
				if name != "singleWorker" { // whose workers have no timed tasks
					delayed = append(delayed, accept(t)(s.NewWorker().ScheduleAfter(j.noting("delayed"), time.Hour)))
				}
				delayed = append(delayed, accept(t)(s.SchedulePeriodically(j.noting("series"), time.Hour, time.Hour)))
				accept(t)(s.ScheduleAfter(j.noting("due"), time.Millisecond))
				pass(time.Second)
				start := time.Now()
				var ended atomic.Int32
				for _, opts := range [][]DisposeOption{nil, {DropDelayed()}} { // the second one drops what the first waits for
					go func() {
						assert.NoError(t, s.DisposeGracefully(context.Background(), opts...))
						ended.Add(1)
					}()
					synctest.Wait()
					assert.Equal(t, len(opts) > 0, delayed[0].IsDisposed())
					_, err := s.ScheduleAfter(j.noting("refused"), time.Hour)
					assert.ErrorIs(t, err, ErrUnavailable)
				}
				for _, d := range delayed {
					assert.True(t, d.IsDisposed())
				}
				pass(time.Minute)
				assert.EqualValues(t, 2, ended.Load(), "after %v", time.Since(start))
				assert.Equal(t, []string{"due"}, j.read(), "its time had come")
				s.Dispose()
			})
		})
	}
}

// A delayed task that is due, and waits for the one that runs, is not dropped.
func TestDropDelayedLeavesWhatIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSingle("s")
		ran, release := false, make(chan struct{})
		require.NoError(t, s.Execute(func(context.Context) { <-release }))
		_, err := s.ScheduleAfter(func(context.Context) { ran = true }, time.Second)
		require.NoError(t, err)
		_, err = s.ScheduleAfter(func(context.Context) { t.Error("its time has not come") }, time.Hour)
		require.NoError(t, err)
		time.Sleep(time.Minute)
		go func() {
			synctest.Wait()
			close(release)
		}()
		require.NoError(t, s.DisposeGracefully(t.Context(), DropDelayed()))
		assert.True(t, ran)
	})
	overPools(t, func(t *testing.T, s Scheduler) { dropsNothingDue(t, s, s.NewWorker()) })
	forLanes(t, dropsNothingDue)
}

// dropsNothingDue disposes s just when the time of a task has come that waits for the one that runs.
func dropsNothingDue(t *testing.T, s Scheduler, l lane) {
	ran := false
	if f, ok := l.(*fixed); ok && len(f.slots) > 1 {
		return // the two have slots of their own
	}
	require.NoError(t, l.Execute(func(context.Context) { time.Sleep(2 * time.Second) }))
	synctest.Wait()
	accept(t)(l.ScheduleAfter(func(context.Context) { ran = true }, time.Second))
	time.Sleep(time.Second)
	require.NoError(t, s.DisposeGracefully(t.Context(), DropDelayed()))
	assert.True(t, ran)
}

// A series that runs when its scheduler is disposed gracefully does not keep that for its next time.
func TestA8_5_ASeriesThatRunsAtTheEnd(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		accept(t)(l.SchedulePeriodically(func(context.Context) { time.Sleep(time.Second) }, 0, time.Hour))
		pass(time.Second / 2)
		start := time.Now()
		require.NoError(t, s.DisposeGracefully(t.Context()))
		assert.Equal(t, time.Second/2, time.Since(start))
	})
}

// A handle knows that its scheduler was disposed, also while its task runs.
func TestA8_4_HandleOfARunningTask(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		gate := make(chan struct{})
		d := accept(t)(l.Schedule(func(context.Context) { <-gate }))
		synctest.Wait()
		assert.False(t, d.IsDisposed())
		s.Dispose()
		assert.True(t, d.IsDisposed())
		close(gate)
	})
}
