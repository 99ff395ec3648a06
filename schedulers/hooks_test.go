package schedulers

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wrapping returns a schedule hook that notes its name around a task.
func wrapping(j *journal[string], name string) func(Task) Task {
	return func(task Task) Task {
		return func(ctx context.Context) {
			j.note(name + "(")
			task(ctx)
			j.note(")")
		}
	}
}

func TestA13_1_HooksInKeyOrderFirstInnermost(t *testing.T) {
	defer ResetOnScheduleHooks()
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		defer s.Dispose()
		var j journal[string]
		run := func() string {
			j.notes = nil
			require.NoError(t, s.Execute(j.noting("x")))
			synctest.Wait()
			return strings.Join(j.read(), "")
		}
		assert.Equal(t, "x", run())
		OnScheduleHook("a", wrapping(&j, "a"))
		removeB := OnScheduleHook("b", wrapping(&j, "b"))
		OnScheduleHook("c", wrapping(&j, "c"))
		assert.Equal(t, "c(b(a(x)))", run())
		OnScheduleHook("a", wrapping(&j, "A"))
		assert.Equal(t, "c(b(A(x)))", run(), "replaced in its place")
		ResetOnScheduleHook("unknown")
		removeB()
		assert.Equal(t, "c(A(x))", run())
		OnScheduleHook("a", func(Task) Task { return nil })
		assert.Equal(t, "c(x)", run(), "a hook that returns nothing keeps the task")
		ResetOnScheduleHooks()
		assert.Equal(t, "x", run())
		assert.Panics(t, func() { OnScheduleHook("a", nil) })
	})
}

func TestA13_1_HookOncePerCall(t *testing.T) {
	var calls journal[int]
	remove := OnScheduleHook("t", func(task Task) Task {
		calls.note(1)
		return task
	})
	defer remove()
	count := func(f func()) int {
		calls.notes = nil
		f()
		return len(calls.read())
	}
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		assert.Equal(t, 1, count(func() { require.NoError(t, l.Execute(nothing)) }))
		assert.Equal(t, 1, count(func() { accept(t)(l.Schedule(nothing)) }))
		assert.Equal(t, 1, count(func() { accept(t)(l.ScheduleAfter(nothing, time.Second)) }))
		assert.Equal(t, 1, count(func() { accept(t)(l.ScheduleAfter(nothing, 0)) }))
		runs := 0
		assert.Equal(t, 1, count(func() {
			d := accept(t)(l.SchedulePeriodically(func(context.Context) { runs++ }, 0, time.Second))
			pass(10 * time.Second)
			d.Dispose()
		}))
		assert.GreaterOrEqual(t, runs, 10)
	})
	bubble(t, func(t *testing.T) {
		assert.Zero(t, count(func() { require.NoError(t, Immediate().Execute(nothing)) }))
		x := FromExecutor(goExecutor)
		assert.Equal(t, 1, count(func() { require.NoError(t, x.Execute(nothing)) }))
		assert.Equal(t, 1, count(func() { require.NoError(t, x.NewWorker().Execute(nothing)) }))
		s := NewSingle("t")
		defer s.Dispose()
		p := SingleWorker(s)
		assert.Equal(t, 1, count(func() { require.NoError(t, p.Execute(nothing)) }), "once, not twice")
		assert.Equal(t, 1, count(func() { accept(t)(p.Schedule(nothing)) }))
		assert.Equal(t, 1, count(func() { require.NoError(t, p.NewWorker().Execute(nothing)) }))
		assert.Equal(t, 1, count(func() { require.NoError(t, Timed(s, newTestMeter(), "t").Execute(nothing)) }))
		synctest.Wait()
	})
	assert.Equal(t, 1, count(func() { OnSchedule(nothing) }))
}

func TestA13_2_HandlersInKeyOrder(t *testing.T) {
	defer ResetOnHandleErrors()
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		defer s.Dispose()
		var j journal[string]
		fail := func() []string {
			j.notes = nil
			require.NoError(t, s.Execute(func(context.Context) { panic("boom") }))
			synctest.Wait()
			return j.read()
		}
		handler := func(name string) func(context.Context, error) {
			return func(ctx context.Context, err error) {
				assert.Equal(t, s.Stats().Slots[0].Name, WorkerName(ctx))
				j.note(name + ": " + err.Error()[strings.LastIndex(err.Error(), " ")+1:])
			}
		}
		OnHandleError("a", handler("a"))
		removeB := OnHandleError("b", handler("b"))
		assert.Equal(t, []string{"a: boom", "b: boom"}, fail())
		OnHandleError("a", handler("A"))
		assert.Equal(t, []string{"A: boom", "b: boom"}, fail())
		ResetOnHandleError("a")
		assert.Equal(t, []string{"b: boom"}, fail())
		removeB()
		assert.Panics(t, func() { OnHandleError("a", nil) })
	})
}

// captureLog replaces the default logger until the end of the test.
func captureLog(t *testing.T) *bytes.Buffer {
	t.Helper()
	var log bytes.Buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(old) })
	return &log
}

func TestA13_2_WithoutHandlersItIsLogged(t *testing.T) {
	log := captureLog(t)
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		defer s.Dispose()
		require.NoError(t, s.Execute(func(context.Context) { panic("boom") }))
		synctest.Wait()
		assert.Contains(t, log.String(), "boom")
		assert.Contains(t, log.String(), s.Stats().Slots[0].Name)
		assert.Contains(t, log.String(), "hooks_test.go", "the stack")
	})
}

func TestA13_3_HandlerThatPanicsHarmsNobody(t *testing.T) {
	log := captureLog(t)
	defer ResetOnHandleErrors()
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		log.Reset()
		second := 0
		OnHandleError("a", func(context.Context, error) { panic("handler is broken") })
		OnHandleError("b", func(context.Context, error) { second++ })
		runs := 0
		d := accept(t)(l.SchedulePeriodically(func(context.Context) {
			runs++
			panic("boom")
		}, 0, time.Second))
		pass(3 * time.Second)
		d.Dispose()
		assert.Equal(t, 4, runs)
		assert.Equal(t, 4, second)
		assert.Equal(t, 4, strings.Count(log.String(), "handler is broken"), "reported once each")
		OnHandleError("a", func(context.Context, error) { runtime.Goexit() })
		require.NoError(t, l.Execute(func(context.Context) { panic("boom") }))
		synctest.Wait()
		ran := false
		require.NoError(t, l.Execute(func(context.Context) { ran = true }))
		synctest.Wait()
		assert.True(t, ran, "also one that ends the goroutine")
	})
}

func TestA13_4_Goexit(t *testing.T) {
	forLanes(t, func(t *testing.T, s Scheduler, l lane) {
		errs := catchErrors(t)
		var j journal[int]
		release := blocked(t, l)
		d := accept(t)(l.Schedule(func(context.Context) { runtime.Goexit() }))
		require.NoError(t, l.Execute(func(context.Context) { runtime.Goexit() }))
		series := accept(t)(l.SchedulePeriodically(func(context.Context) {
			j.note(0)
			runtime.Goexit()
		}, 0, time.Second))
		for i := range 100 {
			require.NoError(t, l.Execute(j.noting(i+1)))
		}
		release()
		pass(time.Second)
		series.Dispose()
		assert.True(t, d.IsDisposed())
		assert.Len(t, j.read(), 102, "its queue is kept")
		require.Len(t, errs.read(), 4)
		for _, err := range errs.read() {
			assert.ErrorIs(t, err, reactor.ErrGoexit)
		}
		assert.Zero(t, s.Stats().Running)
		assert.Zero(t, s.Stats().Queued)
	})
}

func TestA13_4_PanicValues(t *testing.T) {
	bubble(t, func(t *testing.T) {
		errs := catchErrors(t)
		s := NewSingle("t")
		defer s.Dispose()
		boom := errors.New("boom")
		for _, v := range []any{boom, "text", nil} {
			require.NoError(t, s.Execute(func(context.Context) { panic(v) }))
		}
		synctest.Wait()
		got := errs.read()
		require.Len(t, got, 3)
		assert.ErrorIs(t, got[0], boom)
		var p *reactor.PanicError
		require.ErrorAs(t, got[1], &p)
		assert.Equal(t, "text", p.Value)
		require.ErrorAs(t, got[2], &p)
		assert.IsType(t, (*runtime.PanicNilError)(nil), p.Value)
		assert.Contains(t, string(p.Stack), "hooks_test.go")
	})
}

func TestA13_5_UndecoratedPassesTheHooks(t *testing.T) {
	var j journal[string]
	defer OnScheduleHook("t", wrapping(&j, "hook"))()
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		defer s.Dispose()
		require.NoError(t, s.Execute(Undecorated(j.noting("inner"))))
		accept(t)(s.ScheduleAfter(Undecorated(j.noting("later")), 1))
		pass(1)
		require.NoError(t, s.Execute(func(ctx context.Context) { Undecorated(j.noting("outer"))(ctx) }))
		synctest.Wait()
		assert.Equal(t, "inner later hook( outer )", strings.Join(j.read(), " "))
	})
	assert.Panics(t, func() { Undecorated(nil) })
}

// The pool's own business schedules nothing through the hooks.
func TestA13_5_EvictionIsNotSeenByHooks(t *testing.T) {
	calls := 0
	defer OnScheduleHook("t", func(task Task) Task { calls++; return task })()
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(2, 2, "t", WithTTL(time.Second)))
		defer s.Dispose()
		s.NewWorker().Dispose()
		pass(time.Minute)
		assert.Zero(t, s.Stats().Workers)
		assert.Zero(t, calls)
	})
}

// countingDecorator counts what passes, under the name of a worker.
type countingDecorator struct {
	j        *journal[string]
	name     string
	disposed bool
	refuse   error
}

func (d *countingDecorator) Decorate(scheduler, worker string, e executors.Executor) executors.Executor {
	d.j.note("decorate " + scheduler)
	return executors.Func(func(ctx context.Context, task executors.Task) error {
		if d.refuse != nil {
			return d.refuse
		}
		return e.Execute(ctx, func(ctx context.Context) {
			d.j.note(d.name + "(")
			task(ctx)
			d.j.note(")")
		})
	})
}

func (d *countingDecorator) Dispose()         { d.disposed = true }
func (d *countingDecorator) IsDisposed() bool { return d.disposed }

func TestA13_6_Decorators(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j journal[string]
		a, b := &countingDecorator{j: &j, name: "a"}, &countingDecorator{j: &j, name: "b"}
		assert.True(t, AddExecutorDecorator("a", a))
		defer RemoveExecutorDecorator("a")
		assert.True(t, AddExecutorDecorator("b", b))
		defer RemoveExecutorDecorator("b")
		other := &countingDecorator{j: &j, name: "x"}
		assert.False(t, AddExecutorDecorator("a", other), "the first one is kept")

		s := must(NewParallel("p", 2))
		defer s.Dispose()
		decorate := "decorate " + nameOf(s)
		assert.Equal(t, []string{decorate, decorate, decorate, decorate}, j.read(), "once per slot and decorator")
		j.notes = nil
		w := s.NewWorker()
		run := func(submit func()) string {
			j.notes = nil
			submit()
			pass(time.Second)
			return strings.Join(j.read(), "")
		}
		for _, l := range []lane{s, w} {
			assert.Equal(t, "a(b(x))", run(func() { require.NoError(t, l.Execute(j.noting("x"))) }),
				"the first one is next to the slot, so it wraps the task last")
			assert.Equal(t, "a(b(x))", run(func() { accept(t)(l.Schedule(j.noting("x"))) }))
			assert.Equal(t, "a(b(x))", run(func() { accept(t)(l.ScheduleAfter(j.noting("x"), time.Second)) }))
			assert.Equal(t, "a(b(x))a(b(x))", run(func() {
				d := accept(t)(l.SchedulePeriodically(j.noting("x"), 0, time.Second))
				pass(time.Second)
				d.Dispose()
			}))
			assert.Empty(t, run(func() { accept(t)(l.ScheduleAfter(j.noting("x"), time.Hour)).Dispose() }))
		}
		a.refuse = errors.New("no")
		assert.ErrorIs(t, s.Execute(nothing), a.refuse)
		_, err := w.ScheduleAfter(nothing, 1)
		assert.ErrorIs(t, err, a.refuse)
		a.refuse = nil
		w.Dispose()
		assert.ErrorIs(t, w.Execute(nothing), ErrUnavailable, "refusals come through")

		SetExecutorDecorator("a", other)
		got, had := RemoveExecutorDecorator("a")
		assert.True(t, had)
		assert.Same(t, other, got)
		assert.True(t, other.disposed)
		_, had = RemoveExecutorDecorator("a")
		assert.False(t, had)
		RemoveExecutorDecorator("b")
		assert.True(t, b.disposed)

		j.notes = nil
		plain := NewSingle("t")
		defer plain.Dispose()
		require.NoError(t, plain.Execute(nothing))
		synctest.Wait()
		assert.Empty(t, j.read())
		assert.Nil(t, plain.(*fixed).slots[0].outer)
		assert.Panics(t, func() { AddExecutorDecorator("a", nil) })
		assert.Panics(t, func() { SetExecutorDecorator("a", nil) })
	})
}

// A decorator may submit tasks of its own, and may change the context.
func TestA13_6_DecoratorWithTasksOfItsOwn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j journal[string]
		AddExecutorDecorator("t", decoratorFunc(func(e executors.Executor) executors.Executor {
			return executors.Func(func(ctx context.Context, task executors.Task) error {
				if err := e.Execute(ctx, task); err != nil {
					return err
				}
				return e.Execute(ctx, j.noting("own"))
			})
		}))
		defer RemoveExecutorDecorator("t")
		s := must(NewBoundedElastic(1, 10, "t"))
		defer s.Dispose()
		accept(t)(s.Schedule(j.noting("task")))
		synctest.Wait()
		assert.Equal(t, []string{"task", "own"}, j.read())
	})
}

type decoratorFunc func(e executors.Executor) executors.Executor

func (f decoratorFunc) Decorate(_, _ string, e executors.Executor) executors.Executor { return f(e) }

// A hook that panics costs its log line, not the task.
func TestScheduleHookThatPanics(t *testing.T) {
	defer ResetOnScheduleHooks()
	var log bytes.Buffer
	old := slog.Default()
	defer slog.SetDefault(old)
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	var j journal[string]
	OnScheduleHook("a", wrapping(&j, "a"))
	OnScheduleHook("broken", func(Task) Task { panic("no trace id") })
	s := NewSingle("t")
	defer s.Dispose()
	w := s.NewWorker()
	ran := make(chan struct{})
	require.NoError(t, s.Execute(func(context.Context) {}))
	require.NoError(t, w.Execute(func(context.Context) { close(ran) }))
	<-ran
	assert.Equal(t, 2, strings.Count(log.String(), "schedule hook panicked"))
	assert.Contains(t, log.String(), "no trace id")
	assert.Contains(t, log.String(), "hook=broken")
}

// A later call under the same key has replaced what the first one installed: that one
// has nothing to remove any more.
func TestA13_1_RemoveTakesOnlyItsOwn(t *testing.T) {
	defer ResetOnScheduleHooks()
	defer ResetOnHandleErrors()
	defer ResetNonBlocking()
	var j journal[string]
	handler := func(name string) func(context.Context, error) {
		return func(context.Context, error) { j.note(name) }
	}
	hook := func(name string) func(Task) Task {
		return func(task Task) Task { j.note(name); return task }
	}
	predicate := func(name string) func(context.Context) bool {
		return func(context.Context) bool { j.note(name); return false }
	}
	for name, c := range map[string]struct {
		install func(name string) (remove func())
		call    func()
	}{
		"handler":   {func(name string) func() { return OnHandleError("t", handler(name)) }, func() { HandleError(t.Context(), context.Canceled) }},
		"hook":      {func(name string) func() { return OnScheduleHook("t", hook(name)) }, func() { OnSchedule(nothing) }},
		"predicate": {func(name string) func() { return RegisterNonBlocking("t", predicate(name)) }, func() { IsNonBlocking(t.Context()) }},
	} {
		t.Run(name, func(t *testing.T) {
			call := func() []string {
				j.notes = nil
				c.call()
				return j.read()
			}
			first := c.install("first")
			second := c.install("second")
			first()
			assert.Equal(t, []string{"second"}, call())
			second()
			assert.Empty(t, call())
			third := c.install("third")
			second()
			assert.Equal(t, []string{"third"}, call(), "nor after the second one was removed")
			third()
			assert.Empty(t, call())
		})
	}
}

// Who wraps a task keeps its mark, and who runs a task on others has the hooks applied
// once.
func TestA13_5_UndecoratedThroughOtherSchedulers(t *testing.T) {
	var calls journal[int]
	defer OnScheduleHook("t", func(task Task) Task { calls.note(1); return task })()
	for name, of := range map[string]func(s Scheduler) Scheduler{
		"plain":              func(s Scheduler) Scheduler { return s },
		"timed":              func(s Scheduler) Scheduler { return Timed(s, newTestMeter(), "t") },
		"singleWorker":       SingleWorker,
		"timed singleWorker": func(s Scheduler) Scheduler { return Timed(SingleWorker(s), newTestMeter(), "t") },
		"singleWorker timed": func(s Scheduler) Scheduler { return SingleWorker(Timed(s, newTestMeter(), "t")) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				base := NewSingle("t")
				defer base.Dispose()
				s := of(base)
				w := s.NewWorker()
				for want, mark := range []func(Task) Task{Undecorated, func(task Task) Task { return task }} {
					count := func(submit func(task Task) error) {
						calls.notes = nil
						ran := 0
						require.NoError(t, submit(mark(func(context.Context) { ran++ })))
						pass(3 * time.Second)
						assert.NotZero(t, ran)
						assert.Len(t, calls.read(), want)
					}
					count(s.Execute)
					count(w.Execute)
					count(func(task Task) error { _, err := s.Schedule(task); return err })
					count(func(task Task) error { _, err := w.Schedule(task); return err })
					count(func(task Task) error { _, err := s.ScheduleAfter(task, time.Second); return err })
					count(func(task Task) error {
						d, err := s.SchedulePeriodically(task, 0, time.Second)
						if err == nil {
							time.AfterFunc(2500*time.Millisecond, d.Dispose)
						}
						return err
					})
				}
			})
		})
	}
	calls.notes = nil
	accept(t)(SingleWorker(Immediate()).Schedule(nothing))
	assert.Empty(t, calls.read(), "the immediate one applies none")
}
