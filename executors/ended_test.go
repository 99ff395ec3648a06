package executors_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onItsOwn runs fn, which may end its goroutine, on one of its own and waits for it.
func onItsOwn(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	<-done
}

// Who hears that a task is dropped may end the goroutine of the shutdown: the others hear of theirs all the same.
func TestDroppedMayEndTheGoroutineOfAShutdown(t *testing.T) {
	for name, shutdown := range map[string]func(*executors.ScheduledPool){
		"Shutdown":    (*executors.ScheduledPool).Shutdown,
		"ShutdownNow": func(p *executors.ScheduledPool) { p.ShutdownNow() },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p, err := executors.NewScheduledPool(1, executors.DropDelayed())
				require.NoError(t, err)
				var told []int
				for i := range 3 {
					_, err := p.TrackAfter(background, time.Duration(i+1)*time.Hour, nothing, func(error) {
						told = append(told, i)
						runtime.Goexit()
					})
					require.NoError(t, err)
				}
				f, err := p.SubmitAfter(background, 4*time.Hour, func(context.Context) (int, error) { return 1, nil })
				require.NoError(t, err)
				onItsOwn(func() { shutdown(p) })
				assert.Equal(t, []int{0, 1, 2}, told)
				assert.True(t, f.IsCancelled())
				require.NoError(t, p.AwaitTermination(background))
			})
		})
	}
}

// Where the hook is called nothing waits any more: the last worker has left, or there was none.
func TestTerminatedMayEndTheGoroutine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hook := executors.WithHooks(executors.Hooks{Terminated: runtime.Goexit})
		reports := executors.WithErrorHandler(func(context.Context, error) {})
		p, err := executors.NewThreadPool(1, 1, 0, executors.Unbounded(), hook, reports)
		require.NoError(t, err)
		g := newGate(t)
		running, err := p.Submit(background, func(context.Context) (int, error) { <-g.c; return 1, nil })
		require.NoError(t, err)
		waiting, err := p.Submit(background, func(context.Context) (int, error) { return 2, nil })
		require.NoError(t, err)
		var left []executors.Task
		onItsOwn(func() { left = p.ShutdownNow() })
		assert.Len(t, left, 1)
		assert.True(t, waiting.IsCancelled())
		g.open()
		synctest.Wait()
		v, err := running.Get(background)
		require.NoError(t, err)
		assert.Equal(t, 1, v)
		require.NoError(t, p.AwaitTermination(background))

		p, err = executors.NewThreadPool(0, 1, 0, executors.Unbounded(), hook, reports)
		require.NoError(t, err)
		onItsOwn(p.Shutdown) // which calls it itself
		assert.True(t, p.IsTerminated())
	})
}

// endingMeter has instruments that end the goroutine when the name is that of ends.
type endingMeter struct{ ends string }

func (m *endingMeter) count(name string) func(int64) {
	return func(int64) { m.call(name) }
}
func (m *endingMeter) call(name string) {
	if m.ends != "" && name == "t.executor."+m.ends {
		runtime.Goexit()
	}
}
func (m *endingMeter) Counter(name string, _ ...string) func(int64) { return m.count(name) }
func (m *endingMeter) Gauge(name string, _ ...string) func(int64)   { return m.count(name) }
func (m *endingMeter) Timer(name string, _ ...string) func(time.Duration) {
	return func(time.Duration) { m.call(name) }
}
func (m *endingMeter) Remove(name string) {
	if m.ends == "remove" {
		runtime.Goexit()
	}
}

// A meter may end the goroutine that reports to it: futures end, and so does the pool.
func TestMeterMayEndTheGoroutine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := new(endingMeter)
		p, err := executors.NewThreadPool(1, 1, 0, executors.Unbounded(), executors.WithMeter(m, "t"))
		require.NoError(t, err)
		m.ends = "completed"
		f, err := p.Submit(background, func(context.Context) (int, error) { return 1, nil })
		require.NoError(t, err)
		synctest.Wait()
		assert.True(t, f.IsDone(), "the run has ended")
		m.ends = ""
		g := newGate(t)
		require.NoError(t, p.Execute(background, func(context.Context) { <-g.c }))
		synctest.Wait()
		f, err = p.Submit(background, func(context.Context) (int, error) { return 1, nil })
		require.NoError(t, err)
		m.ends = "queued"
		onItsOwn(func() { f.Cancel(nil) })
		assert.True(t, f.IsDone(), "it was cancelled")
		m.ends = "remove"
		g.open()
		p.Shutdown()
		synctest.Wait()
		assert.True(t, p.IsTerminated())
	})
}

// Whoever hears that the pool has come to its end finds the outcome of each task, also of one that has just been taken out of the
// queue. Where its cancellation is that end, who waits for it has been told, too.
func TestOutcomesAreThereAtTheEnd(t *testing.T) {
	cancel := func(f *executors.Future[int], cause error) { assert.True(t, f.Cancel(cause)) }
	ends := map[string]func(*executors.ScheduledPool, *executors.Future[int]){
		"a cancellation":            func(_ *executors.ScheduledPool, f *executors.Future[int]) { cancel(f, nil) },
		"a cancellation with cause": func(_ *executors.ScheduledPool, f *executors.Future[int]) { cancel(f, assert.AnError) },
		"Remove":                    func(p *executors.ScheduledPool, f *executors.Future[int]) { assert.True(t, p.Remove(&f.Handle)) },
		"ShutdownNow":               func(p *executors.ScheduledPool, _ *executors.Future[int]) { p.ShutdownNow() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
				p, err := executors.NewScheduledPool(1)
				require.NoError(t, err)
				f, err := p.SubmitAfter(background, time.Hour, value(1))
				require.NoError(t, err)
				done := f.Done()
				p.Shutdown()
				race(
					func() { end(p, f) },
					func() {
						assert.NoError(t, p.AwaitTermination(background))
						assert.ErrorIs(t, f.Err(), executors.ErrCancelled)
						assert.True(t, f.IsDone())
						assert.True(t, isClosed(f.Finished()))
						assert.True(t, name == "ShutdownNow" || isClosed(done))
					},
				)
				<-done
				assert.Equal(t, name == "a cancellation with cause", errors.Is(f.Err(), assert.AnError))
			})
		})
	}
}
