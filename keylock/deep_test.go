package keylock_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// TestStreamsThatEndWhereTheyAreTold: a stream that runs where it is told of its grant, or that no scheduler takes, gives the key to the
// next one within that. However many there are, the stack does not grow with them: one that is full ends the process.
func TestStreamsThatEndWhereTheyAreTold(t *testing.T) {
	gone, err := schedulers.NewParallel("gone", 1)
	require.NoError(t, err)
	for name, on := range map[string]schedulers.Scheduler{"here": schedulers.Immediate(), "nowhere": gone} {
		t.Run(name, func(t *testing.T) {
			m, err := keylock.New(keylock.LeaseTime(0), keylock.WaitTime(keylock.Forever))
			require.NoError(t, err)
			lease, err := m.Acquire(context.Background(), "k")
			require.NoError(t, err)
			const n = 8000
			var deep, ended atomic.Int64
			over := make(chan struct{})
			look := func() {
				number := ended.Add(1)
				if number%1000 == 0 {
					deep.Store(max(deep.Load(), int64(runtime.Callers(0, make([]uintptr, 40*n)))))
				}
				if number == n {
					close(over)
				}
			}
			for range n {
				m.Mono("k", mono.FromCallable(func() (int, error) { look(); return 0, nil }), keylock.On(on)).
					SubscribeFunc(context.Background(), func(int) {}, flux.OnError(func(error) { look() }))
			}
			gone.Dispose()
			assert.True(t, lease.Release())
			<-over
			assert.Less(t, deep.Load(), int64(5*n), "frames on one stack")
			require.NoError(t, m.Shutdown(context.Background()))
		})
	}
}
