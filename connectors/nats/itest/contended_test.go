package itest_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/connectors/nats/natslock"
	"github.com/goreactor/reactor/keylock"
)

// TestNoSlowConsumers: processes that fight for one key make more changes than a watch looks at. That is no failure, and the client of the
// server, which says so on standard error otherwise, does not take it for one.
func TestNoSlowConsumers(t *testing.T) {
	s := start(t)
	_, js := connect(t, s.URL())
	backendOn(t, js)
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	const times = 80 // 6 times that, twice: no more than a watch has room for, however late it gets a processor
	for range 3 {
		conn, err := nats.Connect(s.URL(), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { failed.Store(&err) }))
		require.NoError(t, err)
		t.Cleanup(conn.Close)
		js, err := jetstream.New(conn)
		require.NoError(t, err)
		store, err := natslock.New(within(t, 10*time.Second), js, "locks")
		require.NoError(t, err)
		m, err := keylock.New(keylock.WithBackend(store, 5*time.Second), keylock.WaitTime(10*time.Second))
		require.NoError(t, err)
		t.Cleanup(func() { shut(t, m) })
		for range 2 {
			all.Go(func() {
				for range times {
					_, err := m.Do(context.Background(), "k", func(context.Context, keylock.Lease) (int, error) { return 0, nil })
					assert.NoError(t, err)
				}
			})
		}
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		assert.NoError(t, *err)
	}
}
