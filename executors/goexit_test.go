package executors_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// away calls fn on a goroutine that ends in it.
func away(t *testing.T, fn func()) {
	t.Helper()
	done, ended := make(chan struct{}), true
	go func() {
		defer close(done)
		fn()
		ended = false
	}()
	<-done
	assert.True(t, ended, "it has returned")
}

// A function that ends its goroutine instead of starting a worker has started none, and loses nothing.
func TestB3_5_SpawnThatEndsItsGoroutine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		leaves := 0 // how many calls end their goroutine
		m := newTestMeter()
		p := newPool(t, 1, 1, executors.Unbounded(), executors.WithMeter(m, "app"), executors.WithSpawn(func(_ string, run func()) error {
			if leaves > 0 {
				leaves--
				goexit()
			}
			go run()
			return nil
		}))
		figures := func() []int {
			s := p.Stats()
			return []int{s.Workers, s.Active, s.Queued, int(s.Submitted)}
		}
		leaves = 4
		away(t, func() { _ = p.Execute(background, nothing) })
		away(t, func() { _, _ = p.Submit(background, value(1)) })
		away(t, func() { _ = p.ExecuteWait(background, nothing) })
		away(t, func() { p.PrestartOne() })
		assert.Equal(t, []int{0, 0, 0, 0}, figures())
		assert.Equal(t, []int64{0, 0}, m.values("app.executor.submitted", "app.executor.queued"))

		g, ran := newGate(t), journal[int]{}
		require.NoError(t, p.Execute(background, g.task))
		for i := range 3 {
			require.NoError(t, p.Execute(background, func(ctx context.Context) { ran.note(i); g.task(ctx) }))
		}
		leaves = 1
		away(t, func() { _ = p.Resize(4, 4) })
		synctest.Wait()
		assert.Equal(t, []int{3, 3, 1, 4}, figures(), "the others are started")

		require.NoError(t, p.Execute(background, func(context.Context) { leaves = 1; goexit() }))
		g.open()
		synctest.Wait()
		assert.Len(t, ran.read(), 3)
		assert.Equal(t, []int{4, 0, 0, 5}, figures(), "and replaced")
		require.NoError(t, p.Close(background))
		balanced(t, p.Stats())
	})
}

// A worker that runs already is started, however the function ends.
func TestB3_5_SpawnThatEndsItsGoroutineBehindTheWorker(t *testing.T) {
	for name, fail := range map[string]func() error{
		"goexit": func() error { goexit(); return nil },
		"panic":  func() error { panic("behind it") },
		"error":  func() error { return assert.AnError },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var ran journal[int]
				p := newPool(t, 1, 1, executors.Unbounded(), executors.WithSpawn(func(_ string, run func()) error {
					go run()
					synctest.Wait()
					return fail()
				}))
				done := make(chan struct{})
				go func() {
					defer close(done)
					assert.NoError(t, p.Execute(background, ran.noting(1)))
				}()
				<-done
				require.NoError(t, p.Execute(background, ran.noting(2)))
				require.NoError(t, p.Close(background))
				assert.Equal(t, []int{1, 2}, ran.read())
				assert.Zero(t, p.Stats().Workers)
				balanced(t, p.Stats())
			})
		})
	}
}

// A task that waits for its time is left to those that rest.
func TestC6_SpawnThatEndsItsGoroutine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		leaves := false
		m := newTestMeter()
		p := newScheduled(t, 2, executors.WithMeter(m, "app"), executors.WithSpawn(func(_ string, run func()) error {
			if leaves {
				goexit()
			}
			go run()
			return nil
		}))
		n := newRunNote()
		accept[*executors.Handle](t)(p.After(0, n.run))
		synctest.Wait()
		leaves = true
		away(t, func() { _, _ = p.After(time.Second, n.run) })
		assert.Equal(t, []int64{2, 1}, m.values("app.executor.submitted", "app.executor.queued"))
		pass(time.Second)
		assert.Equal(t, []int{0, 1000}, n.read())
		require.NoError(t, p.Close(background))

		alone := newScheduled(t, 1, executors.WithSpawn(func(string, func()) error { goexit(); return nil }))
		away(t, func() { _, _ = alone.After(time.Second, n.run) })
		require.NoError(t, alone.Close(background))
		assert.Equal(t, []int{0, 1000, 2000}, n.read())
	})
}

// A hook that ends the goroutine of the last worker does not bring it back.
func TestB4_2_TerminatedHookThatEndsItsGoroutine(t *testing.T) {
	for name, leave := range map[string]func(p *executors.ThreadPool){
		"idle": func(p *executors.ThreadPool) { p.Shutdown() },
		"busy": func(p *executors.ThreadPool) { _ = p.Execute(background, func(context.Context) { p.Shutdown() }) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var workers journal[string]
				p := newPool(t, 1, 1, executors.Unbounded(), executors.WithHooks(executors.Hooks{Terminated: goexit}),
					executors.WithErrorHandler(func(context.Context, error) {}),
					executors.WithSpawn(func(name string, run func()) error { workers.note(name); go run(); return nil }))
				require.NoError(t, p.Execute(background, nothing))
				synctest.Wait()
				leave(p)
				require.NoError(t, p.AwaitTermination(background))
				synctest.Wait()
				assert.Len(t, workers.read(), 1)
				assert.Equal(t, 0, p.Stats().Workers)
				balanced(t, p.Stats())
			})
		})
	}
}
