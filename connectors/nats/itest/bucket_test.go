package itest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/connectors/nats/itest"
	"github.com/goreactor/reactor/connectors/nats/natslock"
	"github.com/goreactor/reactor/keylock"
)

// K1: a bucket that can't keep locks is refused, with all that is wrong with it.
func TestK1Buckets(t *testing.T) {
	s := start(t)
	conn, js := connect(t, s.URL())
	ctx := within(t, 20*time.Second)

	_, err := natslock.New(ctx, js, "missing")
	require.ErrorIs(t, err, jetstream.ErrStreamNotFound)
	assert.Contains(t, err.Error(), `there is no bucket "missing", make it with CreateKeyValue(ctx, natslock.Config("missing"))`)

	for name, c := range map[string]struct {
		change func(c *jetstream.KeyValueConfig)
		want   string
	}{
		"good":     {func(*jetstream.KeyValueConfig) {}, ""},
		"memory":   {func(c *jetstream.KeyValueConfig) { c.Storage = jetstream.MemoryStorage }, ""},
		"brief":    {func(c *jetstream.KeyValueConfig) { c.LimitMarkerTTL = natslock.MinMarkerTTL }, ""},
		"history":  {func(c *jetstream.KeyValueConfig) { c.History = 5 }, "its history is 5, must be 1"},
		"unmarked": {func(c *jetstream.KeyValueConfig) { c.LimitMarkerTTL = 0 }, "it has no markers: its LimitMarkerTTL is 0s, must be 1s or more"},
		"too-long": {func(c *jetstream.KeyValueConfig) { c.LimitMarkerTTL = natslock.MaxTTL + time.Second }, "its LimitMarkerTTL is 876000h0m1s, must be 876000h0m0s at most"},
		"expiring": {func(c *jetstream.KeyValueConfig) { c.TTL = time.Hour }, "its TTL is 1h0m0s, must be 0"},
		"mirrored": {func(c *jetstream.KeyValueConfig) {
			c.Mirror, c.LimitMarkerTTL = &jetstream.StreamSource{Name: "memory"}, 0
		}, "it has records from elsewhere"},
		"all-wrong": {func(c *jetstream.KeyValueConfig) { c.History, c.LimitMarkerTTL = 2, 0 }, "its history is 2, must be 1; it has no markers"},
	} {
		config := natslock.Config(name)
		c.change(&config)
		_, err := js.CreateKeyValue(ctx, config)
		require.NoError(t, err, name)
		_, err = natslock.New(ctx, js, name)
		if c.want == "" {
			assert.NoError(t, err, name)
			continue
		}
		require.ErrorIs(t, err, reactor.ErrIllegalArgument, name)
		assert.Contains(t, err.Error(), c.want)
		assert.Contains(t, err.Error(), name)
	}

	for _, name := range []string{"", "a.b", "a b", "*"} {
		_, err = natslock.New(ctx, js, name)
		require.ErrorIs(t, err, reactor.ErrIllegalArgument, "%q", name)
	}
	_, err = natslock.New(ctx, nil, "good")
	require.ErrorIs(t, err, reactor.ErrIllegalArgument)
	var none context.Context
	_, err = natslock.New(none, js, "good")
	require.ErrorIs(t, err, reactor.ErrIllegalArgument)

	conn.Close()
	_, err = natslock.New(ctx, js, "good")
	require.ErrorContains(t, err, "not connected")
}

// K1: a server without JetStream says so.
func TestK1NoJetStream(t *testing.T) {
	s, err := itest.Start(itest.Options{Dir: t.TempDir(), NoJetStream: true})
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	_, js := connect(t, s.URL())
	_, err = natslock.New(within(t, 5*time.Second), js, "locks")
	require.ErrorContains(t, err, "the server has no JetStream")
}

// A manager refuses what JetStream can't do, with the name and the value.
func TestBadInput(t *testing.T) {
	b, _ := backend(t)
	_, err := keylock.New(keylock.WithBackend(b, 900*time.Millisecond))
	require.ErrorIs(t, err, reactor.ErrIllegalArgument)
	assert.Contains(t, err.Error(), "900ms")
	assert.Contains(t, err.Error(), "records live for 1s or longer")

	shortest, err := keylock.New(keylock.WithBackend(b, time.Second))
	require.NoError(t, err)
	shut(t, shortest)
	m, err := keylock.New(keylock.WithBackend(b, 20*time.Second))
	require.NoError(t, err)
	t.Cleanup(func() { shut(t, m) })
	long := make([]byte, natslock.MaxKey+1)
	for i := range long {
		long[i] = 'x'
	}
	_, err = m.Acquire(within(t, 5*time.Second), string(long))
	require.ErrorIs(t, err, reactor.ErrIllegalArgument)
	assert.Contains(t, err.Error(), "takes 1025 bytes in a subject, at most 1024")

	held, err := m.Acquire(within(t, 5*time.Second), "k")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeoutCause(context.Background(), 50*time.Millisecond, errors.New("enough"))
	defer cancel()
	_, err = m.Acquire(ctx, "k")
	require.ErrorContains(t, err, "enough")
	assert.True(t, held.Release())
	assert.False(t, held.Release())
}
