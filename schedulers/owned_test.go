package schedulers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

type step struct {
	Handle
	ran journal[string]
}

func (s *step) Run(ctx context.Context) { s.ran.note(WorkerName(ctx)) }

func TestHandleAllocatesNothing(t *testing.T) {
	s := must(NewBoundedElastic(1, Unlimited, "t"))
	defer s.Dispose()
	release := blocked(t, s)
	const tasks = 1000
	steps, next := make([]struct {
		Handle
		nobody
	}, 5*tasks), 0
	assert.Less(t, testing.AllocsPerRun(4, func() {
		for range tasks {
			require.NoError(t, steps[next].Schedule(s, steps[next].nobody))
			next++
		}
	}), tasks/10.0, "but for the queue")
	release()
}

type nobody struct{}

func (nobody) Run(context.Context) {}

func TestHandleOfOtherSchedulers(t *testing.T) {
	now := new(step)
	require.NoError(t, now.Schedule(Immediate(), now))
	assert.Equal(t, []string{"immediate"}, now.ran.read())
	assert.True(t, now.IsDisposed())
	now.Dispose()

	later, taken := new(step), &handOver{}
	require.NoError(t, later.Schedule(taken, later))
	assert.False(t, later.IsDisposed())
	later.Dispose()
	assert.True(t, later.IsDisposed())
	assert.True(t, taken.disposed, "it is that scheduler's")
	assert.Empty(t, later.ran.read())

	taken.refusal = ErrCapacity
	assert.ErrorIs(t, new(step).Schedule(taken, later), ErrCapacity)
}

// handOver is a scheduler that knows of no Handle.
type handOver struct {
	Scheduler
	refusal   error
	disposed  bool
	meanwhile func() // called within Schedule
}

func (h *handOver) Schedule(Task) (Disposable, error) {
	if h.meanwhile != nil {
		h.meanwhile()
	}
	return h, h.refusal
}
func (h *handOver) Dispose()         { h.disposed = true }
func (h *handOver) IsDisposed() bool { return h.disposed }

func TestHandleOfASharedScheduler(t *testing.T) {
	ShutdownNow() // the shared ones belong to this bubble, and to no other test
	bubble(t, func(t *testing.T) {
		defer ShutdownNow()
		for _, s := range []Scheduler{Parallel(), BoundedElastic()} {
			release := blocked(t, s)
			a := new(step)
			require.NoError(t, a.Schedule(s, a))
			release()
			synctest.Wait()
			assert.Len(t, a.ran.read(), 1)
			assert.True(t, a.IsDisposed())
		}
	})
}

func TestHandleThatIsRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 1, "t"))
		defer blocked(t, s)()
		a, b := new(step), new(step)
		require.NoError(t, a.Schedule(s, a))
		assert.ErrorIs(t, b.Schedule(s, b), ErrCapacity)
		assert.Equal(t, 2, s.Stats().Slots[0].Holders)
		s.Dispose()
		assert.ErrorIs(t, new(step).Schedule(s, b), ErrUnavailable)
	})
}

// There is nothing to take back then, and nothing to be given back for it.
func TestHandleThatIsRefusedIsDisposed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 1, "t"))
		release := blocked(t, s)
		require.NoError(t, s.Execute(nothing))
		refused := new(step)
		require.ErrorIs(t, refused.Schedule(s, refused), ErrCapacity)
		refused.Dispose()
		assert.False(t, refused.IsDisposed())
		assert.Equal(t, []int{2}, holdersOf(s))
		assert.Zero(t, s.Stats().Dropped)
		release()
		assert.Equal(t, []int{0}, holdersOf(s))
		assert.Equal(t, 1, s.Stats().Idle)
		for _, s := range []Scheduler{s, NewSingle("t"), &handOver{Scheduler: Immediate(), refusal: ErrUnavailable}} {
			s.Dispose()
			refused = new(step)
			require.ErrorIs(t, refused.Schedule(s, refused), ErrUnavailable)
			assert.NotPanics(t, refused.Dispose)
			assert.False(t, refused.IsDisposed())
		}
	})
}

func TestHandleWithoutATask(t *testing.T) {
	assert.PanicsWithValue(t, "schedulers: Schedule: task is nil", func() { _ = new(Handle).Schedule(Immediate(), nil) })
	var zero Handle
	require.NotPanics(t, zero.Dispose)
	require.False(t, zero.IsDisposed())
}

// Who wraps a task may call it with a context of its own.
func TestHandleWithHooksAndDecorators(t *testing.T) {
	type key struct{}
	var wrapped []string
	wrap := func(name string, task Task) Task {
		return func(ctx context.Context) {
			wrapped = append(wrapped, name)
			task(context.WithValue(ctx, key{}, name))
		}
	}
	unhook := OnScheduleHook("test", func(task Task) Task { return wrap("hook", task) })
	t.Cleanup(unhook)
	hooked := must(NewParallel("hooked", 1)) // its slot is made now
	defer hooked.Dispose()
	SetExecutorDecorator("test", decorator(func(e executors.Executor) executors.Executor {
		return executor(func(ctx context.Context, task executors.Task) error { return e.Execute(ctx, wrap("decorator", task)) })
	}))
	defer RemoveExecutorDecorator("test")
	decorated := must(NewBoundedElastic(1, 10, "decorated"))
	defer decorated.Dispose()
	for _, c := range []struct {
		s    Scheduler
		want []string
	}{{hooked, []string{"hook"}}, {decorated, []string{"decorator", "hook"}}, {decorated, []string{"decorator"}}} {
		if len(c.want) == 1 && c.s == decorated {
			unhook()
		}
		wrapped = nil
		done := make(chan context.Context, 1)
		var h Handle
		require.NoError(t, h.Schedule(c.s, runner(func(ctx context.Context) { done <- ctx })))
		ctx := <-done
		assert.Equal(t, c.want, wrapped)
		assert.NotNil(t, ctx.Value(key{}))
		h.Dispose()
	}
}

type decorator func(executors.Executor) executors.Executor

func (d decorator) Decorate(_, _ string, e executors.Executor) executors.Executor { return d(e) }

type executor func(context.Context, executors.Task) error

func (e executor) Execute(ctx context.Context, task executors.Task) error { return e(ctx, task) }

// A scheduler may run the task before it hands out what stands for it.
func TestHandleIsDisposedByItsTask(t *testing.T) {
	for name, s := range map[string]Scheduler{
		"immediate":    Immediate(),
		"timed":        Timed(NewSingle("t"), newTestMeter(), "t"),
		"executor":     FromExecutor(goExecutor),
		"singleWorker": SingleWorker(NewSingle("t")),
		"single":       NewSingle("t"),
		"elastic":      must(NewBoundedElastic(1, 10, "t")),
	} {
		t.Run(name, func(t *testing.T) {
			defer s.Dispose()
			var h Handle
			done := make(chan error, 1)
			require.NoError(t, h.Schedule(s, runner(func(ctx context.Context) {
				assert.False(t, h.IsDisposed())
				h.Dispose()
				h.Dispose()
				assert.True(t, h.IsDisposed())
				done <- ctx.Err()
			})))
			assert.NoError(t, <-done)
			assert.True(t, h.IsDisposed())
		})
	}
}

// Somebody else disposes of the task before its scheduler has handed out what stands
// for it: it is disposed when that comes.
func TestHandleIsDisposedBeforeItIsKnown(t *testing.T) {
	s := &handOver{}
	var h Handle
	s.meanwhile = func() {
		assert.False(t, h.IsDisposed())
		h.Dispose()
		assert.True(t, h.IsDisposed())
		assert.False(t, s.disposed)
	}
	require.NoError(t, h.Schedule(s, nobody{}))
	assert.True(t, s.disposed)
	assert.True(t, h.IsDisposed())
}

func TestRaceHandleAgainstItsTask(t *testing.T) {
	racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
		s := FromExecutor(goExecutor)
		var h Handle
		ended := make(chan struct{})
		race(func() {
			require.NoError(t, h.Schedule(s, runner(func(context.Context) {
				h.IsDisposed()
				h.Dispose()
				close(ended)
			})))
		})
		<-ended
		assert.True(t, h.IsDisposed())
	})
}

// lateHandle is a scheduler that hands out what stands for a task when the test says so.
type lateHandle struct {
	Scheduler
	now chan struct{}
}

func (s *lateHandle) Schedule(task Task) (Disposable, error) {
	d, err := s.Scheduler.Schedule(task)
	<-s.now
	return d, err
}

// The task that disposes itself goes on with its context, also if what stands for it
// is known only then; one that somebody else disposes does not.
func TestHandleDisposedWhileItsTaskRuns(t *testing.T) {
	for _, c := range []struct {
		self bool
		want error
	}{{true, nil}, {false, ErrTaskDisposed}} {
		bubble(t, func(t *testing.T) {
			s := &lateHandle{NewSingle("t"), make(chan struct{})}
			defer s.Dispose()
			var h Handle
			var cause error
			go func() {
				assert.NoError(t, h.Schedule(s, runner(func(ctx context.Context) {
					if c.self {
						h.Dispose()
					}
					time.Sleep(time.Minute)
					cause = context.Cause(ctx)
				})))
			}()
			pass(time.Second)
			if !c.self {
				h.Dispose()
			}
			assert.True(t, h.IsDisposed())
			close(s.now)
			pass(time.Hour)
			assert.Equal(t, c.want, cause)
		})
	}
}
