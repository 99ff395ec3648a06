package operators_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

// attempts returns a source that fails for good, and when it was subscribed.
func attempts(t *testing.T, policy operators.RetryPolicy) (at []time.Duration, err error) {
	t.Helper()
	clock := reactortest.UseVirtualTime(t)
	begin := clock.Now()
	src := operators.RetryWhen(operators.ErrorFrom[int](func() error {
		at = append(at, clock.Now().Sub(begin))
		if len(at) == 9 {
			return nil
		}
		return errFailed
	}), policy)
	s := between(func(ints) ints { return src })
	s.down.Request(1)
	clock.AdvanceBy(time.Minute)
	return at, s.err
}

func TestRetryFixedDelay(t *testing.T) {
	at, err := attempts(t, operators.RetryFixedDelay(2, time.Second))
	assert.Equal(t, []time.Duration{0, time.Second, 2 * time.Second}, at)
	assert.ErrorIs(t, err, reactor.ErrRetryExhausted)
	assert.ErrorIs(t, err, errFailed)
}

func TestRetryBackoff(t *testing.T) {
	at, err := attempts(t, operators.RetryBackoff(3, time.Second).Jitter(0))
	assert.Equal(t, []time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second}, at)
	assert.ErrorIs(t, err, reactor.ErrRetryExhausted)
}

func TestRetryIndefinitely(t *testing.T) {
	at, err := attempts(t, operators.RetryIndefinitely().Filter(func(err error) bool { return err == errFailed }))
	assert.Equal(t, make([]time.Duration, 9), at, "at once, until there is another error")
	assert.ErrorIs(t, err, reactor.ErrNilError)
}
