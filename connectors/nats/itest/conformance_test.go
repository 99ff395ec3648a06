package itest_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/connectors/nats/natslock"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/locktest"
)

// The contract of keylock.Backend, with two connections to one server.
func TestConformance(t *testing.T) {
	t.Parallel()
	s := start(t)
	var n atomic.Int32
	locktest.Run(t, locktest.Config{
		Open: func(t *testing.T) (a, b keylock.Backend) {
			config := natslock.Config(fmt.Sprint("conformance-", n.Add(1)))
			_, js := connect(t, s.URL())
			ctx := within(t, 10*time.Second)
			_, err := js.CreateKeyValue(ctx, config)
			require.NoError(t, err)
			first, err := natslock.New(ctx, js, config.Bucket)
			require.NoError(t, err)
			_, other := connect(t, s.URL())
			second, err := natslock.New(ctx, other, config.Bucket)
			require.NoError(t, err)
			return first, second
		},
		TTL:  2 * natslock.MinTTL,
		Late: 3 * time.Second,
		Around: func(t *testing.T, test func(t *testing.T)) {
			t.Parallel() // most of them wait
			test(t)
		},
	})
}
