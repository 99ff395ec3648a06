package reactortest

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

func TestAVirtualClockThatNobodyMovesIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := NewVirtualTime()
		clock.AdvanceBy(time.Second)
		var mu sync.Mutex
		var reports []error
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		ctx = reactor.WithHooks(ctx, reactor.Hooks{ErrorDropped: func(_ context.Context, err error) {
			mu.Lock()
			defer mu.Unlock()
			reports = append(reports, err)
		}})
		_, err := flux.Interval(5*time.Minute, flux.On(clock)).BlockFirst(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		require.Len(t, reports, 1)
		assert.EqualError(t, reports[0], "reactor: virtualTime: stalled: nobody has moved the clock for 10s: "+
			"it stands at 1s, and the only task is due at 5m1s: AdvanceBy(5m0s) gets there")
	})
}

func TestAVerifierSaysWhatMovesTheClock(t *testing.T) {
	clock := NewVirtualTime()
	text := report(func(t testing.TB) {
		NewStepVerifier(t, flux.Interval(time.Hour, flux.On(clock)), OnClock(clock), Patience(time.Millisecond)).
			ExpectNext(0).ThenCancel().Verify()
	})
	assert.Contains(t, text, "nothing came within 1ms; virtual time moves only when the test moves it: "+
		"it stands at 0s, and the only task is due at 1h0m0s: ThenAwait(1h0m0s) gets there")
}
