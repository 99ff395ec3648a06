package itest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/connectors/nats/itest"
	"github.com/goreactor/reactor/connectors/nats/natslock"
	"github.com/goreactor/reactor/internal/testkit/awake"
	"github.com/goreactor/reactor/keylock"
)

// A mark that was left by a release is never taken for that of an expiry, also when it
// goes.
func TestReleaseIsNoExpiry(t *testing.T) {
	t.Parallel()
	_, js := connect(t, start(t).URL())
	ctx := within(t, 30*time.Second)
	config := natslock.Config("locks")
	config.LimitMarkerTTL = natslock.MinMarkerTTL
	_, err := js.CreateKeyValue(ctx, config)
	require.NoError(t, err)
	b, err := natslock.New(ctx, js, "locks")
	require.NoError(t, err)
	g, err := b.TryAcquire(ctx, request("a", "n"))
	require.NoError(t, err)
	require.NoError(t, b.Release(ctx, g))
	for {
		e, err := b.Read(ctx, "a")
		require.NoError(t, err)
		if e.Kind == keylock.Vacant {
			break
		}
		require.Equal(t, keylock.Released, e.Kind)
		time.Sleep(5 * time.Millisecond)
	}
}

// K8: who asks for a key that has expired, and does not know, is told so, because the
// manager has to wait first. Who knows gets it.
func TestK8ExpiryIsToldFirst(t *testing.T) {
	t.Parallel()
	b, _ := backend(t)
	ctx := within(t, 20*time.Second)
	r := request("a", "n1")
	r.TTL = time.Second
	_, err := b.TryAcquire(ctx, r)
	require.NoError(t, err)
	e := keylock.Event{Kind: keylock.Occupied}
	for e.Kind == keylock.Occupied {
		time.Sleep(10 * time.Millisecond)
		e, err = b.Read(ctx, "a")
		require.NoError(t, err)
	}
	require.Equal(t, keylock.Expired, e.Kind)
	r = request("a", "n2")
	_, err = b.TryAcquire(ctx, r)
	require.ErrorIs(t, err, keylock.ErrHeld)
	require.ErrorContains(t, err, "has expired at revision 2")
	r.Revision = e.Revision
	_, err = b.TryAcquire(ctx, r)
	require.NoError(t, err)
}

// K7: a request whose connection is lost ends then, and says that nobody knows. The
// record says what became of it.
func TestK7LostConnection(t *testing.T) {
	s := start(t)
	p := newProxy(t, s.URL()[len("nats://"):])
	_, js := connect(t, p.url())
	b := backendOn(t, js)
	ctx := within(t, 20*time.Second)
	clock := awake.Watch(t)
	for _, done := range []bool{true, false} {
		key := fmt.Sprint(done)
		p.arm("$KV.locks."+key+" ", done)
		begin := clock.Now()
		_, err := b.TryAcquire(ctx, request(key, "n"))
		require.ErrorContains(t, err, "the connection was lost before the answer")
		require.NotErrorIs(t, err, keylock.ErrHeld)
		assert.Less(t, clock.Since(begin), time.Second)
		e, err := b.Read(ctx, key)
		require.NoError(t, err)
		assert.Equal(t, done, e.Kind == keylock.Occupied && e.Grant.Nonce == "n")
	}
}

// The bucket is in the JetStream domain of a hub, and the client is connected to a leaf
// node that has a JetStream of its own.
func TestDomain(t *testing.T) {
	port := freePorts(t, 1)[0]
	hub, err := itest.Start(itest.Options{Dir: t.TempDir(), Name: "hub", Domain: "hub", LeafPort: port})
	require.NoError(t, err)
	t.Cleanup(hub.Stop)
	leaf, err := itest.Start(itest.Options{Dir: t.TempDir(), Name: "leaf", Domain: "leaf", Hub: fmt.Sprintf("nats://127.0.0.1:%d", port)})
	require.NoError(t, err)
	t.Cleanup(leaf.Stop)
	conn, own := connect(t, leaf.URL())
	js, err := jetstream.NewWithDomain(conn, "hub")
	require.NoError(t, err)
	require.NoError(t, itest.Bucket(within(t, 20*time.Second), js, natslock.Config("locks")))
	_, err = natslock.New(within(t, 5*time.Second), own, "locks")
	require.ErrorIs(t, err, jetstream.ErrStreamNotFound, "it is not in the domain of the leaf node")

	checkRequests(t, js)
	js, err = jetstream.NewWithAPIPrefix(conn, "$JS.hub.API")
	require.NoError(t, err)
	checkRequests(t, js)
	js, err = jetstream.NewWithDomain(conn, "elsewhere")
	require.NoError(t, err)
	_, err = natslock.New(within(t, 5*time.Second), js, "locks")
	require.ErrorContains(t, err, "the server has no JetStream")
}

// checkRequests does each request once.
func checkRequests(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	b := backendOn(t, js)
	ctx := within(t, 10*time.Second)
	events, err := b.Watch(ctx, "a")
	require.NoError(t, err)
	<-events
	g, err := b.TryAcquire(ctx, request("a", "n"))
	require.NoError(t, err)
	require.Equal(t, g, (<-events).Grant)
	g, err = b.Renew(ctx, g, 2*time.Second)
	require.NoError(t, err)
	e, err := b.Read(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, g, e.Grant)
	require.NoError(t, b.Release(ctx, g))
}

// What the answer of a server to a write means. The server is one without JetStream,
// and the test answers.
func TestK7Answers(t *testing.T) {
	s, err := itest.Start(itest.Options{Dir: t.TempDir(), NoJetStream: true})
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	conn, js := connect(t, s.URL())
	var write, last string
	answer := func(subject string, text *string) {
		_, err := conn.Subscribe(subject, func(m *nats.Msg) { _ = m.Respond([]byte(*text)) })
		require.NoError(t, err)
	}
	config := jetstream.StreamConfig{
		Name: "KV_locks", Subjects: []string{"$KV.locks.>"}, MaxMsgsPerSubject: 1, AllowMsgTTL: true, SubjectDeleteMarkerTTL: time.Second,
		Discard: jetstream.DiscardNew,
	}
	info, err := json.Marshal(struct {
		Type   string                 `json:"type"`
		Config jetstream.StreamConfig `json:"config"`
	}{"io.nats.jetstream.api.v1.stream_info_response", config})
	require.NoError(t, err)
	about := string(info)
	answer("$JS.API.STREAM.INFO.KV_locks", &about)
	answer("$JS.API.STREAM.MSG.GET.KV_locks", &last)
	answer("$KV.locks.>", &write)
	ctx := within(t, 20*time.Second)
	b, err := natslock.New(ctx, js, "locks")
	require.NoError(t, err)

	message := func(seq int, nonce string) string {
		data, err := json.Marshal(map[string]any{"owner": "o", "nonce": nonce, "token": 5})
		require.NoError(t, err)
		text, err := json.Marshal(map[string]any{"message": map[string]any{"seq": seq, "data": data}})
		require.NoError(t, err)
		return string(text)
	}
	const (
		conflict  = `{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 9"},"stream":"KV_locks","seq":0}`
		inFlight  = `{"error":{"code":400,"err_code":10164,"description":"wrong last sequence"},"stream":"KV_locks","seq":0}`
		trouble   = `{"error":{"code":503,"err_code":10077,"description":"maximum bytes exceeded"},"stream":"KV_locks","seq":0}`
		notFound  = `{"error":{"code":404,"err_code":10037,"description":"no message found"}}`
		elsewhere = `{"stream":"OTHER","seq":7}`
	)
	held, unknown := keylock.ErrHeld.Error(), "refused, although the record has not changed"
	for _, c := range []struct{ name, write, last, renewed, acquired string }{
		{"the record is another's", conflict, message(9, "x"), held, held},
		{"the record is gone", conflict, notFound, held, held},
		{"the record has not changed", conflict, message(7, "n"), unknown, "the record is there"},
		{"another write is under way", inFlight, message(7, "n"), unknown, "the record is there"},
		{"renewed by a request before", conflict, message(8, "n"), held, "the record is there"},
		{"no room", trouble, notFound, "maximum bytes exceeded", "maximum bytes exceeded"},
		{"the read fails", conflict, trouble, "maximum bytes exceeded", "maximum bytes exceeded"},
		{"not of the bucket", elsewhere, notFound, "no acknowledgement of the stream", "no acknowledgement of the stream"},
		{"not JSON", "hello", notFound, "invalid character", "invalid character"},
		{"a read without a message", conflict, "{}", "without a message", "without a message"},
		{"a read that is not JSON", conflict, "x", "invalid character", "invalid character"},
	} {
		write, last = c.write, c.last
		g := keylock.Grant{Key: "a", Owner: "o", Nonce: "n", Token: 5, Revision: 7}
		_, renewed := b.Renew(ctx, g, time.Second)
		require.ErrorContains(t, renewed, c.renewed, c.name)
		released := b.Release(ctx, g)
		require.ErrorContains(t, released, c.renewed, c.name)
		_, acquired := b.TryAcquire(ctx, request("a", "n"))
		require.ErrorContains(t, acquired, c.acquired, c.name)
		for _, err := range []error{renewed, released} {
			assert.Equal(t, c.renewed == held, errors.Is(err, keylock.ErrHeld), "%s: %v", c.name, err)
		}
		assert.Equal(t, c.acquired == held, errors.Is(acquired, keylock.ErrHeld), "%s: %v", c.name, acquired)
	}
}
