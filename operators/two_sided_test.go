package operators

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// twoSidedFake is a stage without elements.
type twoSidedFake struct {
	twoSided
	dry     bool
	fails   error // the next pass panics with it
	crashed func(over bool, err error)

	drops int
}

func (s *twoSidedFake) DrainPass() {
	if err := s.fails; err != nil {
		s.fails = nil
		panic(err)
	}
	s.ended(s.dry)
}

func (s *twoSidedFake) DrainCrashed(err error) { s.crashed(s.crash(), err) }

func (s *twoSidedFake) drop() { s.drops++ }

func newTwoSidedFake(ctx context.Context) (s *twoSidedFake, down *probe[int], up *puppetSubscription[int]) {
	s, down, up = &twoSidedFake{}, probeOf[int](reactor.Unbounded), &puppetSubscription[int]{}
	s.ctx, s.down, s.stage = ctx, down, s
	s.other.Set(0, reactor.NewDisposable(func() {}))
	down.OnSubscribe(subscriptionOf{func(int64) {}, s.Cancel})
	s.OnSubscribe(up)
	return s, down, up
}

type subscriptionOf struct {
	request func(int64)
	cancel  func()
}

func (s subscriptionOf) Request(n int64) { s.request(n) }
func (s subscriptionOf) Cancel()         { s.cancel() }

func TestTwoSidedCancel(t *testing.T) {
	s, down, up := newTwoSidedFake(context.Background())
	assert.Equal(t, reactor.Unbounded, up.requested.Load())
	s.run()
	assert.False(t, s.over)
	s.Cancel()
	s.Cancel()
	assert.True(t, s.over)
	assert.Equal(t, 1, s.drops)
	assert.EqualValues(t, 1, up.cancels.Load())
	assert.True(t, s.other.IsDisposed())
	s.run()
	assert.Equal(t, 2, s.drops, "what has come after the end")
	down.assertOpen(t)
}

func TestTwoSidedFailure(t *testing.T) {
	ctx, hooks := recordHooks()
	s, down, up := newTwoSidedFake(ctx)
	late := errors.New("late")
	s.fail(assert.AnError)
	s.fail(late)
	down.assertFailed(t, assert.AnError)
	assert.Equal(t, 1, s.drops)
	assert.EqualValues(t, 1, up.cancels.Load())
	assert.True(t, s.other.IsDisposed())
	assert.Equal(t, []any{late}, hooks.droppedErrors)
}

// A source that has completed is left alone (§2.3).
func TestTwoSidedCompletion(t *testing.T) {
	s, down, up := newTwoSidedFake(context.Background())
	s.done.Store(true)
	s.dry = true
	s.run()
	down.assertCompleted(t)
	assert.Zero(t, up.cancels.Load())
	assert.True(t, s.other.IsDisposed())
	assert.True(t, s.link.IsCancelled())
}

func TestTwoSidedCrash(t *testing.T) {
	s, down, up := newTwoSidedFake(context.Background())
	var over []bool
	s.crashed = func(o bool, _ error) { over = append(over, o) }
	for range 2 {
		s.fails = assert.AnError
		s.run()
	}
	assert.Equal(t, []bool{false, true}, over)
	assert.EqualValues(t, 1, up.cancels.Load())
	assert.True(t, s.other.IsDisposed())
	assert.True(t, s.cancelled.Load())
	assert.GreaterOrEqual(t, s.drops, 2)
	down.assertOpen(t) // the stage sends the end
}
