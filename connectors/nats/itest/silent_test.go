package itest_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/connectors/nats/itest"
	"github.com/goreactor/reactor/connectors/nats/natslock"
	"github.com/goreactor/reactor/internal/testkit/awake"
	"github.com/goreactor/reactor/keylock"
)

// A server that is stopped says nothing, and its connections stay: a watch ends all the
// same, and requests have no answer, which is not taken for one.
func TestK7SilentServer(t *testing.T) {
	t.Parallel()
	s := spawn(t, "server", itest.Options{Dir: t.TempDir()})
	url := "nats://" + s.hears(20*time.Second, "ready").Key
	_, js := connect(t, url)
	b := backendOn(t, js)
	ctx := within(t, 30*time.Second)
	g, err := b.TryAcquire(ctx, request("a", "n1"))
	require.NoError(t, err)
	events, err := b.Watch(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, keylock.Occupied, (<-events).Kind)

	s.halt()
	clock := awake.Watch(t)
	_, err = b.Renew(ctx, g, 2*time.Second)
	require.ErrorContains(t, err, "no answer within 2s")
	require.NotErrorIs(t, err, keylock.ErrHeld)
	_, open := <-events
	assert.False(t, open)
	assert.Less(t, clock.Now(), 4*time.Second, "the end of the watch")
	_, err = b.Watch(ctx, "a")
	require.EqualError(t, err, `natslock: watch "a": no answer within 2s`)
	s.signal(syscall.SIGCONT)

	e, err := b.Read(ctx, "a")
	require.NoError(t, err)
	if e.Kind == keylock.Occupied { // the server has got the renewal, late
		assert.Equal(t, g.Nonce, e.Grant.Nonce)
		assert.Equal(t, g.Token, e.Grant.Token)
	}
}

// G6: a bucket that was made anew begins with low tokens. Who remembers higher ones
// refuses its grants; who does not can't harm what a guard protects.
func TestG6BucketMadeAnew(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, js := connect(t, s.URL())
	ctx := within(t, 30*time.Second)
	// In memory, because a server that is done with removing the last stream of an account
	// is not done with its folder: files of the old stream may get into the new one, which
	// goes on with their sequence, and the parent folder may go while it is made.
	config := natslock.Config("locks")
	config.Storage = jetstream.MemoryStorage
	_, err := js.CreateKeyValue(ctx, config)
	require.NoError(t, err)
	l := locker{URLs: []string{s.URL()}, Bucket: "locks", TTL: 20 * time.Second}
	old := manager(t, l)
	guard := newGuard()
	for range 5 {
		lease, err := old.Acquire(ctx, "k")
		require.NoError(t, err)
		require.NoError(t, guard.write(of("write", lease)))
		require.True(t, lease.Release())
	}
	require.NoError(t, js.DeleteKeyValue(ctx, "locks"))
	_, err = js.CreateKeyValue(ctx, config)
	require.NoError(t, err)

	_, err = old.Acquire(ctx, "k")
	require.ErrorIs(t, err, keylock.ErrTokenRegressed)

	other := manager(t, l)
	lease, err := other.Acquire(ctx, "k")
	require.NoError(t, err)
	require.Error(t, guard.write(of("write", lease)))
	require.True(t, lease.Release())
	assert.NoError(t, context.Cause(ctx))
}
