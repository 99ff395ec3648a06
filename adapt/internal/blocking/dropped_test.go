package blocking

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// A scheduler that is disposed drops the task that was to read. Who cancels then closes the resource: nobody else does.
func TestCancelAfterTheSchedulerWasDisposed(t *testing.T) {
	for _, onWorker := range []bool{false, true} {
		reactortest.Bubble(t, func(t *testing.T) {
			f := newFake()
			on := schedulers.NewSingle("t")
			s := reactortest.Subscribe(t, f.publisher(Settings{CloseOnWorker: onWorker, On: on}), reactortest.InitialRequest(0))
			synctest.Wait()
			require.EqualValues(t, 1, f.opened.Load())
			busy := make(chan struct{})
			require.NoError(t, on.Execute(func(context.Context) { <-busy }))
			s.Request(1) // waits behind that
			on.Dispose()
			s.Cancel()
			synctest.Wait()
			assert.EqualValues(t, 1, f.closed.Load())
			f.check(t)
			close(busy)
		})
	}
}
