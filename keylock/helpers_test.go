package keylock_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/reactortest"
)

// bubble runs a test in fake time, with a manager that is closed at its end and has
// to be empty then.
func bubble(t *testing.T, fn func(t *testing.T, m *keylock.Manager), opts ...keylock.Option) {
	t.Helper()
	reactortest.Bubble(t, func(t *testing.T) {
		m := manager(t, opts...)
		fn(t, m)
		synctest.Wait()
		s := m.Stats()
		assert.Zero(t, s.Holders, "holders are left")
		assert.Zero(t, s.Waiters, "waiters are left")
		assert.Zero(t, s.Late, "functions are left")
	})
}

// manager returns a manager that is closed when the test ends.
func manager(t testing.TB, opts ...keylock.Option) *keylock.Manager {
	t.Helper()
	m, err := keylock.New(opts...)
	require.NoError(t, err)
	t.Cleanup(m.Close)
	return m
}

// take acquires a key that has to be free.
func take(t testing.TB, m *keylock.Manager, key string, opts ...keylock.CallOption) keylock.Lease {
	t.Helper()
	l, err := m.Acquire(t.Context(), key, append([]keylock.CallOption{keylock.WaitTime(0)}, opts...)...)
	require.NoError(t, err)
	return l
}

// nothing is a function that returns at once.
func nothing(context.Context, keylock.Lease) (int, error) { return 0, nil }

// log is what happens in a test, in order, with the milliseconds since its beginning.
type log struct {
	mu    sync.Mutex
	start time.Time
	lines []string
}

func newLog() *log { return &log{start: time.Now()} }

func (l *log) add(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, what+"@"+time.Since(l.start).String())
}

func (l *log) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}
