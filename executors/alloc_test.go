package executors_test

import (
	"context"
	"testing"
	"time"

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

// What a delayed task costs: one object, also to cancel it. TestSizeOfAHandle says how
// large it is.
func TestAllocationsPerDelayedTask(t *testing.T) {
	p := newScheduled(t, 1)
	p.PrestartAll()
	for range 1000 { // so that the queue has its size
		_, err := p.After(time.Hour, noError)
		require.NoError(t, err)
	}
	assert.Equal(t, 1.0, testing.AllocsPerRun(1000, func() {
		h, _ := p.After(2*time.Hour, noError)
		h.Cancel(nil)
	}))
}
