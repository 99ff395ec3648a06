package executors_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
)

// Whatever a program gets can be printed while it is at work: with the race detector this fails if one prints its
// fields.
func TestWhatWorksCanBePrinted(t *testing.T) {
	p, err := executors.NewScheduledPool(2, executors.WithName("io"))
	require.NoError(t, err)
	s, err := executors.NewTaskScheduler(executors.PoolSize(2))
	require.NoError(t, err)
	var runs atomic.Int64
	job, err := s.AtFixedRate(time.Microsecond, func(context.Context) error { runs.Add(1); return nil }, executors.Named("tick"))
	require.NoError(t, err)
	var run atomic.Value
	handle, err := p.AtFixedRate(0, time.Microsecond, func(ctx context.Context) error { run.Store(fmt.Sprint(ctx)); runs.Add(1); return nil })
	require.NoError(t, err)
	future, err := p.SubmitAfter(t.Context(), time.Microsecond, func(context.Context) (int, error) { return 1, nil })
	require.NoError(t, err)
	var printed [5]string
	for printed[0] == "" || runs.Load() < 200 || run.Load() == nil { // there may be 200 before this goroutine goes on
		for i, v := range []any{job, s, handle, future, p} {
			printed[i] = fmt.Sprintf("%v", v)
		}
	}
	require.NoError(t, p.Close(t.Context()))
	require.NoError(t, s.Close(t.Context()))
	assert.Equal(t, `job "tick"`, printed[0])
	assert.Regexp(t, `^task scheduler "scheduled-\d+"$`, printed[1])
	assert.Equal(t, []string{`task of pool "io"`, `task of pool "io"`, `scheduled pool "io"`}, printed[2:])
	assert.Equal(t, `run of pool "io"`, run.Load())

	assert.Equal(t, "task of no pool", new(executors.Handle).String())
	assert.Equal(t, "task scheduler of no pool", new(executors.TaskScheduler).String())
	assert.Equal(t, `job ""`, new(executors.Job).String())
}
