package keylock_test

// What is somebody else's in a random program (programs_test.go): a clock, a meter, and a store that loses answers.

import (
	"context"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/keylock/locktest"
)

// countedClock is the system's, and counts the timers that are set.
type countedClock struct{ live atomic.Int64 }

var _ executors.Clock = (*countedClock)(nil)

func (c *countedClock) Now() time.Time { return time.Now() }

func (c *countedClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.live.Add(1)
	t := time.AfterFunc(d, func() { c.live.Add(-1); f() })
	return func() bool {
		if !t.Stop() {
			return false
		}
		c.live.Add(-1)
		return true
	}
}

// tally is a meter that adds up. One that fails panics at times, or ends the goroutine of who reports to it.
type tally struct {
	fails bool
	mu    sync.Mutex
	sums  map[string]int64 // mu
}

func (m *tally) add(name string, n int64) {
	m.mu.Lock()
	m.sums[strings.TrimPrefix(name, "t.keylock.")] += n
	m.mu.Unlock()
	if !m.fails {
		return
	}
	switch rand.IntN(60) {
	case 0:
		panic(programs.ErrTask)
	case 1:
		runtime.Goexit()
	}
}

func (m *tally) Counter(name string, _ ...string) func(int64) {
	return func(n int64) { m.add(name, n) }
}

func (m *tally) Gauge(name string, _ ...string) func(int64) {
	return func(n int64) { m.add(name, n) }
}

func (m *tally) Timer(name string, _ ...string) func(time.Duration) {
	return func(time.Duration) { m.add(name, 1) }
}

func (m *tally) Remove(string) {}

// loses lets a request to the store, or the answer, be lost, or be late.
func loses(_ context.Context, _ string, do func() error) error {
	switch rand.IntN(30) {
	case 0:
		return locktest.ErrLost
	case 1:
		_ = do()
		return locktest.ErrLost
	case 2:
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Millisecond)
	}
	return do()
}
