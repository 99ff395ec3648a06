package schedulers

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An executor from elsewhere may panic, as one does that sends to a channel that somebody has closed: that
// is a refusal like any other, and what is behind it goes on.
func TestA9_5_ExecutorThatPanics(t *testing.T) {
	for _, opts := range [][]ExecutorOption{nil, {Trampoline()}} {
		bubble(t, func(t *testing.T) {
			panics := true
			s := FromExecutor(executors.Func(func(ctx context.Context, task executors.Task) error {
				if panics {
					panic("send on closed channel")
				}
				return goExecutor(ctx, task)
			}), opts...)
			w := s.NewWorker()
			for _, l := range []lane{s, w} {
				err := l.Execute(nothing)
				assert.ErrorIs(t, err, ErrRejected)
				assert.ErrorIs(t, err, ErrUnavailable)
				assert.ErrorContains(t, err, "send on closed channel")
				_, ok := errors.AsType[*reactor.PanicError](err)
				assert.True(t, ok)
				_, err = l.Schedule(nothing)
				assert.ErrorIs(t, err, ErrRejected)
			}
			panics = false
			ran := 0
			require.NoError(t, w.Execute(func(context.Context) { ran++ }))
			synctest.Wait()
			assert.Equal(t, 1, ran, "the worker is not lost")
			require.NoError(t, s.DisposeGracefully(context.Background()), "nor is the count of tasks")
		})
	}
}

// One that ends the goroutine of who submits a task refuses that as well: nobody waits for it.
func TestA9_5_ExecutorThatEndsTheGoroutine(t *testing.T) {
	for _, opts := range [][]ExecutorOption{nil, {Trampoline()}} {
		bubble(t, func(t *testing.T) {
			catchErrors(t)
			ends := true
			s := FromExecutor(executors.Func(func(ctx context.Context, task executors.Task) error {
				if ends {
					runtime.Goexit()
				}
				return goExecutor(ctx, task)
			}), opts...)
			w := s.NewWorker()
			for _, l := range []lane{s, w} {
				racetest.Aside(func() { _ = l.Execute(func(context.Context) { t.Error("nobody has taken it") }) })
				racetest.Aside(func() { _, _ = l.Schedule(func(context.Context) { t.Error("nobody has taken it") }) })
			}
			ends = false
			ran := 0
			require.NoError(t, w.Execute(func(context.Context) { ran++ }))
			synctest.Wait()
			assert.Equal(t, 1, ran, "the worker is not lost")
			assert.EqualValues(t, 4, s.Stats().Dropped)
			require.NoError(t, s.DisposeGracefully(context.Background()), "nor is the count of tasks")
		})
	}
}

// What waits behind a task that ends the goroutine of who has submitted it is not lost with it.
func TestA9_5_TaskThatEndsTheGoroutineOfItsSubmitter(t *testing.T) {
	bubble(t, func(t *testing.T) {
		catchErrors(t)
		first := true
		s := FromExecutor(executors.Func(func(ctx context.Context, task executors.Task) error {
			if first {
				first = false
				task(ctx)
				return nil
			}
			go func() { time.Sleep(time.Second); task(ctx) }()
			return nil
		}), Trampoline())
		w := s.NewWorker()
		var ran journal[int]
		racetest.Aside(func() {
			_ = w.Execute(func(context.Context) {
				assert.NoError(t, w.Execute(ran.noting(1)))
				runtime.Goexit()
			})
		})
		require.NoError(t, w.Execute(ran.noting(2)))
		require.NoError(t, s.DisposeGracefully(context.Background()))
		assert.Equal(t, []int{1, 2}, ran.read())
	})
}

// panickingTimed is a service that can't delay.
type panickingTimed struct{ *testService }

func (panickingTimed) ExecuteAfter(context.Context, time.Duration, executors.Task) (func() bool, error) {
	panic("no timers")
}

func TestA9_6_ServiceThatPanics(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := FromExecutorService(panickingTimed{newTestService()}, "x")
		defer s.Dispose()
		_, err := s.ScheduleAfter(nothing, time.Second)
		assert.ErrorIs(t, err, ErrRejected)
		assert.ErrorContains(t, err, "no timers")
		_, err = s.NewWorker().SchedulePeriodically(nothing, time.Second, time.Second)
		assert.ErrorIs(t, err, ErrRejected)
		require.NoError(t, s.DisposeGracefully(context.Background()))
	})
}

// endingTimed is a service that ends the goroutine of who delays a task, if it is told to.
type endingTimed struct {
	*testService
	ends bool
}

func (e *endingTimed) ExecuteAfter(ctx context.Context, d time.Duration, task executors.Task) (func() bool, error) {
	if e.ends {
		runtime.Goexit()
	}
	return e.testService.ExecuteAfter(ctx, d, task)
}

func TestA9_6_ServiceThatEndsTheGoroutine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := &endingTimed{newTestService(), true}
		s := FromExecutorService(svc, "x").(*executorScheduler)
		w := s.NewWorker()
		for _, l := range []lane{s, w} {
			racetest.Aside(func() { _, _ = l.ScheduleAfter(nothing, time.Second) })
			racetest.Aside(func() { _, _ = l.SchedulePeriodically(nothing, time.Second, time.Second) })
		}
		svc.ends = false
		d := accept(t)(s.SchedulePeriodically(func(context.Context) { svc.ends = true }, time.Second, time.Second))
		pass(time.Minute)
		assert.True(t, d.IsDisposed(), "it has no next run")
		s.mu.Lock()
		assert.Empty(t, s.timed)
		s.mu.Unlock()
		assert.Zero(t, s.life.slots)
		s.Dispose()
	})
}

// A decorator that panics refuses the task, and the place that was meant for that is free again.
func TestA13_6_DecoratorThatPanics(t *testing.T) {
	panics := true
	AddExecutorDecorator("t", decoratorFunc(func(e executors.Executor) executors.Executor {
		return executors.Func(func(ctx context.Context, task executors.Task) error {
			if panics {
				panic("decorator")
			}
			return e.Execute(ctx, task)
		})
	}))
	defer RemoveExecutorDecorator("t")
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		panics = true
		before := s.Stats()
		assert.ErrorIs(t, l.Execute(nothing), ErrRejected)
		_, err := l.Schedule(nothing)
		assert.ErrorIs(t, err, ErrRejected)
		assert.ErrorContains(t, err, "decorator")
		_, err = l.ScheduleAfter(nothing, time.Second)
		assert.ErrorIs(t, err, ErrRejected)
		_, err = l.SchedulePeriodically(nothing, 0, time.Second)
		assert.ErrorIs(t, err, ErrRejected)
		assert.Equal(t, before.Busy, s.Stats().Busy)
		panics = false
		ran := false
		require.NoError(t, l.Execute(func(context.Context) { ran = true }))
		synctest.Wait()
		assert.True(t, ran)
	})
}

// A decorator that panics when the slot has refused has not had the task accepted.
func TestA13_6_DecoratorThatPanicsOverARefusal(t *testing.T) {
	AddExecutorDecorator("t", decoratorFunc(func(e executors.Executor) executors.Executor {
		return executors.Func(func(ctx context.Context, task executors.Task) error {
			if err := e.Execute(ctx, task); err != nil {
				panic(err)
			}
			return nil
		})
	}))
	defer RemoveExecutorDecorator("t")
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 1, "t"))
		defer s.Dispose()
		w := s.NewWorker()
		blocked(t, w)
		require.NoError(t, w.Execute(nothing))
		assert.ErrorIs(t, w.Execute(nothing), ErrRejected)
	})
}

// eager is a service that runs what is due before it returns.
type eager struct{ *testService }

func (e eager) ExecuteAfter(ctx context.Context, d time.Duration, task executors.Task) (func() bool, error) {
	if d <= 0 {
		task(ctx)
		return func() bool { return false }, nil
	}
	return e.testService.ExecuteAfter(ctx, d, task)
}

// The run of a series may be over, and the next one waiting, before the executor has returned what takes the first
// one back.
func TestA9_6_DisposedSeriesLeavesAnEagerService(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := newTestService()
		s := FromExecutorService(eager{svc}, "x")
		ran := 0
		d := accept(t)(s.SchedulePeriodically(func(context.Context) { ran++ }, 0, time.Hour))
		assert.Equal(t, 1, ran)
		assert.Len(t, svc.timers, 1)
		d.Dispose()
		assert.Empty(t, svc.timers)
		start := time.Now()
		require.NoError(t, s.DisposeGracefully(context.Background()))
		assert.Zero(t, time.Since(start))
	})
}

// refusingLater is a service that takes so many delayed tasks, and no more.
type refusingLater struct {
	*testService
	left atomic.Int32
}

func (s *refusingLater) ExecuteAfter(ctx context.Context, d time.Duration, task executors.Task) (func() bool, error) {
	if s.left.Add(-1) < 0 {
		return nil, errShut
	}
	return s.testService.ExecuteAfter(ctx, d, task)
}

// A series whose next run is refused is over, and says so.
func TestA9_6_SeriesThatIsRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := &refusingLater{testService: newTestService()}
		svc.left.Store(2)
		s := FromExecutorService(svc, "x")
		runs := 0
		d := accept(t)(s.SchedulePeriodically(func(context.Context) { runs++ }, time.Second, time.Second))
		pass(time.Minute)
		assert.Equal(t, 2, runs)
		assert.True(t, d.IsDisposed())
		require.NoError(t, s.DisposeGracefully(t.Context()))
	})
}
