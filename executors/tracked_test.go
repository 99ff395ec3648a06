package executors_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tracking submits a task by Track, and notes what becomes of it.
func tracking(t *testing.T, p executors.Tracker) (ran *bool, dropped *journal[error]) {
	ran, dropped = new(bool), new(journal[error])
	_, err := p.Track(background, func(context.Context) { *ran = true }, dropped.note)
	require.NoError(t, err)
	synctest.Wait()
	return ran, dropped
}

// trackers runs f with pools that have the options.
func trackers(t *testing.T, f func(t *testing.T, p executors.Tracker), opts ...executors.Option) {
	t.Run("thread pool", func(t *testing.T) {
		bubble(t, func(t *testing.T) { f(t, newPool(t, 1, 1, executors.Unbounded(), opts...)) })
	})
	t.Run("scheduled pool", func(t *testing.T) {
		bubble(t, func(t *testing.T) { f(t, newScheduled(t, 1, opts...)) })
	})
}

// Whoever tracks a task waits for its run: a hook before it that fails must not make that
// wait for ever.
func TestTrackedTasksRunAlthoughAHookFails(t *testing.T) {
	var told journal[error]
	trackers(t, func(t *testing.T, p executors.Tracker) {
		told.notes = nil
		ran, dropped := tracking(t, p)
		assert.True(t, *ran)
		assert.Empty(t, dropped.read())
		require.Len(t, told.read(), 1)
		assert.IsType(t, (*reactor.PanicError)(nil), told.read()[0])
		plain := false
		require.NoError(t, p.Execute(background, func(context.Context) { plain = true }))
		synctest.Wait()
		assert.False(t, plain, "nobody waits for this one")
		assert.Len(t, told.read(), 2)
	}, catch(&told), executors.WithHooks(executors.Hooks{Before: func(context.Context) context.Context { panic("before") }}))
}

// A tracked task that is not run after all is dropped, whoever keeps it from running.
func TestTrackedTasksThatDoNotRunAreDropped(t *testing.T) {
	for name, keeps := range map[string]executors.Option{
		"hook":  executors.WithHooks(executors.Hooks{Before: func(context.Context) context.Context { goexit(); return nil }}),
		"skips": executors.WithDecorator(func(executors.Task) executors.Task { return nothing }),
		"panics": executors.WithDecorator(func(executors.Task) executors.Task {
			return func(context.Context) { panic("instead") }
		}),
		"ends": executors.WithDecorator(func(executors.Task) executors.Task {
			return func(context.Context) { goexit() }
		}),
	} {
		t.Run(name, func(t *testing.T) {
			var told journal[error]
			trackers(t, func(t *testing.T, p executors.Tracker) {
				ran, dropped := tracking(t, p)
				assert.False(t, *ran)
				require.Len(t, dropped.read(), 1)
				switch err := dropped.read()[0]; name {
				case "skips":
					assert.ErrorIs(t, err, executors.ErrDiscarded)
				case "panics":
					assert.ErrorContains(t, err, "instead")
				default:
					assert.ErrorIs(t, err, reactor.ErrGoexit)
				}
			}, catch(&told), keeps)
		})
	}
}

// The one who tracks a task takes it back before it starts, and not afterwards.
func TestTrackedTasksAreTakenBack(t *testing.T) {
	trackers(t, func(t *testing.T, p executors.Tracker) {
		g := newGate(t)
		busy, err := p.Track(background, g.task, nil)
		require.NoError(t, err)
		synctest.Wait()
		assert.False(t, busy())
		withdraw, err := p.Track(background, func(context.Context) { t.Error("it was taken back") }, func(error) { t.Error("nor is it dropped") })
		require.NoError(t, err)
		assert.True(t, withdraw())
		assert.False(t, withdraw())
		g.open()
	})
}

// A decorated task that is tracked is still one that somebody waits for: a hook that fails does not keep it from running.
func TestTrackedTasksRunAlthoughTheyAreDecorated(t *testing.T) {
	trackers(t, func(t *testing.T, p executors.Tracker) {
		ran, dropped := tracking(t, p)
		assert.True(t, *ran)
		assert.Empty(t, dropped.read())
	}, executors.WithErrorHandler(func(context.Context, error) {}),
		executors.WithDecorator(func(task executors.Task) executors.Task { return func(ctx context.Context) { task(ctx) } }),
		executors.WithHooks(executors.Hooks{Before: func(context.Context) context.Context { panic("before") }}))
}
