package executors_test

import (
	"context"
	"testing"

	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a task costs in allocations, when the queue has its size.
func TestAllocationsPerTask(t *testing.T) {
	p := newPool(t, 1, 1, executors.Unbounded())
	done := make(chan struct{}, 1)
	task := func(context.Context) { done <- struct{}{} }
	execute := testing.AllocsPerRun(200, func() {
		require.NoError(t, p.Execute(background, task))
		<-done
	})
	assert.Less(t, execute, 1.0)
	fn := func(context.Context) (int, error) { done <- struct{}{}; return 1, nil }
	submit := testing.AllocsPerRun(200, func() {
		_, _ = p.Submit(background, fn)
		<-done
	})
	assert.Less(t, submit, 3.0)
}
