package executors_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
)

// Who is not on the goroutine of the task may ask for a Local at any time, also while the worker gets another goroutine.
func TestLocalElsewhereWhileTheWorkerIsReplaced(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var local executors.Local[int]
		p := newPool(t, 1, 1, executors.Unbounded(), executors.WithErrorHandler(func(context.Context, error) {}))
		require.NoError(t, p.Execute(background, func(ctx context.Context) {
			go func() { assert.Panics(t, func() { local.Of(ctx) }) }()
			goexit()
		}))
		synctest.Wait()
	})
}
