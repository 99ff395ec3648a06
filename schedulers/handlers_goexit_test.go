package schedulers

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// All handlers hear of an error, also behind one that ends the goroutine.
func TestA13_3_HandlersBehindOneThatEndsTheGoroutine(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		defer OnHandleError("first", func(context.Context, error) { runtime.Goexit() })()
		heard := catchErrors(t)
		require.NoError(t, s.Execute(func(context.Context) { panic("task") }))
		synctest.Wait()
		assert.Len(t, heard.read(), 1)
	})
}
