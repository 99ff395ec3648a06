package schedulers

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
)

// A task that ends its goroutine ends that of the worker below it, too, which tells of it: once is enough.
func TestA9_8_GoexitOnASingleWorkerIsToldOnce(t *testing.T) {
	for name, source := range map[string]func(t *testing.T) Scheduler{
		"single":  func(*testing.T) Scheduler { return NewSingle("s") },
		"elastic": func(*testing.T) Scheduler { return must(NewBoundedElastic(1, 10, "e")) },
		"timed":   func(*testing.T) Scheduler { return Timed(NewSingle("s"), newTestMeter(), "x") },
		"pinned":  func(*testing.T) Scheduler { return SingleWorker(NewSingle("s")) },
		"pool": func(t *testing.T) Scheduler {
			pool, err := executors.NewScheduledPool(1)
			require.NoError(t, err)
			return FromScheduledPool(pool)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				errs := catchErrors(t)
				below := source(t)
				defer func() { assert.NoError(t, below.DisposeGracefully(t.Context())) }()
				s := SingleWorker(below)
				exits := func(context.Context) { runtime.Goexit() }
				n := 0
				for _, schedule := range []func() error{
					func() error { return s.Execute(exits) },
					func() error { _, err := s.Schedule(exits); return err },
					func() error { _, err := s.ScheduleAfter(exits, time.Second); return err },
					func() error { _, err := s.SchedulePeriodically(exits, 0, time.Hour, StopOnError()); return err },
					func() error { return s.NewWorker().Execute(exits) },
				} {
					err := schedule()
					if name == "pinned" && errors.Is(err, ErrNotTimeCapable) {
						continue // the workers of one have no timed tasks
					}
					require.NoError(t, err)
					pass(time.Second)
					n++
					require.Len(t, errs.read(), n)
					assert.ErrorIs(t, errs.read()[n-1], reactor.ErrGoexit)
				}
				require.NoError(t, s.DisposeGracefully(t.Context()))
			})
		})
	}
	t.Run("immediate tells of nothing", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			errs := catchErrors(t)
			s := SingleWorker(Immediate())
			go func() {
				_, err := s.Schedule(func(context.Context) { runtime.Goexit() })
				t.Error("it returned", err)
			}()
			synctest.Wait()
			assert.Len(t, errs.read(), 1)
		})
	})
}

// The context of a series ends with it, also if a graceful disposal ends that between two runs: who waits for that would wait for ever.
func TestA6_4_ContextsOfSeriesEndWithAGracefulDisposal(t *testing.T) {
	for name, at := range map[string]time.Duration{"in the queue": 1500 * time.Millisecond, "until its time": 2500 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			forLanes(t, func(t *testing.T, s Scheduler, l lane) {
				var contexts journal[<-chan struct{}]
				for _, period := range []time.Duration{0, time.Hour} {
					accept(t)(l.SchedulePeriodically(func(ctx context.Context) {
						contexts.note(ctx.Done())
						time.Sleep(time.Second)
					}, 0, period))
				}
				pass(at)
				require.NoError(t, s.DisposeGracefully(t.Context()))
				for _, done := range contexts.read() {
					select {
					case <-done:
					default:
						t.Error("a context has no end")
					}
				}
			})
		})
	}
}

// What a disposal drops holds no slot any more.
func TestA10_NobodyHoldsASlotAfterADisposal(t *testing.T) {
	for _, k := range kinds[2:] {
		for name, dispose := range map[string]func(s Scheduler, release func()){
			"force": func(s Scheduler, release func()) { s.Dispose(); release() },
			"graceful": func(s Scheduler, release func()) {
				release()
				_ = s.DisposeGracefully(context.Background(), DropDelayed())
			},
			"both": func(s Scheduler, release func()) {
				ended, cancel := context.WithCancel(context.Background())
				cancel()
				_ = s.DisposeGracefully(ended, DropDelayed())
				s.Dispose()
				release()
			},
		} {
			t.Run(k.name+"/"+name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					s := k.make()
					var releases []func()
					for range s.Stats().Capacity {
						releases = append(releases, blocked(t, s))
					}
					for range 3 * len(releases) {
						require.NoError(t, s.Execute(nothing))
						accept(t)(s.Schedule(nothing))
						accept(t)(s.ScheduleAfter(nothing, time.Hour))
						accept(t)(s.SchedulePeriodically(nothing, 0, time.Hour))
						accept(t)(s.SchedulePeriodically(nothing, time.Hour, time.Hour))
					}
					dispose(s, func() {
						for _, release := range releases {
							release()
						}
					})
					require.NoError(t, s.DisposeGracefully(t.Context()))
					st := s.Stats()
					assert.Zero(t, st.Busy, "%+v", st)
					assert.Zero(t, st.Queued)
					for _, sl := range st.Slots {
						assert.Zero(t, sl.Holders)
					}
				})
			})
		}
	}
}

// A graceful disposal loses nothing of what stands behind a task that ends its goroutine, though the pool takes nothing more.
func TestA9_7_GracefulDisposalAfterAGoexit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		errs := catchErrors(t)
		pool, err := executors.NewScheduledPool(1)
		require.NoError(t, err)
		s := FromScheduledPool(pool)
		w := s.NewWorker()
		var j journal[string]
		gate := make(chan struct{})
		require.NoError(t, w.Execute(func(context.Context) { <-gate; runtime.Goexit() }))
		require.NoError(t, w.Execute(j.noting("a")))
		require.NoError(t, w.Execute(func(context.Context) { j.note("b"); runtime.Goexit() }))
		require.NoError(t, w.Execute(j.noting("c")))
		accept(t)(w.ScheduleAfter(j.noting("d"), time.Hour))
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		require.Error(t, s.DisposeGracefully(ended))
		close(gate)
		require.NoError(t, s.DisposeGracefully(t.Context()))
		assert.Equal(t, []string{"a", "b", "c", "d"}, j.read())
		assert.Len(t, errs.read(), 2)
		assert.Zero(t, s.Stats().Dropped)
	})
}

// A pool with more than one goroutine keeps no order: the last task of a graceful disposal does not stand for those before it.
func TestA9_8_SingleWorkerOfAPoolGracefully(t *testing.T) {
	for name, wrap := range map[string]func(s Scheduler) Scheduler{
		"itself": func(s Scheduler) Scheduler { return s },
		"timed":  func(s Scheduler) Scheduler { return Timed(s, newTestMeter(), "x") },
		"pinned": SingleWorker,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				pool, err := executors.NewThreadPool(2, 2, time.Minute, executors.Unbounded())
				require.NoError(t, err)
				source := FromExecutorService(pool, "pool")
				defer func() { assert.NoError(t, source.DisposeGracefully(t.Context())) }()
				s := SingleWorker(wrap(source))
				var j journal[error]
				for range 3 {
					require.NoError(t, s.Execute(func(ctx context.Context) {
						time.Sleep(time.Second)
						j.note(ctx.Err())
					}))
				}
				require.NoError(t, s.DisposeGracefully(t.Context()))
				assert.Equal(t, []error{nil, nil, nil}, j.read())
			})
		})
	}
}

// A task that is refused counts as refused, also if it was disposed on the way: nobody dropped what was never accepted.
func TestA9_5_RefusedIsNotDropped(t *testing.T) {
	for _, opts := range [][]ExecutorOption{nil, {Trampoline()}} {
		var w Worker
		full := errors.New("full")
		s := FromExecutor(executors.Func(func(context.Context, executors.Task) error {
			w.Dispose()
			return full
		}), opts...)
		w = s.NewWorker()
		assert.ErrorIs(t, w.Execute(nothing), full)
		assert.EqualValues(t, 1, s.Stats().Rejected)
		assert.Zero(t, s.Stats().Dropped)
		assert.NoError(t, s.DisposeGracefully(t.Context()))
	}
}

// The last task of a graceful disposal is nobody's: a decorator can't refuse it, and neither hooks nor instruments hear of it.
func TestA9_8_SingleWorkerGracefulPastADecorator(t *testing.T) {
	for name, wrap := range map[string]func(s Scheduler) Scheduler{
		"itself": func(s Scheduler) Scheduler { return s },
		"timed":  func(s Scheduler) Scheduler { return Timed(s, newTestMeter(), "x") },
		"pinned": SingleWorker,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var refuses, hooked atomic.Int32
				AddExecutorDecorator("t", decoratorFunc(func(e executors.Executor) executors.Executor {
					return executors.Func(func(ctx context.Context, task executors.Task) error {
						if refuses.Load() > 0 {
							return errors.New("not today")
						}
						return e.Execute(ctx, task)
					})
				}))
				source := NewSingle("s")
				RemoveExecutorDecorator("t")
				defer source.Dispose()
				defer OnScheduleHook("t", func(task Task) Task { hooked.Add(1); return task })()
				s := SingleWorker(wrap(source))
				var j journal[error]
				for range 2 {
					require.NoError(t, s.Execute(func(ctx context.Context) {
						time.Sleep(time.Second)
						j.note(ctx.Err())
					}))
				}
				refuses.Store(1)
				require.NoError(t, s.DisposeGracefully(t.Context()))
				assert.Equal(t, []error{nil, nil}, j.read())
				assert.EqualValues(t, 2, hooked.Load())
			})
		})
	}
}
