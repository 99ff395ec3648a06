package keylock_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/keylock"
)

// D7: the context of a lease is the same whether the caller's context can end, so that it
// is one of the standard library, or can't.
func TestD7_TheSameContextWhetherTheCallersCanEnd(t *testing.T) {
	type name struct{}
	for _, c := range []struct {
		what   string
		parent func() (context.Context, context.CancelFunc)
	}{
		{"can't end", func() (context.Context, context.CancelFunc) { return context.Background(), func() {} }},
		{"can end", func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) }},
	} {
		for _, looked := range []bool{false, true} {
			bubble(t, func(t *testing.T, m *keylock.Manager) {
				parent, cancel := c.parent()
				defer cancel()
				parent = context.WithValue(parent, name{}, "v")

				released, err := m.Acquire(parent, "a")
				require.NoError(t, err)
				ctx := released.Context()
				if looked {
					require.NotNil(t, ctx.Done())
				}
				require.NoError(t, ctx.Err())
				require.NoError(t, context.Cause(ctx))
				released.Release()
				require.Equal(t, context.Canceled, ctx.Err(), c.what)
				require.Equal(t, context.Canceled, context.Cause(ctx), c.what)
				require.Equal(t, "v", ctx.Value(name{}), c.what)
				<-ctx.Done()

				expired, err := m.Acquire(parent, "b", keylock.LeaseTime(time.Second))
				require.NoError(t, err)
				ctx = expired.Context()
				var inner context.Context
				var called atomic.Int32
				if looked {
					var end context.CancelFunc
					inner, end = context.WithTimeout(ctx, time.Hour)
					defer end()
					goroutines := runtime.NumGoroutine()
					context.AfterFunc(ctx, func() { called.Add(1) })
					stop := context.AfterFunc(ctx, func() { called.Add(100) })
					require.True(t, stop())
					require.False(t, stop())
					require.LessOrEqual(t, runtime.NumGoroutine(), goroutines, "%s: nobody's goroutine waits for the end", c.what)
				}
				time.Sleep(time.Second)
				synctest.Wait()
				require.Equal(t, context.Canceled, ctx.Err(), c.what)
				require.ErrorIs(t, context.Cause(ctx), keylock.ErrLeaseExpired, c.what)
				if looked {
					require.Equal(t, context.Canceled, inner.Err(), c.what)
					require.ErrorIs(t, context.Cause(inner), keylock.ErrLeaseExpired, c.what)
					require.EqualValues(t, 1, called.Load())
				}
				later, end := context.WithCancel(ctx)
				defer end()
				require.ErrorIs(t, context.Cause(later), keylock.ErrLeaseExpired, "%s: derived after the end", c.what)
				afterwards := make(chan struct{})
				context.AfterFunc(ctx, func() { close(afterwards) })
				<-afterwards
				expired.Release()

				_, err = m.Do(parent, "c", func(ctx context.Context, _ keylock.Lease) (int, error) {
					<-ctx.Done()
					return 0, context.Cause(ctx)
				}, keylock.LeaseTime(time.Second))
				require.ErrorIs(t, err, keylock.ErrLeaseExpired)
			}, keylock.LeaseTime(0), keylock.WaitTime(0))
		}
	}
}

// The end of a lease meets who begins to listen for it, who stops to, and who asks for the
// cause: all hear of it, with its cause if they have seen the end.
func TestD7_TheEndMeetsWhoListens(t *testing.T) {
	m := manager(t, keylock.LeaseTime(0), keylock.WaitTime(keylock.Forever))
	racetest.Repeat(meetings(2000), func(race func(...func())) {
		l, err := m.Acquire(context.Background(), "k")
		require.NoError(t, err)
		ctx := l.Context()
		heard := make(chan struct{})
		var inner context.Context
		var end context.CancelFunc
		race(
			func() { l.Release() },
			func() { context.AfterFunc(ctx, func() { close(heard) }) },
			func() { context.AfterFunc(ctx, func() {})() },
			func() { inner, end = context.WithCancel(ctx) },
			func() {
				<-ctx.Done()
				if !errors.Is(context.Cause(ctx), context.Canceled) {
					t.Error("no cause")
				}
			},
		)
		<-heard
		<-inner.Done()
		assert.Equal(t, context.Canceled, context.Cause(inner))
		end()
	})
}

// What a call costs that does not wait: itself, and with a lease what it has for that, its timer and what that calls.
func TestCallAllocations(t *testing.T) {
	if chaos.Enabled {
		t.Skip("timers are counted, which allocates")
	}
	for lease, want := range map[time.Duration]float64{0: 1, time.Minute: 4} {
		m := manager(t, keylock.LeaseTime(lease))
		assert.LessOrEqual(t, testing.AllocsPerRun(200, func() {
			_, _ = m.Do(context.Background(), "k", func(context.Context, keylock.Lease) (int, error) { return 1, nil })
		}), want, lease)
	}
}

// What a function that looks at its context costs: the call, and two objects for a context
// that can end.
func TestContextAllocations(t *testing.T) {
	m := manager(t, keylock.LeaseTime(0))
	ctx := context.Background()
	assert.LessOrEqual(t, testing.AllocsPerRun(200, func() {
		_, _ = m.Do(ctx, "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
			select {
			case <-ctx.Done():
				return 0, ctx.Err()
			default:
				return 1, nil
			}
		})
	}), 3.0)
}
