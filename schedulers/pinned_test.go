package schedulers

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
)

// After a disposal there is nothing to wait for, whatever the context says: what was queued is gone.
func TestA9_8_SingleWorkerGracefulAfterDispose(t *testing.T) {
	bubble(t, func(t *testing.T) {
		source := NewSingle("source")
		defer source.Dispose()
		s := SingleWorker(source)
		accept(t)(s.ScheduleAfter(func(context.Context) { t.Error("dropped") }, time.Hour))
		s.Dispose()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for range 100 {
			require.NoError(t, s.DisposeGracefully(ended))
		}
	})
}

// A queue that is full has no place for the last task: what waits in it is run all the same.
func TestA9_8_SingleWorkerGracefulOfAFullQueue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		source, err := NewBoundedElastic(1, 1, "t")
		require.NoError(t, err)
		defer source.Dispose()
		s := SingleWorker(source)
		var j journal[string]
		require.NoError(t, s.Execute(func(ctx context.Context) {
			time.Sleep(time.Second)
			j.note("first")
			assert.NoError(t, ctx.Err())
		}))
		synctest.Wait()
		require.NoError(t, s.Execute(j.noting("second")))
		ended, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		assert.ErrorIs(t, s.DisposeGracefully(ended), context.DeadlineExceeded)
		require.NoError(t, s.DisposeGracefully(t.Context()))
		assert.Equal(t, []string{"first", "second"}, j.read())
		assert.ErrorIs(t, s.Execute(nothing), ErrRejected)
	})
}

// A disposal cuts a wait for room short.
func TestA9_8_SingleWorkerDisposedWithAFullQueue(t *testing.T) {
	for name, dispose := range map[string]func(source, s Scheduler){
		"itself": func(_, s Scheduler) { s.Dispose() },
		"source": func(source, _ Scheduler) { source.Dispose() },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				source, err := NewBoundedElastic(1, 1, "t")
				require.NoError(t, err)
				defer source.Dispose()
				s := SingleWorker(source)
				require.NoError(t, s.Execute(func(ctx context.Context) { <-ctx.Done() }))
				synctest.Wait()
				require.NoError(t, s.Execute(func(context.Context) { t.Error("dropped") }))
				time.AfterFunc(time.Minute, func() { dispose(source, s) })
				require.NoError(t, s.DisposeGracefully(t.Context()))
			})
		})
	}
}

// A source that runs out still runs what its worker has, but takes no last task.
func TestA9_8_SingleWorkerOfASourceThatRunsOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		source := NewSingle("source")
		s := SingleWorker(source)
		var j journal[string]
		require.NoError(t, s.Execute(func(context.Context) { time.Sleep(time.Second) }))
		require.NoError(t, s.Execute(j.noting("second")))
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		require.Error(t, source.DisposeGracefully(ended))
		require.Error(t, s.DisposeGracefully(ended))
		require.NoError(t, s.DisposeGracefully(t.Context()))
		assert.Equal(t, []string{"second"}, j.read())
		require.NoError(t, source.DisposeGracefully(t.Context()))
	})
}

// What a source has dropped nobody waits for, when it was disposed before or meanwhile.
func TestA9_8_SingleWorkerOfASourceThatIsDisposed(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) Scheduler{
		"single":  func(*testing.T) Scheduler { return NewSingle("source") },
		"timed":   func(*testing.T) Scheduler { return Timed(NewSingle("source"), newTestMeter(), "t") },
		"pinned":  func(*testing.T) Scheduler { return SingleWorker(NewSingle("source")) },
		"elastic": func(t *testing.T) Scheduler { return must(NewBoundedElastic(1, 10, "source")) },
		"pool": func(t *testing.T) Scheduler {
			p, err := executors.NewScheduledPool(1)
			require.NoError(t, err)
			return FromScheduledPool(p)
		},
	} {
		for when, after := range map[string]time.Duration{"before": 0, "meanwhile": time.Minute} {
			if when == "meanwhile" && (name == "pool" || name == "pinned") {
				continue // nobody tells of that
			}
			t.Run(name+"/"+when, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					source := open(t)
					s := SingleWorker(source)
					accept(t)(s.Schedule(func(ctx context.Context) { <-ctx.Done() }))
					synctest.Wait()
					accept(t)(s.Schedule(func(context.Context) { t.Error("dropped") }))
					require.NoError(t, s.Execute(func(context.Context) { t.Error("dropped") }))
					if after == 0 {
						source.Dispose()
					} else {
						time.AfterFunc(after, source.Dispose)
					}
					ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
					defer cancel()
					require.NoError(t, s.DisposeGracefully(ctx))
					assert.ErrorIs(t, s.Execute(nothing), ErrRejected)
				})
			})
		}
	}
}

// What a pool drops, since it was shut down, is not waited for: no graceful disposal would end.
func TestA9_8_SingleWorkerGracefulOfAPoolThatIsShutDown(t *testing.T) {
	wraps := map[string]func(s Scheduler) Scheduler{
		"itself": func(s Scheduler) Scheduler { return s },
		"timed":  func(s Scheduler) Scheduler { return Timed(s, newTestMeter(), "x") },
		"pinned": SingleWorker,
	}
	calls := map[string]func(s Scheduler, task Task) error{
		"Execute":         func(s Scheduler, task Task) error { return s.Execute(task) },
		"Schedule":        func(s Scheduler, task Task) error { _, err := s.Schedule(task); return err },
		"ScheduleAfter":   func(s Scheduler, task Task) error { _, err := s.ScheduleAfter(task, time.Hour); return err },
		"worker.Schedule": func(s Scheduler, task Task) error { _, err := s.NewWorker().Schedule(task); return err },
	}
	for _, inOrder := range []bool{false, true} {
		for wrapped, wrap := range wraps {
			for called, call := range calls {
				if wrapped == "pinned" && called == "ScheduleAfter" {
					continue // its workers have no timed tasks
				}
				for _, dispose := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, %s, in order %v, disposed %v", wrapped, called, inOrder, dispose), func(t *testing.T) {
						bubble(t, func(t *testing.T) {
							pool, err := executors.NewScheduledPool(1)
							require.NoError(t, err)
							source := FromExecutorService(pool, "pool")
							if inOrder {
								source = FromScheduledPool(pool)
							}
							s := SingleWorker(wrap(source))
							busy := make(chan struct{})
							require.NoError(t, s.Execute(func(context.Context) { <-busy }))
							synctest.Wait()
							for range 2 {
								require.NoError(t, call(s, nothing))
							}
							ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
							defer cancel()
							ended := make(chan error, 1)
							go func() { ended <- s.DisposeGracefully(ctx) }()
							synctest.Wait()
							assert.Empty(t, ended)
							if dispose {
								source.Dispose()
							} else {
								pool.ShutdownNow()
							}
							close(busy)
							assert.NoError(t, <-ended)
							assert.NoError(t, s.DisposeGracefully(ctx), "the second time")
							assert.Zero(t, s.Stats().Queued)
						})
					})
				}
			}
		}
	}
}

// thoughtful takes its time to dispose a worker.
type thoughtful struct {
	Scheduler
	disposals *atomic.Int32
}

func (s thoughtful) NewWorker() Worker { return thoughtfulWorker{s.Scheduler.NewWorker(), s.disposals} }

type thoughtfulWorker struct {
	Worker
	disposals *atomic.Int32
}

func (w thoughtfulWorker) Dispose() {
	if w.disposals.Add(1) == 1 {
		time.Sleep(time.Second)
	}
	w.Worker.Dispose()
}

// A task that disposes the scheduler does not end its own context. Who waits for a graceful disposal meanwhile does not see to the
// worker in its place: from there the task would be disposed with the others.
func TestA9_8_SingleWorkerDisposedByATaskDuringAGracefulDisposal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		source := NewSingle("source")
		defer source.Dispose()
		var disposals atomic.Int32
		s := SingleWorker(thoughtful{source, &disposals})
		begin := make(chan struct{})
		require.NoError(t, s.Execute(func(context.Context) {
			<-begin
			s.Dispose()
		}))
		ended := make(chan error, 1)
		go func() { ended <- s.DisposeGracefully(t.Context()) }()
		synctest.Wait()
		close(begin)
		require.NoError(t, <-ended)
		assert.EqualValues(t, 1, disposals.Load())
		time.Sleep(time.Minute)
		assert.EqualValues(t, 1, disposals.Load())
	})
}
