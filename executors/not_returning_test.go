package executors_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a tracked task panics with is told to the error handler also if the submitter runs it: nobody else hears of it.
func TestTrackedTasksThatTheCallerRunsAndThatPanic(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var heard journal[error]
		p, g, _ := saturated(t, executors.CallerRuns, catch(&heard))
		_, err := p.Track(background, func(context.Context) { panic("in the caller") }, nil)
		require.NoError(t, err)
		if assert.Len(t, heard.read(), 1) {
			assert.ErrorContains(t, heard.read()[0], "in the caller")
		}
		away(t, func() { _, _ = p.Track(background, func(context.Context) { goexit() }, nil) })
		if assert.Len(t, heard.read(), 2) {
			assert.ErrorIs(t, heard.read()[1], reactor.ErrGoexit)
		}
		g.open()
	})
}

// A decorator that ends the goroutine when the next run is planned ends the job: nobody would look at the clock for it any more.
func TestJobWhoseDecoratorEndsTheGoroutine(t *testing.T) {
	modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
		var leave atomic.Bool
		s := newTaskScheduler(t, append(opts, quiet, executors.PoolOptions(executors.WithDecorator(func(task executors.Task) executors.Task {
			if leave.Swap(false) {
				goexit()
			}
			return task
		})))...)
		job := accept[*executors.Job](t)(s.AtFixedRate(time.Second, noError))
		pass(1500 * time.Millisecond)
		leave.Store(true)
		ctx, cancel := context.WithTimeout(background, time.Hour)
		defer cancel()
		select {
		case <-job.Done():
			assert.ErrorIs(t, job.Err(), reactor.ErrGoexit)
		case <-ctx.Done():
			assert.Fail(t, "it neither runs nor ends", "%v", job.Stats())
		}
	})
}

// A wall clock that does not return, once, ends the job that has asked for the time.
func TestJobWhoseClockFails(t *testing.T) {
	for name, fail := range map[string]func(){"panics": func() { panic("no time") }, "ends": goexit} {
		for at := 1; at < 12; at++ {
			t.Run(fmt.Sprint(name, at), func(t *testing.T) {
				modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
					var n atomic.Int32
					n.Store(1 << 20)
					s := newTaskScheduler(t, append(opts, quiet, executors.WallClock(func() time.Time {
						if n.Add(-1) == 0 {
							fail()
						}
						return time.Now()
					}))...)
					job := accept[*executors.Job](t)(s.AtFixedRate(time.Second, noError))
					pass(1500 * time.Millisecond)
					n.Store(int32(at))
					pass(20 * time.Second)
					st := job.Stats()
					assert.True(t, st.Done || st.Runs >= 15, "it neither runs nor ends: %v", st)
					if st.Done {
						assert.Error(t, job.Err())
					}
					assert.Zero(t, st.Running)
				})
			})
		}
	}
}

// The others are cancelled also if the policy panics, or ends the goroutine.
func TestInvokeAllWhosePolicyDoesNotReturn(t *testing.T) {
	for name, fail := range map[string]func(){"panics": func() { panic("policy") }, "ends": goexit} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := newPool(t, 1, 1, executors.Direct(), executors.WithPolicy(executors.PolicyFunc(func(*executors.Rejection) error { fail(); return nil })))
				run := func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, context.Cause(ctx) }
				away(t, func() {
					defer func() {
						if recover() != nil {
							goexit()
						}
					}()
					_, _ = p.InvokeAll(background, []func(context.Context) (int, error){run, run})
				})
				synctest.Wait()
				assert.Zero(t, p.Stats().Active)
			})
		})
	}
}

// The place of a task that was dropped is for who waits for room, also if who hears of that ends the goroutine.
func TestDropOldestWhoseHandlerEndsTheGoroutine(t *testing.T) {
	for name, policy := range map[string]executors.Policy{
		"handler ends":  executors.DiscardOldest,
		"policy panics": executors.PolicyFunc(func(r *executors.Rejection) error { r.DropOldest(); panic("policy") }),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := newPool(t, 1, 1, executors.Bounded(1), executors.WithPolicy(policy), executors.WithErrorHandler(func(context.Context, error) {
					if name == "handler ends" {
						goexit()
					}
				}))
				g := newGate(t)
				require.NoError(t, p.Execute(background, g.task))
				require.NoError(t, p.Execute(background, nothing))
				admitted := make(chan error, 1)
				go func() { admitted <- p.ExecuteWait(background, nothing) }()
				synctest.Wait()
				away(t, func() {
					defer func() {
						if recover() != nil {
							goexit()
						}
					}()
					_ = p.Execute(background, nothing)
				})
				synctest.Wait()
				assert.Len(t, admitted, 1, "there is room: %v", p.Stats())
				g.open()
				synctest.Wait()
				balanced(t, p.Stats())
			})
		})
	}
}

// exitingMeter ends the goroutine at one of its calls.
type exitingMeter struct{ left atomic.Int64 }

func (m *exitingMeter) call() {
	if m.left.Add(-1) == 0 {
		goexit()
	}
}
func (m *exitingMeter) Counter(string, ...string) func(int64) { return func(int64) { m.call() } }
func (m *exitingMeter) Gauge(string, ...string) func(int64)   { return func(int64) { m.call() } }
func (m *exitingMeter) Timer(string, ...string) func(time.Duration) {
	return func(time.Duration) { m.call() }
}
func (m *exitingMeter) Remove(string) { m.call() }

// A periodic task goes on, or its handle ends, whichever call of the meter ends the goroutine of its worker.
func TestPeriodicTaskWhoseMeterEndsTheGoroutine(t *testing.T) {
	for n := range 14 {
		t.Run(fmt.Sprint(n+1), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				m := &exitingMeter{}
				p := newScheduled(t, 1, executors.WithMeter(m, "app"))
				runs := newRunNote()
				h := accept[*executors.Handle](t)(p.AtFixedRate(0, time.Second, runs.run))
				pass(500 * time.Millisecond)
				m.left.Store(int64(n + 1))
				pass(10 * time.Second)
				assert.True(t, h.IsDone() || len(runs.read()) == 11, "it neither runs nor ends: %v", runs.read())
				balanced(t, p.Stats())
			})
		})
	}
}

// So does a job.
func TestJobWhoseMeterEndsTheGoroutine(t *testing.T) {
	for n := range 20 {
		t.Run(fmt.Sprint(n+1), func(t *testing.T) {
			modes(t, func(t *testing.T, opts ...executors.SchedulerOption) {
				m := &exitingMeter{}
				s := newTaskScheduler(t, append(opts, quiet, executors.PoolOptions(executors.WithMeter(m, "app")))...)
				job := accept[*executors.Job](t)(s.AtFixedRate(time.Second, noError))
				pass(500 * time.Millisecond)
				m.left.Store(int64(n + 1))
				pass(10 * time.Second)
				st := job.Stats()
				assert.True(t, st.Done || st.Runs >= 10, "it neither runs nor ends: %v", st)
			})
		})
	}
}

// So does a future.
func TestFutureWhoseMeterEndsTheGoroutine(t *testing.T) {
	for n := range 20 {
		t.Run(fmt.Sprint(n+1), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				m := &exitingMeter{}
				p := newPool(t, 1, 1, executors.Unbounded(), executors.WithMeter(m, "app"))
				g := newGate(t)
				require.NoError(t, p.Execute(background, g.task))
				var fs []*executors.Future[int]
				for i := range 4 {
					fs = append(fs, accept[*executors.Future[int]](t)(p.Submit(background, value(i))))
				}
				synctest.Wait()
				m.left.Store(int64(n + 1))
				away(t, func() { fs[1].Cancel(nil); goexit() })
				g.open()
				synctest.Wait()
				for _, f := range fs {
					assert.True(t, f.IsDone())
				}
				away(t, func() { _ = p.Close(background); goexit() })
				synctest.Wait()
				assert.True(t, p.IsTerminated())
				balanced(t, p.Stats())
			})
		})
	}
}
