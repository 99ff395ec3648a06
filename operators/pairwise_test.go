package operators_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/marbles"
)

func TestPairwise(t *testing.T) {
	join := func(src strs) strs { return operators.Pairwise(src, func(a, b string) string { return b }) }
	play(t,
		diagram{"neighbours", "a-b-c|", "--b-c|", join},
		diagram{"one has no neighbour", "a-|", "--|", join},
		diagram{"nothing", "--|", "--|", join},
		diagram{"an error", "a-b-#", "--b-#", join},
	)
	difference := func(src ints) ints { return operators.Pairwise(src, func(a, b int) int { return b - a }) }
	marbles.Play(t, "Flux.Pairwise", marbles.OnInts(func(f flux.Flux[int]) flux.Flux[int] {
		return f.Pairwise(func(a, b int) int { return b - a })
	}))
	t.Run("one more is requested when the first one has come", func(t *testing.T) {
		s := between(difference)
		assert.Zero(t, s.requested, "nobody has asked")
		s.down.Request(2)
		s.up.OnNext(1)
		assert.EqualValues(t, 3, s.requested)
		s.up.OnNext(3)
		s.up.OnNext(6)
		assert.EqualValues(t, 3, s.requested)
		assert.Equal(t, []any{2, 3}, s.out)
		s.up.OnComplete()
		assert.True(t, s.completed)
		assert.Empty(t, s.discarded)
	})
	t.Run("not where all was", func(t *testing.T) {
		s := between(difference)
		s.down.Request(reactor.Unbounded)
		s.up.OnNext(1)
		assert.Equal(t, reactor.Unbounded, s.requested)
	})
	t.Run("one without a neighbour is discarded", func(t *testing.T) {
		for name, end := range map[string]func(s *stepwise[int]){
			"completion":   func(s *stepwise[int]) { s.up.OnComplete() },
			"error":        func(s *stepwise[int]) { s.up.OnError(errFailed) },
			"cancellation": func(s *stepwise[int]) { s.down.Cancel() },
		} {
			s := between(difference)
			s.down.Request(2)
			s.up.OnNext(1)
			end(s)
			assert.Equal(t, []any{1}, s.discarded, name)
		}
	})
	t.Run("what comes after a cancellation is discarded", func(t *testing.T) {
		s := between(difference)
		s.down.Cancel()
		s.up.OnNext(1)
		s.up.OnNext(2)
		assert.Equal(t, []any{1, 2}, s.discarded)
		assert.Empty(t, s.out)
		assert.Zero(t, s.requested)
	})
	t.Run("each subscription begins anew, in a loop as well", func(t *testing.T) {
		p := difference(operators.Range(1, 4))
		for range 2 {
			got, err := operators.Collect(context.Background(), p)
			assert.NoError(t, err)
			assert.Equal(t, []int{1, 1, 1}, got)
		}
	})
	t.Run("a panic of the function", func(t *testing.T) {
		_, err := operators.Collect(context.Background(), operators.Pairwise(operators.Range(1, 3), func(int, int) int { panic("boom") }))
		assert.EqualError(t, err, "reactor: pairwise: panic: boom")
	})
	assert.PanicsWithValue(t, "reactor: pairwise: the function is nil", func() { operators.Pairwise[int, int](operators.Range(1, 3), nil) })
}
