package itest_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// history is what several processes have said about the keys that they held.
type history []saying

// gather waits until a time, and adds what the children have said by then.
func (h *history) gather(children []*child, until time.Time) {
	time.Sleep(time.Until(until))
	h.add(children)
}

// gatherUntil adds what the children say until it is enough, or a time is over.
func (h *history) gatherUntil(children []*child, enough func() bool, limit time.Duration) {
	for late := time.Now().Add(limit); !enough() && time.Now().Before(late); time.Sleep(time.Millisecond) {
		h.add(children)
	}
}

// add adds what the children have said.
func (h *history) add(children []*child) {
	for _, c := range children {
		for len(c.said) > 0 {
			*h = append(*h, <-c.said)
		}
	}
}

// of returns what was said of one kind since a time.
func (h history) of(what string, since time.Time) history {
	var some history
	for _, s := range h {
		if s.What == what && s.At >= since.UnixNano() {
			some = append(some, s)
		}
	}
	return some
}

// still returns for how long a process stood still at most.
func (h history) still() (longest time.Duration) {
	for _, s := range h {
		longest = max(longest, s.Still)
	}
	return longest
}

// check fails the test if two held a key at a time, or a token was not above the one
// before it.
func (h history) check(t testing.TB) {
	t.Helper()
	sorted := slices.Clone(h)
	slices.SortFunc(sorted, func(a, b saying) int { return int(a.At - b.At) })
	holder := map[string]saying{}
	last := map[string]uint64{}
	for _, s := range sorted {
		switch s.What {
		case "held":
			if before, held := holder[s.Key]; held {
				t.Errorf("%s: token %d was granted while %d was held", s.Key, s.Token, before.Token)
			}
			if s.Token <= last[s.Key] {
				t.Errorf("%s: token %d came after %d", s.Key, s.Token, last[s.Key])
			}
			holder[s.Key], last[s.Key] = s, s.Token
		case "released", "lost":
			if holder[s.Key].Token != s.Token {
				t.Errorf("%s: token %d was %s but %d was held", s.Key, s.Token, s.What, holder[s.Key].Token)
			}
			delete(holder, s.Key)
		case "failed":
			t.Errorf("%s: %s", s.Key, s.Error)
		}
	}
}

// contenders starts processes that compete for keys, each of which is held as long as
// possible.
func contenders(t testing.TB, n int, l locker, hold time.Duration) []*child {
	var all []*child
	for range n {
		all = append(all, spawn(t, "contender", struct {
			locker
			Hold time.Duration
		}{l, hold}))
	}
	for _, c := range all {
		c.hears(30*time.Second, "ready")
	}
	return all
}

// The server is away for half a time to live: nobody loses a key. It is away for two:
// every holder loses its key, nobody gets one meanwhile, and when it is back all keys
// have a holder again within two seconds.
func TestServerOutage(t *testing.T) {
	withProcesses(t)
	t.Parallel()
	const ttl = 6 * time.Second
	s := start(t)
	var keys []string
	for i := range 6 {
		keys = append(keys, fmt.Sprint("k", i))
	}
	l := lockerOn(t, ttl, keys, s.URL())
	processes := contenders(t, 3, l, 0)
	var all history
	begin := time.Now()
	held := func(since time.Time) func() bool {
		return func() bool { return len(all.of("held", since)) >= len(keys) }
	}
	all.gatherUntil(processes, held(begin.Add(-time.Minute)), 30*time.Second)
	all.gather(processes, time.Now().Add(100*time.Millisecond))
	require.Len(t, all.of("held", begin.Add(-time.Minute)), len(keys), "each key has one holder")

	for again := 2; ; again-- {
		stopped := time.Now()
		s.Stop()
		time.Sleep(ttl / 2)
		require.NoError(t, s.Restart())
		away := time.Since(stopped)
		all.gather(processes, time.Now().Add(2*ttl))
		lost := func() history { return all.of("lost", stopped) }
		if again == 0 || len(lost()) == 0 || away < ttl/2+300*time.Millisecond && lost().still() < 100*time.Millisecond {
			assert.Empty(t, lost(), "away for half a time to live")
			assert.Empty(t, all.of("held", stopped))
			break
		}
		t.Logf("away for %v, and a process stood still for %v: once more", away, lost().still())
		all.gatherUntil(processes, func() bool { return len(all.of("held", stopped)) >= len(lost()) }, 30*time.Second)
	}

	s.Stop()
	away := time.Now()
	all.gather(processes, away.Add(2*ttl))
	lost := all.of("lost", away)
	assert.Len(t, lost, len(keys), "away for two times to live")
	for _, x := range lost {
		assert.Less(t, time.Duration(x.At-away.UnixNano())-x.Still, ttl, "who was cut off knows before the record can expire")
	}
	assert.Empty(t, all.of("held", away), "granted while the server was away")
	require.NoError(t, s.Restart())
	back := time.Now()
	all.gatherUntil(processes, held(back), 30*time.Second)
	all.gather(processes, time.Now().Add(2*time.Second))
	again := all.of("held", back)
	assert.Len(t, again, len(keys), "after the return")
	var longest time.Duration
	for _, x := range again {
		longest = max(longest, time.Duration(x.At-back.UnixNano()))
	}
	assert.Less(t, longest, ttl, "and no time to live is waited for")
	all.check(t)
	t.Logf("server away for ttl/2: none of %d keys lost; for 2 ttl: all lost, after its return all granted again within %v",
		len(keys), longest)
}
