package executors_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
)

// panickingLog is the handler of a log that fails.
type panickingLog struct {
	slog.Handler
	lines *int
}

func (l panickingLog) Handle(context.Context, slog.Record) error {
	*l.lines++
	panic("the log is full")
}

// What has failed is logged on the goroutines of pools and jobs, where a panic of the log would end the program.
func TestALogThatPanics(t *testing.T) {
	before := slog.Default()
	defer slog.SetDefault(before)
	lines := 0
	slog.SetDefault(slog.New(panickingLog{slog.NewTextHandler(io.Discard, nil), &lines}))
	synctest.Test(t, func(t *testing.T) {
		for _, opts := range [][]executors.Option{nil, {executors.WithErrorHandler(func(context.Context, error) { panic("handler") })}} {
			p, err := executors.NewThreadPool(1, 1, 0, executors.Unbounded(), opts...)
			require.NoError(t, err)
			require.NoError(t, p.Execute(t.Context(), func(context.Context) { panic("task") }))
			synctest.Wait()
			ran := false
			require.NoError(t, p.Execute(t.Context(), func(context.Context) { ran = true }))
			synctest.Wait()
			assert.True(t, ran)
			p.Shutdown()
			synctest.Wait()
		}
		s, err := executors.NewTaskScheduler()
		require.NoError(t, err)
		_, err = s.AtFixedRate(time.Second, func(context.Context) error { return errors.New("job") })
		require.NoError(t, err)
		time.Sleep(2500 * time.Millisecond)
		require.NoError(t, s.Close(t.Context()))
	})
	assert.Equal(t, 5, lines)
}
