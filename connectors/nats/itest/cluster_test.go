package itest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/connectors/nats/itest"
	"github.com/goreactor/reactor/connectors/nats/natslock"
	"github.com/goreactor/reactor/keylock"
)

// cluster is three servers, each a process.
type cluster struct {
	t       testing.TB
	options []itest.Options
	nodes   []*child
	urls    []string
}

func newCluster(t testing.TB) *cluster {
	t.Helper()
	c := &cluster{t: t, nodes: make([]*child, 3)}
	dir := t.TempDir()
	ports := freePorts(t, 6)
	var routes []string
	for _, p := range ports[3:] {
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", p))
	}
	for i := range c.nodes {
		c.options = append(c.options, itest.Options{
			Name: fmt.Sprint("node-", i), Dir: filepath.Join(dir, fmt.Sprint(i)),
			Port: ports[i], RoutePort: ports[3+i], Routes: routes,
		})
		c.urls = append(c.urls, fmt.Sprintf("nats://127.0.0.1:%d", ports[i]))
		c.start(i)
	}
	for _, n := range c.nodes {
		n.hears(30*time.Second, "ready")
	}
	return c
}

func (c *cluster) start(i int) { c.nodes[i] = spawn(c.t, "server", c.options[i]) }

// freePorts returns ports for servers that are started later, and again after they were killed.
func freePorts(t testing.TB, n int) []int {
	t.Helper()
	ports, err := itest.Ports(n)
	require.NoError(t, err)
	return ports
}

// info returns what the leader of the bucket says about the cluster, once there is one
// and wanted says that it will do.
func (c *cluster) info(js jetstream.JetStream, wanted func(*jetstream.ClusterInfo) bool) *jetstream.ClusterInfo {
	c.t.Helper()
	for ctx := within(c.t, 60*time.Second); ; time.Sleep(20 * time.Millisecond) {
		attempt, cancel := context.WithTimeout(ctx, time.Second)
		stream, err := js.Stream(attempt, "KV_locks")
		cancel()
		if err == nil {
			if info := stream.CachedInfo().Cluster; info != nil && info.Leader != "" && wanted(info) {
				return info
			}
		}
		require.NoError(c.t, ctx.Err(), "the cluster is not as it should be: %v", err)
	}
}

// whole reports whether all replicas are up to date.
func whole(info *jetstream.ClusterInfo) bool {
	return len(info.Replicas) == 2 && !slices.ContainsFunc(info.Replicas, func(p *jetstream.PeerInfo) bool { return !p.Current || p.Offline })
}

// watchdog counts who holds the keys, and checks that it is never two.
type watchdog struct {
	grants, twice, regressed atomic.Int64
	keys                     sync.Map // to *watched
}

type watched struct {
	holders atomic.Int64
	mu      sync.Mutex
	last    uint64 // guarded by mu
}

// enter is called with a lease that was granted; what it returns, before the end.
func (w *watchdog) enter(l keylock.Lease) (leave func()) {
	v, _ := w.keys.LoadOrStore(l.Key(), &watched{})
	key := v.(*watched)
	if key.holders.Add(1) > 1 {
		w.twice.Add(1)
	}
	key.mu.Lock()
	if l.Token() <= key.last {
		w.regressed.Add(1)
	}
	key.last = max(key.last, l.Token())
	key.mu.Unlock()
	w.grants.Add(1)
	return func() { key.holders.Add(-1) }
}

// The leader of three servers is killed again and again under load: no key ever has
// two holders, and tokens rise.
func TestKillLeader(t *testing.T) {
	withProcesses(t)
	t.Parallel()
	const ttl = 5 * time.Second
	kills := count(t, "ITEST_LEADER_KILLS", 1)
	c := newCluster(t)
	_, js := connect(t, c.urls...)
	config := natslock.Config("locks")
	config.Replicas = 3
	require.NoError(t, itest.Bucket(within(t, 60*time.Second), js, config))

	var dog watchdog
	var lost, failed atomic.Int64
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var load sync.WaitGroup
	for i := range 3 {
		_, own := connect(t, slices.Concat(c.urls[i:], c.urls[:i])...)
		store, err := natslock.New(within(t, 20*time.Second), own, "locks")
		require.NoError(t, err)
		m, err := keylock.New(keylock.WithBackend(store, ttl), keylock.LeaseTime(0), keylock.WaitTime(keylock.Forever),
			keylock.WithLogger(slog.New(slog.DiscardHandler)))
		require.NoError(t, err)
		t.Cleanup(func() { shut(t, m) })
		for k := range 4 {
			load.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					hold := time.Duration(1+rand.IntN(10)) * time.Millisecond
					if n%200 == 50*k+25 {
						hold = ttl // across what happens to the leader, now and then
					}
					_, err := m.Do(ctx, fmt.Sprint("k", k), func(inner context.Context, l keylock.Lease) (struct{}, error) {
						defer dog.enter(l)()
						select {
						case <-time.After(hold):
						case <-inner.Done():
						}
						return struct{}{}, nil
					})
					switch {
					case err == nil || ctx.Err() != nil:
					case errors.Is(err, keylock.ErrLeaseLost):
						lost.Add(1)
					default:
						failed.Add(1)
						t.Logf("Do: %v", err)
					}
				}
			})
		}
	}
	var gaps []time.Duration
	for range kills {
		info := c.info(js, whole)
		leader := int(info.Leader[len("node-")] - '0')
		before := dog.grants.Load()
		require.Eventually(t, func() bool { return dog.grants.Load() >= before+300 }, 60*time.Second, time.Millisecond)
		c.nodes[leader].signal(syscall.SIGKILL)
		killed := time.Now()
		c.info(js, func(now *jetstream.ClusterInfo) bool { return now.Leader != info.Leader })
		before = dog.grants.Load()
		require.Eventually(t, func() bool { return dog.grants.Load() > before }, 30*time.Second, time.Millisecond)
		gaps = append(gaps, time.Since(killed))
		c.start(leader)
		c.nodes[leader].hears(30*time.Second, "ready")
	}
	stop()
	load.Wait()
	assert.Zero(t, dog.twice.Load(), "keys with two holders")
	assert.Zero(t, dog.regressed.Load(), "tokens that did not rise")
	assert.Zero(t, failed.Load())
	slices.Sort(gaps)
	t.Logf("leader killed %d times: %d grants, never two holders, %d leases lost; grants again after %v to %v",
		kills, dog.grants.Load(), lost.Load(), gaps[0], gaps[len(gaps)-1])
}
