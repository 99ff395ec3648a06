package schedulers

import (
	"context"
	"testing"
	"time"

	"github.com/goreactor/reactor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestA14_1_WhoMayBlock(t *testing.T) {
	for _, k := range kinds {
		s := k.make()
		mark := k.name == "single" || k.name == "parallel"
		for _, l := range []lane{s, s.NewWorker()} {
			done := make(chan struct{})
			require.NoError(t, l.Execute(func(ctx context.Context) {
				defer close(done)
				assert.Equal(t, mark, IsNonBlocking(ctx), k.name)
				derived, cancel := context.WithTimeout(ctx, time.Hour)
				defer cancel()
				assert.Equal(t, mark, IsNonBlocking(derived), k.name)
				err := CheckBlocking(ctx, "block")
				if !mark {
					assert.NoError(t, err)
					assert.NoError(t, CheckBlocking(context.Background(), "block"))
					return
				}
				assert.ErrorIs(t, err, reactor.ErrBlocking)
				assert.ErrorContains(t, err, "block")
				assert.ErrorContains(t, err, WorkerName(ctx))
			}))
			<-done
		}
		s.Dispose()
	}
	assert.False(t, IsNonBlocking(context.Background()))
	assert.NoError(t, CheckBlocking(context.Background(), "block"))
	require.NoError(t, Immediate().Execute(func(ctx context.Context) {
		assert.NoError(t, CheckBlocking(ctx, "block"))
	}))
}

// Without the context of the task, the stack tells; a goroutine of its own is free.
func TestA14_2_TheStackTells(t *testing.T) {
	s := NewSingle("t")
	defer s.Dispose()
	for name, submit := range map[string]func(Task) error{
		"direct":   s.Execute,
		"worker":   s.NewWorker().Execute,
		"handle":   func(task Task) error { _, err := s.Schedule(task); return err },
		"timer":    func(task Task) error { _, err := s.ScheduleAfter(task, time.Millisecond); return err },
		"after go": func(task Task) error { return s.Execute(func(ctx context.Context) { _ = s.Execute(task) }) },
	} {
		for _, depth := range []int{0, 1, 20, 100, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 300, 5000} {
			done := make(chan struct{})
			require.NoError(t, submit(func(context.Context) {
				defer close(done)
				atDepth(depth, func() {
					assert.ErrorIs(t, CheckBlocking(context.Background(), "block"), reactor.ErrBlocking, "%s at depth %d", name, depth)
				})
				inner := make(chan struct{})
				go func() {
					defer close(inner)
					atDepth(depth, func() {
						assert.NoError(t, CheckBlocking(context.Background(), "block"), "in a goroutine of its own")
					})
				}()
				<-inner
				// Also when another scheduler runs it right here.
				assert.NoError(t, Immediate().Execute(func(ctx context.Context) {
					assert.ErrorIs(t, CheckBlocking(ctx, "block"), reactor.ErrBlocking)
				}))
			}))
			<-done
		}
	}
}

func TestA14_1_Predicates(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(context.Background(), key{}, true)
	assert.NoError(t, CheckBlocking(ctx, "block"))
	remove := RegisterNonBlocking("mine", func(ctx context.Context) bool { return ctx.Value(key{}) != nil })
	RegisterNonBlocking("never", func(context.Context) bool { return false })
	assert.True(t, IsNonBlocking(ctx))
	assert.ErrorIs(t, CheckBlocking(ctx, "block"), reactor.ErrBlocking)
	assert.NoError(t, CheckBlocking(context.Background(), "block"))
	remove()
	assert.NoError(t, CheckBlocking(ctx, "block"))
	RegisterNonBlocking("mine", func(context.Context) bool { return true })
	ResetNonBlocking()
	assert.NoError(t, CheckBlocking(ctx, "block"))
	assert.Panics(t, func() { RegisterNonBlocking("nil", nil) })
}

// A refusal says which worker it is about and what to do instead.
func TestRefusalNamesTheWorkerAndTheWayOut(t *testing.T) {
	s := NewSingle("reader")
	defer s.Dispose()
	var inTask, onGoroutine error
	var name string
	done := make(chan struct{})
	require.NoError(t, s.Execute(func(ctx context.Context) {
		defer close(done)
		name = WorkerName(ctx)
		inTask = CheckBlocking(ctx, "block")
		onGoroutine = CheckBlocking(context.Background(), "collect")
	}))
	<-done
	const out = "let FlatMap wait for the stream, or go to schedulers.BoundedElastic() first with PublishOn or SubscribeOn"
	assert.EqualError(t, inTask, `reactor: block: blocking call on a non-blocking worker: the context is of a task on "`+name+`"; `+out)
	assert.EqualError(t, onGoroutine, `reactor: collect: blocking call on a non-blocking worker: the goroutine is that of worker "`+name+`"; `+out)
}
