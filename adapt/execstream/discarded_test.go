package execstream_test

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/execstream"
	"github.com/goreactor/reactor/schedulers"
)

// Who cancels while a process that was started waits for a lane to be handed down does not wait for its end.
func TestCancellingAProcessThatWaitsForALane(t *testing.T) {
	busy := make(chan struct{})
	defer close(busy)
	for range schedulers.BoundedElastic().Stats().Capacity {
		require.NoError(t, schedulers.BoundedElastic().Execute(func(context.Context) { <-busy }))
	}
	var s started
	child := s.child("stubborn", 0)
	started := make(chan *exec.Cmd, 1)
	const grace = time.Second
	out := execstream.Output(func(ctx context.Context) *exec.Cmd {
		cmd := child(ctx)
		started <- cmd
		return cmd
	}, execstream.Grace(grace)).SubscribeFunc(t.Context(), func(execstream.Line) {})
	<-started
	time.Sleep(300 * time.Millisecond) // it ignores interrupts by now
	before := time.Now()
	out.Dispose()
	assert.Less(t, time.Since(before), grace/2)
	time.Sleep(3 * grace / 2) // it is killed, and waited for: what is left would be found at the end of all tests
}
