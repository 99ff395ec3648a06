package keylock_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/keylock"
)

// brokenMeter makes no instruments with one of its tags, as a meter does that takes text only, and its other
// functions panic.
type brokenMeter struct{ refused string }

func (m brokenMeter) use(tags []string) {
	for _, tag := range tags {
		if tag == m.refused {
			panic("refused: " + tag)
		}
	}
}

func (m brokenMeter) Counter(_ string, tags ...string) func(int64) {
	m.use(tags)
	return func(int64) { panic("counter") }
}

func (m brokenMeter) Gauge(_ string, tags ...string) func(int64) {
	m.use(tags)
	return func(int64) { panic("gauge") }
}

func (m brokenMeter) Timer(_ string, tags ...string) func(time.Duration) {
	m.use(tags)
	return func(time.Duration) { panic("timer") }
}

func (m brokenMeter) Remove(string) { panic("remove") }

// A meter that fails keeps no key and fails no function: it is reported.
func TestAMeterThatFails(t *testing.T) {
	errs := map[any]int{}
	defer reactor.SetHooks("meter", reactor.Hooks{ErrorDropped: func(_ context.Context, err error) {
		var p *reactor.PanicError
		if assert.ErrorAs(t, err, &p) {
			errs[p.Value]++
		}
	}})()
	m, err := keylock.New(keylock.WithMeter(brokenMeter{refused: "\xff"}, "app"), keylock.WithKeyTag(func(key string) string { return key }))
	require.NoError(t, err)
	for _, key := range []string{"a", "\xff"} {
		for range 2 {
			v, err := m.Do(t.Context(), key, func(context.Context, keylock.Lease) (int, error) { return 7, nil })
			require.NoError(t, err)
			assert.Equal(t, 7, v)
		}
		lease, err := m.Acquire(t.Context(), key)
		require.NoError(t, err)
		require.True(t, lease.Release())
	}
	require.NoError(t, m.Shutdown(t.Context()))
	assert.Equal(t, 1, errs["refused: \xff"], "asked for once")
	assert.NotZero(t, errs["counter"])
	assert.NotZero(t, errs["gauge"])
	assert.NotZero(t, errs["timer"])
	assert.NotZero(t, errs["remove"])
}
