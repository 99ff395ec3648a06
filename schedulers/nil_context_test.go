package schedulers

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
)

// Without a context nothing is disposed: who waits for the end on a goroutine of its own would end the process.
func TestADisposalWithoutAContextIsRefused(t *testing.T) {
	elastic, err := NewBoundedElastic(1, 9, "elastic")
	require.NoError(t, err)
	parallel, err := NewParallel("parallel", 1)
	require.NoError(t, err)
	pool, err := executors.NewScheduledPool(1)
	require.NoError(t, err)
	var unset context.Context
	for _, s := range []Scheduler{
		elastic, parallel, NewSingle("single"), SingleWorker(elastic), Timed(parallel, newTestMeter(), "x"),
		FromScheduledPool(pool), FromExecutor(executors.Func(func(ctx context.Context, task executors.Task) error { task(ctx); return nil })),
	} {
		busy := make(chan struct{})
		_, err := s.Schedule(func(context.Context) { close(busy) })
		require.NoError(t, err)
		<-busy
		assert.ErrorIs(t, s.DisposeGracefully(unset), reactor.ErrIllegalArgument, nameOf(s))
		assert.False(t, s.IsDisposed(), nameOf(s))
		defer s.Dispose()
	}
	require.NoError(t, Parallel().Execute(func(context.Context) {}))
	assert.ErrorIs(t, Shutdown(unset), reactor.ErrIllegalArgument)
	assert.False(t, Parallel().IsDisposed())
}

// No context is one of no task, as in package executors. The goroutine counts all the same.
func TestNoContextIsOfNoTask(t *testing.T) {
	var unset context.Context
	remove := RegisterNonBlocking("of a context", func(ctx context.Context) bool { return ctx.Value("none") != nil })
	defer remove()
	assert.Empty(t, WorkerName(unset))
	assert.False(t, IsNonBlocking(unset))
	assert.NoError(t, CheckBlocking(unset, "block"))
	s := NewSingle("single")
	defer s.Dispose()
	refused := make(chan error, 1)
	require.NoError(t, s.Execute(func(context.Context) { refused <- CheckBlocking(unset, "block") }))
	assert.ErrorIs(t, <-refused, reactor.ErrBlocking)
}
