package schedulers

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// panickingLog is the handler of a log that fails.
type panickingLog struct{ slog.Handler }

func (panickingLog) Handle(context.Context, slog.Record) error { panic("the log is full") }

// What has failed is logged on the goroutines of workers, where a panic of the log would end the program, and on those of submitters.
func TestALogThatPanics(t *testing.T) {
	captureLog(t) // restores the one from before
	slog.SetDefault(slog.New(panickingLog{slog.NewTextHandler(io.Discard, nil)}))
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		defer s.Dispose()
		ran := 0
		run := func() {
			require.NoError(t, s.Execute(func(context.Context) { panic("task") }))
			require.NoError(t, s.Execute(func(context.Context) { ran++ }))
			synctest.Wait()
		}
		run()
		OnHandleError("log", func(context.Context, error) { panic("handler") })
		defer ResetOnHandleError("log")
		run()
		OnScheduleHook("log", func(Task) Task { panic("hook") })
		defer ResetOnScheduleHook("log")
		assert.NotPanics(t, run)
		assert.Equal(t, 3, ran)
	})
}
