package keylock_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/schedulers"
)

// A function that returns the panic of another one has returned: Repanic is for its own panics, wherever it runs.
func TestRepanicIsForThePanicOfTheFunctionItself(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		s := schedulers.NewSingle("s")
		defer s.Dispose()
		for name, opts := range map[string][]keylock.CallOption{
			"here":               nil,
			"on a scheduler":     {keylock.On(s)},
			"release on expiry":  {keylock.AtExpiry(keylock.ReleaseOnExpiry)},
			"after a lost lease": {keylock.On(s), keylock.LeaseTime(time.Second)},
		} {
			run := func(fn func() error) error {
				return second(m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
					if name == "after a lost lease" {
						time.Sleep(2 * time.Second)
					}
					return 0, fn()
				}, append(opts, keylock.Repanic())...))
			}
			inner := &reactor.PanicError{Op: "inner", Value: "not mine"}
			assert.NotPanics(t, func() {
				err := run(func() error { return fmt.Errorf("inner call: %w", inner) })
				assert.ErrorIs(t, err, inner, name)
			}, name)
			assert.Panics(t, func() { _ = run(func() error { panic("mine") }) }, name)
			synctest.Wait()
			assert.Zero(t, m.Stats().Holders, name)
		}
	})
}

// What a function returns when nobody waits for it any more is reported as such, also if its error is the panic of another one.
func TestAPanicThatIsReturnedTooLateIsNoPanic(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		var dropped []any
		var failed []error
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
			NextDropped:  func(_ context.Context, v any) { dropped = append(dropped, v) },
			ErrorDropped: func(_ context.Context, err error) { failed = append(failed, err) },
		})
		ended := make(chan struct{})
		_, err := m.Do(ctx, "k", func(context.Context, keylock.Lease) (string, error) {
			defer close(ended)
			time.Sleep(time.Minute)
			return "late", &reactor.PanicError{Op: "inner", Value: "not mine"}
		}, keylock.LeaseTime(time.Second), keylock.AtExpiry(keylock.ReleaseOnExpiry))
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		<-ended
		synctest.Wait()
		assert.Equal(t, []any{"late"}, dropped)
		assert.Empty(t, failed)
	})
}

// Overruns are functions that have ended after their lease: what did not run has not.
func TestNoOverrunWithoutAFunction(t *testing.T) {
	never := func(context.Context, keylock.Lease) (int, error) { panic("it ran") }
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		s, free := busy(t)
		err := second(m.Do(t.Context(), "k", never, keylock.On(s), keylock.LeaseTime(time.Second)))
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		assert.Zero(t, m.Stats().Overruns, "its turn did not come")

		holder := take(t, m, "b", keylock.LeaseTime(0))
		_, err = m.DoAll(t.Context(), []string{"a", "b"}, func(context.Context, []keylock.Lease) (int, error) { panic("it ran") },
			keylock.LeaseTime(time.Second), keylock.WaitTime(2*time.Second))
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		assert.Zero(t, m.Stats().Overruns, "the lease of one key is over before the other one was free")
		holder.Release()

		free()
		synctest.Wait()
		err = second(m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
			time.Sleep(2 * time.Second)
			return 0, nil
		}, keylock.On(s), keylock.LeaseTime(time.Second)))
		assert.ErrorIs(t, err, keylock.ErrLeaseExpired)
		assert.Equal(t, uint64(1), m.Stats().Overruns)
		require.Equal(t, uint64(3), m.Stats().LeasesExpired)
		s.Dispose()
	})
}
