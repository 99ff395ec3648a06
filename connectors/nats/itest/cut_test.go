package itest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/connectors/nats/natslock"
	"github.com/goreactor/reactor/internal/testkit/awake"
	"github.com/goreactor/reactor/keylock"
)

// lane is a manager whose connection is cut.
type lane struct {
	p    *proxy
	conn *nats.Conn
	m    *keylock.Manager
}

// The connection is cut at a request for a key, 200 times: at the acquisition, a
// renewal, the release; before the server has got the request, and after it has
// answered, so that the answer is lost. A lease is always one that the server knows of,
// and no record stays longer than it lives.
func TestCutConnections(t *testing.T) {
	t.Parallel()
	const ttl = 2 * time.Second
	const late = 1500 * time.Millisecond // of the server with expiries
	const lanes = 8
	cuts := count(t, "ITEST_CUTS", 48)
	s := start(t)
	l := lockerOn(t, ttl, nil, s.URL())
	_, direct := connect(t, s.URL())
	truth, err := natslock.New(within(t, 10*time.Second), direct, l.Bucket)
	require.NoError(t, err)

	var granted, refused, lost, orphans atomic.Int32
	var longest atomic.Int64
	next := atomic.Int32{}
	clock := awake.Watch(t)
	var all sync.WaitGroup
	for range lanes {
		a := newLane(t, s, l)
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= cuts {
					return
				}
				key := fmt.Sprint("k", i)
				switch err := a.round(t, truth, key, i, ttl); {
				case err == nil:
					granted.Add(1)
				case errors.Is(err, keylock.ErrLeaseLost):
					lost.Add(1)
				default:
					refused.Add(1)
				}
				over, ran := time.Now(), clock.Now()
				// While the next round goes on: what is left of this one is gone in time.
				all.Go(func() {
					for {
						e, err := truth.Read(context.Background(), key)
						if !assert.NoError(t, err) {
							return
						}
						if e.Kind != keylock.Occupied {
							stayed := int64(time.Since(over))
							for old := longest.Load(); old < stayed && !longest.CompareAndSwap(old, stayed); old = longest.Load() {
							}
							return
						}
						if clock.Since(ran) > ttl+late {
							orphans.Add(1)
							return
						}
						time.Sleep(10 * time.Millisecond)
					}
				})
			}
		})
	}
	all.Wait()
	assert.Zero(t, orphans.Load(), "records that stayed longer than they live")
	t.Logf("%d cuts: %d leases kept to their release, %d lost, %d calls failed; a record stayed for %v at most (ttl %v), %d orphans",
		cuts, granted.Load(), lost.Load(), refused.Load(), time.Duration(longest.Load()), ttl, orphans.Load())
}

func newLane(t testing.TB, s interface{ URL() string }, l locker) *lane {
	t.Helper()
	p := newProxy(t, s.URL()[len("nats://"):])
	conn, js := connect(t, p.url())
	store, err := natslock.New(within(t, 10*time.Second), js, l.Bucket)
	require.NoError(t, err)
	m, err := keylock.New(keylock.WithBackend(store, l.TTL), keylock.LeaseTime(0), keylock.WaitTime(10*time.Second),
		keylock.WithLogger(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	t.Cleanup(func() { shut(t, m) })
	return &lane{p, conn, m}
}

// round acquires and releases a key that nobody else asks for, with a cut on the way.
func (a *lane) round(t testing.TB, truth *natslock.Backend, key string, i int, ttl time.Duration) error {
	text, after := "$KV.locks."+key+" ", i%2 == 0
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var cut <-chan struct{}
	at := i / 2 % 3
	if at == 0 {
		cut = a.p.arm(text, after)
	}
	lease, err := a.m.Acquire(ctx, key)
	if err != nil {
		<-cut
		return err
	}
	if at == 1 {
		cut = a.p.arm(text, after)
		<-cut // a renewal
		for end := time.Now().Add(ttl); lease.Valid() && time.Now().Before(end); {
			a.verify(t, truth, lease)
			time.Sleep(20 * time.Millisecond)
		}
	}
	a.verify(t, truth, lease)
	cause := context.Cause(lease.Context())
	if at == 2 {
		cut = a.p.arm(text, after)
	}
	lease.Release()
	select {
	case <-cut:
	case <-time.After(30 * time.Second):
		t.Errorf("%s: the connection was not cut", key)
		a.p.disarm()
	}
	return cause
}

// verify checks that the server knows of a lease that is valid.
func (a *lane) verify(t testing.TB, truth *natslock.Backend, lease keylock.Lease) {
	e, err := truth.Read(context.Background(), lease.Key())
	if !assert.NoError(t, err) || !lease.Valid() {
		return
	}
	assert.Equal(t, keylock.Occupied, e.Kind, "%v is valid", lease)
	assert.Equal(t, lease.Nonce(), e.Grant.Nonce, "%v is valid", lease)
	assert.Equal(t, lease.Token(), e.Grant.Token)
}
