package itest_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/connectors/nats/itest"
	"github.com/goreactor/reactor/connectors/nats/natslock"
	"github.com/goreactor/reactor/internal/testkit/awake"
	"github.com/goreactor/reactor/keylock"
)

// start starts a server for a test.
func start(t testing.TB) *itest.Server {
	t.Helper()
	s, err := itest.Start(itest.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	return s
}

func connect(t testing.TB, urls ...string) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	conn, js, err := itest.Connect(urls...)
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	return conn, js
}

func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// backend returns a backend on a new bucket of a new server.
func backend(t testing.TB) (*natslock.Backend, jetstream.JetStream) {
	t.Helper()
	_, js := connect(t, start(t).URL())
	return backendOn(t, js), js
}

func backendOn(t testing.TB, js jetstream.JetStream) *natslock.Backend {
	t.Helper()
	ctx := within(t, 10*time.Second)
	_, err := js.CreateOrUpdateKeyValue(ctx, natslock.Config("locks"))
	require.NoError(t, err)
	b, err := natslock.New(ctx, js, "locks")
	require.NoError(t, err)
	return b
}

// request is one for a record that stays while the test looks at it, however long that takes.
func request(key, nonce string) keylock.Request {
	return keylock.Request{Key: key, Owner: "test", Nonce: nonce, TTL: time.Minute}
}

// K2: acquiring is one compare-and-set, and its revision is the token.
func TestK2Acquire(t *testing.T) {
	b, js := backend(t)
	ctx := within(t, 20*time.Second)
	g, err := b.TryAcquire(ctx, request("a", "n1"))
	require.NoError(t, err)
	assert.Equal(t, keylock.Grant{Key: "a", Owner: "test", Nonce: "n1", Token: 1, Revision: 1}, g)

	_, err = b.TryAcquire(ctx, request("a", "n2"))
	require.ErrorIs(t, err, keylock.ErrHeld)
	assert.Contains(t, err.Error(), `"a" belongs to test`)

	g2, err := b.TryAcquire(ctx, request("b", "n3"))
	require.NoError(t, err, "another key")
	assert.Greater(t, g2.Token, g.Token, "tokens rise over all keys")

	require.NoError(t, b.Release(ctx, g))
	e, err := b.Read(ctx, "a")
	require.NoError(t, err)
	assert.Equal(t, keylock.Event{Kind: keylock.Released, Revision: 3}, e)

	// Known from a watch, known from the own release, not known at all, and wrong: all
	// get the key if it is free.
	for i, revision := range []uint64{3, 0, 0, 77} {
		other := b
		if i == 2 {
			other = backendOn(t, js) // which has not seen the release
		}
		r := request("a", fmt.Sprint("m", i))
		r.Revision = revision
		g3, err := other.TryAcquire(ctx, r)
		require.NoError(t, err, "revision %d", revision)
		assert.Greater(t, g3.Token, g2.Token)
		require.NoError(t, other.Release(ctx, g3))
		g2 = g3
	}
}

// K2, K12: what costs one round trip.
func TestK12RoundTrips(t *testing.T) {
	conn, js := connect(t, start(t).URL())
	b := backendOn(t, js)
	ctx := within(t, 20*time.Second)
	sent := func() uint64 { return conn.Stats().OutMsgs }

	before := sent()
	g, err := b.TryAcquire(ctx, request("a", "n1"))
	require.NoError(t, err)
	assert.EqualValues(t, 1, sent()-before, "acquire a new key")
	before = sent()
	g, err = b.Renew(ctx, g, time.Minute)
	require.NoError(t, err)
	assert.EqualValues(t, 1, sent()-before, "renew")
	before = sent()
	require.NoError(t, b.Release(ctx, g))
	assert.EqualValues(t, 1, sent()-before, "release")
	before = sent()
	g, err = b.TryAcquire(ctx, request("a", "n2"))
	require.NoError(t, err)
	assert.EqualValues(t, 1, sent()-before, "acquire a key that this process has released")
	require.NoError(t, b.Release(ctx, g))
}

// K3: a renewal is a compare-and-set that brings the time to live with it.
func TestK3Renew(t *testing.T) {
	t.Parallel()
	b, _ := backend(t)
	ctx := within(t, 20*time.Second)
	g, err := b.TryAcquire(ctx, request("a", "n1"))
	require.NoError(t, err)
	events, err := b.Watch(ctx, "a")
	require.NoError(t, err)
	const ttl = 3 * time.Second
	renewed := g
	var last time.Time
	for range 3 {
		last = time.Now()
		renewed, err = b.Renew(ctx, renewed, ttl)
		require.NoError(t, err)
		assert.Equal(t, g.Token, renewed.Token, "the token stays")
		assert.Greater(t, renewed.Revision, g.Revision)
	}
	e, err := b.Read(ctx, "a")
	require.NoError(t, err)
	assert.Equal(t, renewed, e.Grant, "owner, nonce, and token can be read")

	_, err = b.Renew(ctx, g, ttl)
	require.ErrorIs(t, err, keylock.ErrHeld, "a stale renewal")
	require.ErrorIs(t, b.Release(ctx, g), keylock.ErrHeld, "a stale release")

	for e := range events {
		if e.Kind != keylock.Occupied {
			assert.Equal(t, keylock.Expired, e.Kind)
			break
		}
	}
	lived := time.Since(last)
	assert.GreaterOrEqual(t, lived, ttl, "the renewal has brought its own time to live")
	assert.Less(t, lived, 15*time.Second, "which is shorter than that before")
	_, err = b.Renew(ctx, renewed, ttl)
	require.ErrorIs(t, err, keylock.ErrHeld, "a renewal after the expiry")
}

// K4: whole seconds, rounded up, not less than one, and no more than the server can count.
func TestK4WholeSeconds(t *testing.T) {
	b, js := backend(t)
	ctx := within(t, 20*time.Second)
	for _, ttl := range []time.Duration{-time.Second, 0, 1, 999 * time.Millisecond, natslock.MaxTTL + 1, math.MaxInt64} {
		require.ErrorIs(t, b.CheckTTL(ttl), reactor.ErrIllegalArgument)
		r := request("a", "n1")
		r.TTL = ttl
		_, err := b.TryAcquire(ctx, r)
		require.ErrorIs(t, err, reactor.ErrIllegalArgument)
		assert.Contains(t, err.Error(), ttl.String())
		_, err = b.Renew(ctx, keylock.Grant{Key: "a"}, ttl)
		require.ErrorIs(t, err, reactor.ErrIllegalArgument)
	}
	stream, err := js.Stream(ctx, "KV_locks")
	require.NoError(t, err)
	for i, c := range []struct {
		ttl  time.Duration
		sent string
	}{{time.Second, "1"}, {1001 * time.Millisecond, "2"}, {1500 * time.Millisecond, "2"}, {time.Hour, "3600"}, {natslock.MaxTTL, "3153600000"}} {
		require.NoError(t, b.CheckTTL(c.ttl))
		r := request(fmt.Sprint("k", i), "n1")
		r.TTL = c.ttl
		g, err := b.TryAcquire(ctx, r)
		require.NoError(t, err)
		msg, err := stream.GetMsg(ctx, g.Revision)
		require.NoError(t, err)
		assert.Equal(t, c.sent, msg.Header.Get(jetstream.MsgTTLHeader))
	}
	end := time.Now().Add(natslock.MaxTTL)
	assert.Equal(t, end.Unix(), end.UnixNano()/1e9, "the server counts it so, in 64 bits")
}

// K11: a watch that can't begin says why, not only that the context has ended.
func TestK11NoWatch(t *testing.T) {
	t.Parallel()
	_, js := connect(t, start(t).URL())
	b := backendOn(t, js)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the process ends"))
	_, err := b.Watch(ctx, "a")
	assert.EqualError(t, err, `natslock: watch "a": the process ends`)
}

// K10: every string is a key, and different ones are different keys.
func TestK10Keys(t *testing.T) {
	b, _ := backend(t)
	ctx := within(t, 20*time.Second)
	keys := []string{"", "=", "=2E", ".", "..", "a.b", "a*", ">", "*", " ", "ä", "\x00", "\xff", "a/b", "a b", "A", "a", "$KV", strings.Repeat("x", natslock.MaxKey)}
	var grants []keylock.Grant
	for i, key := range keys {
		g, err := b.TryAcquire(ctx, request(key, fmt.Sprint(i)))
		require.NoError(t, err, "key %q", key)
		grants = append(grants, g)
	}
	for i, key := range keys {
		e, err := b.Read(ctx, key)
		require.NoError(t, err)
		assert.Equal(t, grants[i], e.Grant)
		require.NoError(t, b.Release(ctx, grants[i]))
	}
	for _, key := range []string{strings.Repeat("x", natslock.MaxKey+1), strings.Repeat(".", natslock.MaxKey/3+1)} {
		_, err := b.TryAcquire(ctx, request(key, "n"))
		require.ErrorIs(t, err, reactor.ErrIllegalArgument)
		assert.Contains(t, err.Error(), "1024")
		_, err = b.Watch(ctx, key)
		require.ErrorIs(t, err, reactor.ErrIllegalArgument)
	}
}

// A watch says first how things stand, then what changes; a release and an expiry are
// different things.
func TestWatch(t *testing.T) {
	t.Parallel()
	b, _ := backend(t)
	ctx, cancel := context.WithCancel(within(t, 20*time.Second))
	events, err := b.Watch(ctx, "a")
	require.NoError(t, err)
	assert.Equal(t, keylock.Event{Kind: keylock.Vacant}, <-events)
	g, err := b.TryAcquire(ctx, request("a", "n1"))
	require.NoError(t, err)
	assert.Equal(t, keylock.Event{Kind: keylock.Occupied, Grant: g, Revision: g.Revision}, <-events)
	require.NoError(t, b.Release(ctx, g))
	assert.Equal(t, keylock.Event{Kind: keylock.Released, Revision: g.Revision + 1}, <-events)

	late, err := b.Watch(ctx, "a")
	require.NoError(t, err)
	assert.Equal(t, keylock.Event{Kind: keylock.Released, Revision: g.Revision + 1}, <-late)

	r := request("a", "n2")
	r.TTL = 3 * time.Second
	_, err = b.TryAcquire(ctx, r)
	require.NoError(t, err)
	assert.Equal(t, keylock.Occupied, (<-events).Kind)
	assert.Equal(t, keylock.Expired, (<-events).Kind)

	cancel()
	_, open := <-events
	assert.False(t, open, "the end of ctx closes the channel")
}

// A watch that has nothing to say stays; one that can't go on ends.
func TestK11WatchEnds(t *testing.T) {
	t.Parallel()
	s := start(t)
	conn, js := connect(t, s.URL())
	b := backendOn(t, js)
	ctx := within(t, 30*time.Second)
	events, err := b.Watch(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, keylock.Vacant, (<-events).Kind)
	select {
	case e, open := <-events:
		t.Fatalf("got %v, open %v", e, open)
	case <-time.After(4 * time.Second): // longer than it may be silent
	}
	r := request("a", "n1")
	r.TTL = 2 * time.Second
	_, err = b.TryAcquire(ctx, r)
	require.NoError(t, err)
	require.Equal(t, keylock.Occupied, (<-events).Kind)

	s.Stop()
	clock := awake.Watch(t)
	_, open := <-events
	assert.False(t, open)
	assert.Less(t, clock.Now(), time.Second, "it ends with the connection, not with the silence")
	for conn.Status() == nats.CONNECTED {
		time.Sleep(time.Millisecond)
	}
	brief := within(t, 50*time.Millisecond)
	_, err = b.Watch(brief, "a")
	require.ErrorContains(t, err, "the connection is reconnecting")
	_, err = b.TryAcquire(brief, request("a", "n1"))
	require.ErrorContains(t, err, "the connection is reconnecting")
	require.NotErrorIs(t, err, keylock.ErrHeld)

	// Without such a limit they wait for the connection.
	again := make(chan struct{})
	go func() {
		defer close(again)
		events, err = b.Watch(ctx, "a")
	}()
	require.NoError(t, s.Restart())
	<-again
	require.NoError(t, err)
	for e := range events {
		if e.Kind == keylock.Expired {
			break
		}
	}
}

// The consumer of a watch is gone when the watch is.
func TestWatchLeavesNoConsumer(t *testing.T) {
	t.Parallel()
	b, js := backend(t)
	ctx := within(t, 20*time.Second)
	for range 20 {
		inner, cancel := context.WithCancel(ctx)
		events, err := b.Watch(inner, "a")
		require.NoError(t, err)
		<-events
		cancel()
		for range events {
		}
	}
	stream, err := js.Stream(ctx, "KV_locks")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		info, err := stream.Info(ctx)
		return err == nil && info.State.Consumers == 0
	}, 20*time.Second, 10*time.Millisecond)
}

// Nothing stays of a key that was released or has expired.
func TestMarksGo(t *testing.T) {
	t.Parallel()
	_, js := connect(t, start(t).URL())
	ctx := within(t, 30*time.Second)
	config := natslock.Config("locks")
	config.LimitMarkerTTL = natslock.MinMarkerTTL
	_, err := js.CreateKeyValue(ctx, config)
	require.NoError(t, err)
	b, err := natslock.New(ctx, js, "locks")
	require.NoError(t, err)
	for i := range 100 {
		r := request(fmt.Sprint(i), "n")
		r.TTL = time.Second
		g, err := b.TryAcquire(ctx, r)
		require.NoError(t, err)
		if i%2 == 0 {
			require.NoError(t, b.Release(ctx, g))
		}
	}
	stream, err := js.Stream(ctx, "KV_locks")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		info, err := stream.Info(ctx)
		return err == nil && info.State.Msgs == 0
	}, 15*time.Second, 50*time.Millisecond)
	g, err := b.TryAcquire(ctx, request("0", "n2"))
	require.NoError(t, err, "what is known of the mark is out of date")
	e, err := b.Read(ctx, "1")
	require.NoError(t, err)
	assert.Equal(t, keylock.Event{Kind: keylock.Vacant}, e)
	require.NoError(t, b.Release(ctx, g))
}

// What is in the bucket and not ours is somebody's.
func TestForeignValue(t *testing.T) {
	b, js := backend(t)
	ctx := within(t, 20*time.Second)
	kv, err := js.KeyValue(ctx, "locks")
	require.NoError(t, err)
	for _, value := range []string{"", "hello", `{"owner":"x"}`} {
		_, err = kv.PutString(ctx, "a", value)
		require.NoError(t, err)
		_, err = b.TryAcquire(ctx, request("a", "n"))
		require.ErrorIs(t, err, keylock.ErrHeld)
		require.ErrorContains(t, err, "no record of natslock")
	}
	require.NoError(t, kv.Delete(ctx, "a"))
	_, err = b.TryAcquire(ctx, request("a", "n"))
	require.NoError(t, err)
}
