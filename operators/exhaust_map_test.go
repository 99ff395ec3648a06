package operators_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/marbles"
	"github.com/goreactor/reactor/reactortest"
)

// exhausting is exhaustMap between a source and a subscriber, with inner publishers that send what the test says.
type exhausting struct {
	*stepwise[int]
	called []int
	inners []*reactortest.TestPublisher[int]
}

func exhaust(t *testing.T, opts ...operators.ExhaustMapOption) *exhausting {
	t.Helper()
	e := &exhausting{}
	e.stepwise = between(func(src ints) ints {
		return operators.ExhaustMap(src, func(v int) ints {
			e.called = append(e.called, v)
			e.inners = append(e.inners, reactortest.NewTestPublisher[int](t))
			return e.inners[len(e.inners)-1]
		}, opts...)
	})
	assert.Equal(t, reactor.Unbounded, e.requested)
	return e
}

func TestExhaustMap(t *testing.T) {
	marbles.Play(t, "Flux.ExhaustMap", marbles.OnInts(func(f flux.Flux[int]) flux.Flux[int] {
		return f.ExhaustMap(func(n int) flux.Flux[int] {
			return flux.Just(10*n, 10*n+1).DelayElements(4 * time.Millisecond)
		})
	}))
	t.Run("what comes while one runs is discarded", func(t *testing.T) {
		e := exhaust(t)
		e.down.Request(reactor.Unbounded)
		e.up.OnNext(1)
		e.up.OnNext(2)
		e.inners[0].Next(10)
		e.up.OnNext(3)
		e.inners[0].Complete()
		e.up.OnNext(4)
		assert.Equal(t, []int{1, 4}, e.called)
		assert.Equal(t, []any{2, 3}, e.discarded)
		e.up.OnComplete()
		assert.False(t, e.completed, "one runs still")
		e.inners[1].Next(40)
		e.inners[1].Complete()
		assert.Equal(t, []any{10, 40}, e.out)
		assert.True(t, e.completed)
	})
	t.Run("it runs until all was delivered", func(t *testing.T) {
		e := exhaust(t)
		e.up.OnNext(1)
		e.inners[0].Next(10, 11)
		e.inners[0].Complete()
		e.down.Request(1)
		e.up.OnNext(2)
		assert.Equal(t, []any{2}, e.discarded)
		e.down.Request(1)
		e.up.OnNext(3)
		assert.Equal(t, []int{1, 3}, e.called)
		assert.Equal(t, []any{10, 11}, e.out)
	})
	t.Run("one that is empty makes room at once", func(t *testing.T) {
		e := exhaust(t)
		e.up.OnNext(1)
		e.inners[0].Complete()
		e.up.OnNext(2)
		assert.Equal(t, []int{1, 2}, e.called)
	})
	t.Run("prefetch", func(t *testing.T) {
		e := exhaust(t, operators.Prefetch(3))
		e.up.OnNext(1)
		e.inners[0].AssertRequested(3)
	})
	t.Run("what works where it is subscribed loses nothing", func(t *testing.T) {
		for _, src := range []ints{operators.Range(1, 2), operators.Hide(operators.Range(1, 2))} {
			got, err := operators.Collect(context.Background(), operators.ExhaustMap(src, func(v int) ints { return operators.Range(10*v, 2) }))
			require.NoError(t, err)
			assert.Equal(t, []int{10, 11, 20, 21}, got)
		}
		got, err := operators.Collect(context.Background(), operators.ExhaustMap(operators.Just(1), func(v int) ints { return operators.Range(10*v, 2) }))
		require.NoError(t, err)
		assert.Equal(t, []int{10, 11}, got)
	})
}

func TestExhaustMapEnds(t *testing.T) {
	t.Run("an error of the source cancels the inner publisher", func(t *testing.T) {
		e := exhaust(t)
		e.up.OnNext(1)
		e.inners[0].Next(10)
		e.up.OnError(errFailed)
		assert.Equal(t, errFailed, e.err)
		e.inners[0].AssertCancelled(1)
		assert.Equal(t, []any{10}, e.discarded)
		assert.Zero(t, e.cancelled)
	})
	t.Run("an error of the inner publisher cancels the source", func(t *testing.T) {
		e := exhaust(t)
		e.up.OnNext(1)
		e.inners[0].Error(errFailed)
		assert.Equal(t, errFailed, e.err)
		assert.Equal(t, 1, e.cancelled)
		e.up.OnNext(2)
		assert.Equal(t, []any{2}, e.discarded)
	})
	t.Run("errors that are delayed", func(t *testing.T) {
		e := exhaust(t, operators.DelayErrors())
		e.down.Request(reactor.Unbounded)
		e.up.OnNext(1)
		e.inners[0].Error(errFailed)
		assert.NoError(t, e.err)
		e.up.OnNext(2)
		e.up.OnError(assert.AnError)
		assert.NoError(t, e.err)
		e.inners[1].Next(20)
		e.inners[1].Complete()
		assert.Equal(t, []any{20}, e.out)
		assert.ErrorIs(t, e.err, errFailed)
		assert.ErrorIs(t, e.err, assert.AnError)
	})
	t.Run("a cancellation cancels both", func(t *testing.T) {
		e := exhaust(t)
		e.up.OnNext(1)
		e.inners[0].Next(10)
		e.down.Cancel()
		e.inners[0].AssertCancelled(1)
		assert.Equal(t, 1, e.cancelled)
		e.up.OnNext(2)
		assert.Equal(t, []any{10, 2}, e.discarded)
	})
	t.Run("a panic of the function", func(t *testing.T) {
		for _, src := range []ints{operators.Range(1, 3), operators.Just(1)} {
			_, err := operators.Collect(context.Background(), operators.ExhaustMap(src, func(int) ints { panic("boom") }))
			assert.EqualError(t, err, "reactor: exhaustMap: panic: boom")
		}
	})
	t.Run("no publisher", func(t *testing.T) {
		_, err := operators.Collect(context.Background(), operators.ExhaustMap(operators.Range(1, 3), func(int) ints { return nil }))
		assert.ErrorContains(t, err, "exhaustMap: the publisher is nil")
	})
	assert.PanicsWithValue(t, "reactor: exhaustMap: the mapper is nil", func() { operators.ExhaustMap[int, int](operators.Range(1, 3), nil) })
	assert.PanicsWithValue(t, "reactor: exhaustMap: prefetch must be positive, got 0", func() {
		operators.ExhaustMap(operators.Range(1, 3), operators.Just[int], operators.Prefetch(0))
	})
}
