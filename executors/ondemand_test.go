package executors_test

import (
	"context"
	"testing"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pool without core workers keeps one while something waits for its time, and no longer:
// also where that does not run, but is cancelled.
func TestC6_TheWorkerOnDemandLeaves(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, err := executors.NewScheduledPool(0)
		require.NoError(t, err)
		defer end(t, p)
		fn := func(context.Context) error { return nil }
		once := accept[*executors.Handle](t)(p.After(time.Hour, fn))
		series := accept[*executors.Handle](t)(p.AtFixedRate(0, time.Hour, fn))
		pass(time.Second)
		assert.Equal(t, 1, p.Stats().Workers)
		once.Cancel(nil)
		pass(time.Second)
		assert.Equal(t, 1, p.Stats().Workers)
		series.Cancel(nil)
		pass(time.Second)
		assert.Zero(t, p.Stats().Workers)
		require.NoError(t, p.Execute(background, nothing))
		pass(0)
		assert.EqualValues(t, 2, p.Stats().Completed)
		pass(time.Second)
		assert.Zero(t, p.Stats().Workers)
	})
}
