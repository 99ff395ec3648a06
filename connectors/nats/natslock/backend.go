package natslock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/keylock"
)

// MinTTL is the shortest time that the server lets a record live. The server counts
// whole seconds; other times are rounded up.
const MinTTL = time.Second

// MaxTTL is the longest time to live of a record. The server counts nanoseconds from 1970, in 64
// bits: it takes a record that would end after 2262 for one that has ended, and removes it at once.
const MaxTTL = 100 * 365 * 24 * time.Hour

// answerTimeout is how long an answer may take: who asks a server that has just gone
// would wait for ever.
const answerTimeout = 2 * time.Second

// attempts limits how often a request is repeated for a key that is free, but at
// another revision than expected.
const attempts = 3

var (
	_ keylock.Backend    = (*Backend)(nil)
	_ keylock.TTLChecker = (*Backend)(nil)

	_ keylock.LockDelayChecker = (*Backend)(nil)
)

// Backend is a keylock.Backend that keeps its records in a bucket. It has no goroutines
// of its own, except one for each Watch, and need not be closed. Its methods may be
// called from several goroutines.
type Backend struct {
	js        jetstream.JetStream
	conn      *nats.Conn
	stream    string // of the bucket
	prefix    string // of its subjects
	writes    string // comes before the subject of a write, "" as a rule
	lastOf    string // the subject of requests for the last message of a subject
	removal   string // the subject of requests to remove a consumer, up to the name of that consumer
	markerTTL string
	hints     hints
}

// New returns a Backend on a bucket that exists, after it has asked the server whether
// the bucket and the server can keep locks: see [Config]. New waits for the answer as
// long as ctx lives; if ctx has no deadline, as long as js waits by default.
//
// The connection of js still belongs to the caller. It should reconnect for ever
// (nats.MaxReconnects(-1)), and soon: a holder that is cut off for longer than the time
// to live of its records loses its keys.
func New(ctx context.Context, js jetstream.JetStream, bucket string) (*Backend, error) {
	if ctx == nil || js == nil {
		return nil, fmt.Errorf("natslock: New needs a context and a jetstream.JetStream, got nil: %w", reactor.ErrIllegalArgument)
	}
	if bucket == "" {
		return nil, fmt.Errorf("natslock: the name of the bucket is empty: %w", reactor.ErrIllegalArgument)
	}
	if err := checkServer(js.Conn()); err != nil {
		return nil, err
	}
	markerTTL, err := checkBucket(ctx, js, bucket)
	if err != nil {
		return nil, err
	}
	// In another domain, or behind another prefix, the subjects of the bucket are
	// reached through those of the API.
	api, writes := apiOf(js.Options()), ""
	if api != jetstream.DefaultAPIPrefix {
		writes = api
	}
	return &Backend{
		js: js, conn: js.Conn(), stream: streamOf(bucket), prefix: prefixOf(bucket),
		writes:    writes,
		lastOf:    api + "STREAM.MSG.GET." + streamOf(bucket),
		removal:   api + "CONSUMER.DELETE." + streamOf(bucket) + ".",
		markerTTL: seconds(markerTTL),
		hints:     hints{ttl: markerTTL},
	}, nil
}

// apiOf returns the prefix of the subjects of the API.
func apiOf(o jetstream.JetStreamOptions) string {
	switch {
	case o.Domain != "":
		return "$JS." + o.Domain + ".API."
	case o.APIPrefix == "":
		return jetstream.DefaultAPIPrefix
	}
	return strings.TrimSuffix(o.APIPrefix, ".") + "."
}

// seconds returns d in whole seconds, rounded up, as the server reads it.
func seconds(d time.Duration) string {
	s := d / time.Second
	if d%time.Second > 0 {
		s++
	}
	return strconv.FormatInt(int64(s), 10)
}

// CheckTTL refuses times to live below [MinTTL] or above [MaxTTL].
func (b *Backend) CheckTTL(ttl time.Duration) error {
	switch {
	case ttl < MinTTL:
		return fmt.Errorf("natslock: records live for %v or longer, not for %v: %w", MinTTL, ttl, reactor.ErrIllegalArgument)
	case ttl > MaxTTL:
		return fmt.Errorf("natslock: records live for %v at most, not for %v: %w", MaxTTL, ttl, reactor.ErrIllegalArgument)
	}
	return nil
}

// CheckLockDelay refuses lock delays that are longer than the LimitMarkerTTL of the bucket.
func (b *Backend) CheckLockDelay(delay time.Duration) error {
	// The server cuts off parts of a second here.
	if stay := b.hints.ttl.Truncate(time.Second); delay > stay {
		return fmt.Errorf("natslock: markers of the bucket stay for %v, the LimitMarkerTTL must be %v or more: %w",
			stay, delay, reactor.ErrIllegalArgument)
	}
	return nil
}

// TryAcquire implements keylock.Backend. If the key is free, TryAcquire takes one round
// trip with r.Revision, or with a mark that this process has left; otherwise it takes
// up to three.
func (b *Backend) TryAcquire(ctx context.Context, r keylock.Request) (keylock.Grant, error) {
	subject, err := b.subject(r.Key)
	if err == nil {
		err = b.CheckTTL(r.TTL)
	}
	if err != nil {
		return keylock.Grant{}, err
	}
	revision := max(r.Revision, b.hints.take(r.Key))
	value := record{Owner: r.Owner, Nonce: r.Nonce}.encode()
	for range attempts {
		at, err := b.put(ctx, subject, value, revision, nats.Header{jetstream.MsgTTLHeader: {seconds(r.TTL)}})
		if err == nil {
			return keylock.Grant{Key: r.Key, Owner: r.Owner, Nonce: r.Nonce, Token: at, Revision: at}, nil
		}
		if !isConflict(err) {
			return keylock.Grant{}, err
		}
		// The key may be free at another revision: there is a mark which we have not
		// heard of, or the time of the one that we know is over. After an expiry the
		// manager has to wait first, so it has to hear of that.
		e, readErr := b.Read(ctx, r.Key)
		switch {
		case readErr != nil:
			return keylock.Grant{}, readErr
		case e.Kind == keylock.Occupied && e.Grant.Nonce == r.Nonce:
			return keylock.Grant{}, fmt.Errorf("natslock: the record is there, but its acknowledgement was %w", err)
		case e.Kind == keylock.Occupied:
			return keylock.Grant{}, fmt.Errorf("natslock: %q belongs to %s: %w", r.Key, e.Grant.Owner, keylock.ErrHeld)
		case e.Kind == keylock.Expired && e.Revision != r.Revision:
			return keylock.Grant{}, fmt.Errorf("natslock: the record of %q has expired at revision %d, not at %d: %w",
				r.Key, e.Revision, r.Revision, keylock.ErrHeld)
		}
		revision = e.Revision
	}
	return keylock.Grant{}, fmt.Errorf("natslock: %q changes hands: %w", r.Key, keylock.ErrHeld)
}

// Renew implements keylock.Backend. It takes one round trip.
func (b *Backend) Renew(ctx context.Context, g keylock.Grant, ttl time.Duration) (keylock.Grant, error) {
	subject, err := b.subject(g.Key)
	if err == nil {
		err = b.CheckTTL(ttl)
	}
	if err != nil {
		return keylock.Grant{}, err
	}
	value := record{Owner: g.Owner, Nonce: g.Nonce, Token: g.Token}.encode()
	at, err := b.put(ctx, subject, value, g.Revision, nats.Header{jetstream.MsgTTLHeader: {seconds(ttl)}})
	if err != nil {
		return keylock.Grant{}, b.certain(ctx, g, err)
	}
	g.Revision = at
	return g, nil
}

// Release implements keylock.Backend. It takes one round trip.
func (b *Backend) Release(ctx context.Context, g keylock.Grant) error {
	subject, err := b.subject(g.Key)
	if err != nil {
		return err
	}
	// A purge rather than a delete: the server leaves no mark behind when the time of
	// this one is over.
	at, err := b.put(ctx, subject, nil, g.Revision, nats.Header{
		operationHeader:        {operationPurge},
		jetstream.MsgTTLHeader: {b.markerTTL},
	})
	if err != nil {
		return b.certain(ctx, g, err)
	}
	b.hints.put(g.Key, at)
	return nil
}

// certain returns keylock.ErrHeld for a conflict if the record of g has changed
// indeed. A leader that has just been elected, or has an unfinished write for the key,
// may refuse a request that it would carry out if it were repeated.
func (b *Backend) certain(ctx context.Context, g keylock.Grant, err error) error {
	if !isConflict(err) {
		return err
	}
	e, readErr := b.Read(ctx, g.Key)
	switch {
	case readErr != nil:
		return readErr
	case e.Kind == keylock.Occupied && e.Revision == g.Revision:
		return fmt.Errorf("natslock: refused, although the record has not changed: %w", err)
	}
	return fmt.Errorf("natslock: the record of %q is %s, at revision %d instead of %d: %w",
		g.Key, e.Kind, e.Revision, g.Revision, keylock.ErrHeld)
}

// Read implements keylock.Backend.
func (b *Backend) Read(ctx context.Context, key string) (keylock.Event, error) {
	subject, err := b.subject(key)
	if err != nil {
		return keylock.Event{}, err
	}
	ask, err := json.Marshal(struct {
		LastBySubject string `json:"last_by_subj"`
	}{subject})
	if err != nil {
		return keylock.Event{}, err
	}
	// The methods of jetstream.Stream ask any replica, because the bucket allows
	// that; only the leader answers this request.
	msg, err := b.request(ctx, &nats.Msg{Subject: b.lastOf, Data: ask})
	if err != nil {
		return keylock.Event{}, err
	}
	var answer struct {
		Error   *jetstream.APIError `json:"error"`
		Message *struct {
			Sequence uint64 `json:"seq"`
			Header   []byte `json:"hdrs"`
			Data     []byte `json:"data"`
		} `json:"message"`
	}
	if err := json.Unmarshal(msg.Data, &answer); err != nil {
		return keylock.Event{}, fmt.Errorf("natslock: read %q: %w", key, err)
	}
	switch {
	case answer.Error != nil && answer.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return keylock.Event{Kind: keylock.Vacant}, nil
	case answer.Error != nil:
		return keylock.Event{}, fmt.Errorf("natslock: read %q: %w", key, answer.Error)
	case answer.Message == nil:
		return keylock.Event{}, fmt.Errorf("natslock: read %q: an answer without a message", key)
	}
	var header nats.Header
	if h := answer.Message.Header; len(h) > 0 {
		if header, err = nats.DecodeHeadersMsg(h); err != nil {
			return keylock.Event{}, fmt.Errorf("natslock: read %q: %w", key, err)
		}
	}
	return eventOf(key, header, answer.Message.Data, answer.Message.Sequence), nil
}

func (b *Backend) subject(key string) (string, error) {
	token, err := escape(key)
	return b.prefix + token, err
}

// put writes a message if the last one of its subject is at a revision, and returns
// the revision of the new one. It never sends twice: the second one would be refused
// because of the first one.
func (b *Backend) put(ctx context.Context, subject string, value []byte, revision uint64, header nats.Header) (uint64, error) {
	header[jetstream.ExpectedLastSubjSeqHeader] = []string{strconv.FormatUint(revision, 10)}
	header[jetstream.ExpectedStreamHeader] = []string{b.stream}
	msg, err := b.request(ctx, &nats.Msg{Subject: b.writes + subject, Header: header, Data: value})
	if err != nil {
		return 0, err
	}
	var answer struct {
		Error    *jetstream.APIError `json:"error"`
		Stream   string              `json:"stream"`
		Sequence uint64              `json:"seq"`
	}
	if err := json.Unmarshal(msg.Data, &answer); err != nil {
		return 0, fmt.Errorf("natslock: answer to a write: %w", err)
	}
	switch {
	case answer.Error != nil:
		return 0, fmt.Errorf("natslock: %w", answer.Error)
	case answer.Stream != b.stream || answer.Sequence == 0:
		return 0, fmt.Errorf("natslock: the answer to a write is no acknowledgement of the stream %s: %.100q", b.stream, msg.Data)
	}
	return answer.Sequence, nil
}

// request sends msg and waits for the answer. Without a connection it waits for that
// first: the client would keep the request, and send it when nobody waits for the
// answer any more. It gives up when the connection is lost, because then the answer
// will not come.
func (b *Backend) request(ctx context.Context, msg *nats.Msg) (*nats.Msg, error) {
	lost := b.conn.StatusChanged(nats.DISCONNECTED, nats.RECONNECTING, nats.CLOSED)
	defer b.conn.RemoveStatusListener(lost) // closes it
	if b.conn.Status() != nats.CONNECTED {
		if err := b.connected(ctx); err != nil {
			return nil, err
		}
		return b.request(ctx, msg)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, answerTimeout, errNoAnswer)
	defer cancel()
	ctx, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	go func() {
		<-lost
		lose(errConnectionLost)
	}()
	answer, err := b.conn.RequestMsgWithContext(ctx, msg)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, fmt.Errorf("natslock: %w", err)
	}
	return answer, nil
}

// connected waits until the connection is there, or ctx ends.
func (b *Backend) connected(ctx context.Context) error {
	changed := b.conn.StatusChanged(nats.CONNECTED, nats.CLOSED)
	defer b.conn.RemoveStatusListener(changed)
	for {
		switch status := b.conn.Status(); status {
		case nats.CONNECTED:
			return nil
		case nats.CLOSED:
			return fmt.Errorf("natslock: %w", nats.ErrConnectionClosed)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("natslock: the connection is %s: %w", strings.ToLower(b.conn.Status().String()), context.Cause(ctx))
		}
	}
}

var (
	errConnectionLost = errors.New("the connection was lost before the answer")
	errNoAnswer       = fmt.Errorf("no answer within %v", answerTimeout)
)

// isConflict reports whether err says that a revision is not as expected.
func isConflict(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}
