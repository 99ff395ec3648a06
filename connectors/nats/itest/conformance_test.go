package itest_test

import (
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
	n := 0
	locktest.Run(t, locktest.Config{
		Open: func(t *testing.T) (a, b keylock.Backend) {
			n++
			config := natslock.Config("conformance-" + string(rune('a'+n)))
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
		TTL:  natslock.MinTTL,
		Late: time.Second,
	})
}
