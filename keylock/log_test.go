package keylock_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/locktest"
	"github.com/goreactor/reactor/reactortest"
)

// lines returns a logger, and what it has written since the last call.
func lines() (*slog.Logger, func() []string) {
	var buf bytes.Buffer
	return slog.New(slog.NewTextHandler(&buf, nil)), func() []string {
		list := strings.Split(strings.TrimSpace(buf.String()), "\n")
		buf.Reset()
		return list
	}
}

// Functions that outlive their leases together have one line, and the next one says how many had none.
func TestABurstOfOverrunsIsOneLine(t *testing.T) {
	logger, written := lines()
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		overrun := func(key string) {
			_, _ = m.Do(t.Context(), key, func(context.Context, keylock.Lease) (int, error) { time.Sleep(2 * time.Second); return 0, nil })
		}
		for i := range 50 {
			go overrun(fmt.Sprint("k", i))
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		list := written()
		if assert.Len(t, list, 1) {
			assert.Contains(t, list[0], "keylock: a function has outlived its lease")
			assert.Contains(t, list[0], "unlogged=0")
		}
		assert.EqualValues(t, 50, m.Stats().Overruns)
		overrun("k")
		list = written()
		if assert.Len(t, list, 1) {
			assert.Contains(t, list[0], "unlogged=49")
		}
		overrun("k") // two seconds later
		assert.Contains(t, written()[0], "unlogged=0")
	}, keylock.WithLogger(logger), keylock.LeaseTime(time.Second))
}

// So have leases that a store loses together.
func TestABurstOfLostLeasesIsOneLine(t *testing.T) {
	logger, written := lines()
	reactortest.Bubble(t, func(t *testing.T) {
		store := locktest.NewStream()
		m := manager(t, keylock.WithBackend(store, ttl), keylock.WithLogger(logger), keylock.LeaseTime(0))
		for i := range 10 {
			s := reactortest.Subscribe(t, m.Flux(fmt.Sprint("k", i), flux.Never[int]()))
			defer s.Cancel()
		}
		synctest.Wait()
		for i := range 10 {
			store.Expire(fmt.Sprint("k", i))
		}
		time.Sleep(2 * ttl)
		assert.EqualValues(t, 10, m.Stats().LeasesLost)
		list := written()
		if assert.Len(t, list, 1) {
			assert.Contains(t, list[0], "keylock: lease lost")
		}
	})
}

// A log that panics takes nothing with it: what it panics with is reported.
func TestALogThatPanics(t *testing.T) {
	var dropped atomic.Int32
	defer reactor.SetHooks("log", reactor.Hooks{ErrorDropped: func(context.Context, error) { dropped.Add(1) }})()
	t.Run("overrun", func(t *testing.T) {
		bubble(t, func(t *testing.T, m *keylock.Manager) {
			_, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) { time.Sleep(time.Minute); return 0, nil })
			assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		}, keylock.WithLogger(slog.New(panicking{})))
	})
	t.Run("late", func(t *testing.T) {
		bubble(t, func(t *testing.T, m *keylock.Manager) {
			_, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) { time.Sleep(time.Minute); return 0, nil })
			assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
			time.Sleep(time.Hour)
		}, keylock.WithLogger(slog.New(panicking{})), keylock.AtExpiry(keylock.ReleaseOnExpiry))
	})
	t.Run("lost", func(t *testing.T) {
		reactortest.Bubble(t, func(t *testing.T) {
			store := locktest.NewStream()
			m := manager(t, keylock.WithBackend(store, ttl), keylock.WithLogger(slog.New(panicking{})), keylock.LeaseTime(0))
			l := take(t, m, "k")
			store.Expire("k")
			time.Sleep(2 * ttl)
			assert.False(t, l.Valid())
			l.Release()
			synctest.Wait()
			assert.Zero(t, m.Stats().Holders)
		})
	})
	assert.NotZero(t, dropped.Load())
}

// panicking is a handler that panics.
type panicking struct{ exiting }

func (panicking) Handle(context.Context, slog.Record) error { panic("no log") }
