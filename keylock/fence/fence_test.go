package fence_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/fence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

func TestD13_LowerTokensAreRefused(t *testing.T) {
	var g fence.Guard
	assert.NoError(t, g.Check("r", fence.Mark{Token: 5, Nonce: "a"}))
	assert.NoError(t, g.Check("r", fence.Mark{Token: 5, Nonce: "a"}), "the same lease again")
	err := g.Check("r", fence.Mark{Token: 4, Nonce: "b"})
	assert.ErrorIs(t, err, fence.ErrStale)
	assert.EqualError(t, err, `fence: "r": the lease is stale: token 4, 5 was seen before`)
	assert.NoError(t, g.Check("r", fence.Mark{Token: 7, Nonce: "c"}))
	assert.Error(t, g.Check("r", fence.Mark{Token: 5, Nonce: "a"}))
	assert.NoError(t, g.Check("other", fence.Mark{Token: 1, Nonce: "d"}), "resources have nothing to do with one another")
	seen, ok := g.Seen("r")
	assert.True(t, ok)
	assert.Equal(t, fence.Mark{Token: 7, Nonce: "c"}, seen)
}

func TestD13_AnEqualTokenNeedsTheSameNonce(t *testing.T) {
	var g fence.Guard
	require.NoError(t, g.Check("r", fence.Mark{Token: 5, Nonce: "a"}))
	err := g.Check("r", fence.Mark{Token: 5, Nonce: "b"})
	assert.EqualError(t, err, `fence: "r": the lease is stale: token 5, 5 was seen before from another lease`)
	var stale *fence.StaleError
	require.True(t, errors.As(err, &stale))
	assert.Equal(t, "a", stale.Seen.Nonce)
}

func TestNoLeaseIsRefused(t *testing.T) {
	var g fence.Guard
	assert.ErrorIs(t, g.Check("r", fence.Mark{}), fence.ErrStale)
	_, ok := g.Seen("r")
	assert.False(t, ok)
}

func TestARefusalLeavesNothingBehind(t *testing.T) {
	var g fence.Guard
	require.NoError(t, g.Check("r", fence.Mark{Token: 5, Nonce: "a"}))
	require.Error(t, g.Check("r", fence.Mark{Token: 5, Nonce: "b"}))
	assert.NoError(t, g.Check("r", fence.Mark{Token: 5, Nonce: "a"}))
}

// TestDoHoldsHigherMarksBack: between the check and the write nobody with a higher token
// gets through, or the write of the lower one would come last.
func TestDoHoldsHigherMarksBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g fence.Guard
		var order []string
		release := make(chan struct{})
		go func() {
			_ = g.Do("r", fence.Mark{Token: 1, Nonce: "a"}, func() error {
				<-release
				order = append(order, "low")
				return nil
			})
		}()
		synctest.Wait()
		assert.False(t, g.Forget("r"), "in use")
		go func() {
			_ = g.Do("r", fence.Mark{Token: 2, Nonce: "b"}, func() error {
				order = append(order, "high")
				return nil
			})
		}()
		close(release)
		synctest.Wait()
		assert.Equal(t, []string{"low", "high"}, order)
		err := g.Do("r", fence.Mark{Token: 1, Nonce: "a"}, func() error { t.Error("stale"); return nil })
		assert.ErrorIs(t, err, fence.ErrStale)
		assert.True(t, g.Forget("r"))
		assert.False(t, g.Forget("r"))
	})
}

func TestDoReleasesAfterAPanic(t *testing.T) {
	var g fence.Guard
	assert.Panics(t, func() { _ = g.Do("r", fence.Mark{Token: 1, Nonce: "a"}, func() error { panic("x") }) })
	assert.NoError(t, g.Do("r", fence.Mark{Token: 1, Nonce: "a"}, func() error { return nil }))
	assert.ErrorContains(t, g.Do("r", fence.Mark{Token: 2, Nonce: "a"}, nil), "the function is nil")
}

func TestDoFromManyGoroutines(t *testing.T) {
	var g fence.Guard
	var all sync.WaitGroup
	last := uint64(0)
	for i := range 200 {
		all.Go(func() {
			_ = g.Do("r", fence.Mark{Token: uint64(i + 1), Nonce: "n"}, func() error {
				assert.Greater(t, uint64(i+1), last)
				last = uint64(i + 1)
				return nil
			})
		})
	}
	all.Wait()
}

// The mark of no lease is refused for what it is, whatever was seen.
func TestMarkOfNoLease(t *testing.T) {
	var g fence.Guard
	const want = `fence: "a": the lease is stale: token 0 belongs to no lease`
	assert.EqualError(t, g.Check("a", fence.MarkOf(keylock.Lease{})), want)
	assert.NoError(t, g.Check("a", fence.Mark{Token: 7}))
	err := g.Do("a", fence.Mark{}, func() error { return nil })
	assert.EqualError(t, err, want)
	assert.ErrorIs(t, err, fence.ErrStale)
}
