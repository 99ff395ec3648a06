package itest_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/connectors/nats/natslock"
	"github.com/goreactor/reactor/internal/testkit/awake"
	"github.com/goreactor/reactor/keylock"
)

// manager returns a manager of this process.
func manager(t testing.TB, l locker) *keylock.Manager {
	t.Helper()
	m, end, err := l.open()
	require.NoError(t, err)
	t.Cleanup(end)
	t.Cleanup(func() { shut(t, m) })
	return m
}

// shut closes a manager and waits until it has nothing to do any more: it may have to
// find out what became of a request without an answer.
func shut(t testing.TB, m *keylock.Manager) {
	m.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	assert.NoError(t, m.Shutdown(ctx))
}

// lockerOn makes the bucket and returns what children need.
func lockerOn(t testing.TB, ttl time.Duration, keys []string, urls ...string) locker {
	t.Helper()
	_, js := connect(t, urls...)
	ctx := within(t, 10*time.Second)
	_, err := js.CreateOrUpdateKeyValue(ctx, natslock.Config("locks"))
	require.NoError(t, err)
	return locker{URLs: urls, Bucket: "locks", TTL: ttl, Keys: keys}
}

// margin is what managers keep to the time to live by default, and their LockDelay.
func margin(ttl time.Duration) time.Duration { return max(ttl/10, 250*time.Millisecond) }

// A holder that is killed keeps its key for as long as its record lives. The next one
// has it within that, LockDelay and a second, with a higher token.
func TestKillHolder(t *testing.T) {
	withProcesses(t)
	t.Parallel()
	const ttl = 2 * time.Second
	limit := ttl + margin(ttl) + time.Second
	s := start(t)
	l := lockerOn(t, ttl, []string{"k"}, s.URL())
	m := manager(t, l)
	clock := awake.Watch(t)
	var waits []time.Duration
	for range count(t, "ITEST_KILLS", 3) {
		holder := spawn(t, "holder", l)
		holder.hears(20*time.Second, "ready")
		holder.tell("hold")
		dead := holder.hears(10*time.Second, "held")
		guard := newGuard()
		require.NoError(t, guard.write(dead))

		type grant struct {
			lease keylock.Lease
			at    time.Time
			took  time.Duration
			err   error
		}
		got := make(chan grant, 1)
		ctx := within(t, 20*time.Second)
		go func() {
			lease, err := m.Acquire(ctx, "k")
			got <- grant{lease, time.Now(), clock.Now(), err}
		}()
		time.Sleep(100 * time.Millisecond) // it waits, as far as that can be seen
		killed, ran := time.Now(), clock.Now()
		holder.signal(syscall.SIGKILL)
		g := <-got
		require.NoError(t, g.err)
		waits = append(waits, g.at.Sub(killed))
		assert.LessOrEqual(t, g.took-ran, limit)
		assert.Greater(t, g.lease.Token(), dead.Token)
		require.NoError(t, guard.write(of("write", g.lease)))
		require.Error(t, guard.write(dead), "a write of the dead one that comes late")
		assert.True(t, g.lease.Release())
	}
	slices.Sort(waits)
	t.Logf("kill -9 to the next grant: %d times, %v to %v, at most %v is allowed (ttl %v)",
		len(waits), waits[0], waits[len(waits)-1], limit, ttl)
}

// A holder that is stopped for three leases does not know better when it goes on: only
// a guard stops what it does before it looks.
func TestStopHolder(t *testing.T) {
	withProcesses(t)
	t.Parallel()
	const ttl = time.Second
	const together = 20
	runs := count(t, "ITEST_PAUSES", 20)
	s := start(t)
	l := lockerOn(t, ttl, nil, s.URL())
	lasting := l
	lasting.TTL = 8 * ttl // this process keeps what it has got, though the machine stands still for a while
	m := manager(t, lasting)
	acted, writes, refused, early := 0, 0, 0, 0
	for first := 0; first < runs; first += together {
		n := min(together, runs-first)
		holders := make([]*child, n)
		guards := make([]*guard, n)
		keys := make([]string, n)
		for i := range n {
			keys[i] = fmt.Sprint("k", first+i)
			mine := l
			mine.Keys = keys[i : i+1]
			holders[i], guards[i] = spawn(t, "holder", mine), newGuard()
		}
		for _, h := range holders {
			h.hears(60*time.Second, "ready")
		}
		for i, h := range holders {
			h.tell("hold")
			held := h.hears(10*time.Second, "held")
			require.NoError(t, guards[i].write(held))
			h.tell("work")
			require.NoError(t, guards[i].write(h.hears(10*time.Second, "write")))
			h.halt()
		}
		stopped := time.Now()
		leases := make([]keylock.Lease, n)
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				var err error
				leases[i], err = m.Acquire(within(t, 20*time.Second), keys[i])
				assert.NoError(t, err)
			})
		}
		all.Wait()
		time.Sleep(time.Until(stopped.Add(3 * ttl)))
		for i, h := range holders {
			// What it wrote before it was stopped has arrived by now.
			lost := false // before that, because the machine stood still
			for len(h.said) > 0 {
				said := <-h.said
				require.NoError(t, guards[i].write(said))
				lost = lost || said.What == "lost"
			}
			require.NoError(t, guards[i].write(of("write", leases[i])))
			h.signal(syscall.SIGCONT)
			before := 0
			for !lost {
				got := h.hears(10*time.Second, "write", "lost", "not lost")
				if got.What != "write" {
					require.Equal(t, "lost", got.What, "the cause was %s", got.Error)
					break
				}
				before++
				if guards[i].write(got) != nil {
					refused++
				}
			}
			writes += before
			if before > 0 {
				acted++
			}
			if lost {
				early++
			}
			assert.True(t, leases[i].Valid())
			assert.True(t, leases[i].Release())
			h.signal(syscall.SIGKILL)
		}
	}
	assert.Equal(t, writes, refused, "the guard refuses all")
	assert.Less(t, early, runs, "all of them had lost their keys before they were stopped")
	t.Logf("SIGSTOP for 3 leases: %d of %d holders wrote before they noticed, %d writes; the guard refused %d",
		acted, runs, writes, refused)
}

// From the release in one process to the grant in another.
func TestHandOver(t *testing.T) {
	withProcesses(t)
	s := start(t)
	l := lockerOn(t, 5*time.Second, []string{"k"}, s.URL())
	m := manager(t, l)
	other := spawn(t, "holder", l)
	other.hears(20*time.Second, "ready")
	var took []time.Duration
	ctx := within(t, 60*time.Second)
	for range count(t, "ITEST_HANDOVERS", 200) {
		lease, err := m.Acquire(ctx, "k")
		require.NoError(t, err)
		other.tell("hold")
		time.Sleep(20 * time.Millisecond) // it waits, as far as that can be seen
		from := time.Now().UnixNano()
		require.True(t, lease.Release())
		took = append(took, time.Duration(other.hears(10*time.Second, "held").At-from))
		other.tell("release")
		other.hears(10*time.Second, "released")
	}
	slices.Sort(took)
	t.Logf("release to grant, to another process: %v to %v, median %v of %d", took[0], took[len(took)*99/100], took[len(took)/2], len(took))
	if !raceEnabled {
		assert.LessOrEqual(t, took[0], 2*time.Millisecond, "where the machine lets no process wait")
	}
}
