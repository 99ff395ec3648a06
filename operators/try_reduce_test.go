package operators_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestTryReduce(t *testing.T) {
	joined := func(acc, v string) (string, error) {
		if v == "x" {
			return "ignored", reactortest.ErrMarble
		}
		return max(acc, v), nil
	}
	for _, d := range []diagram{
		{"the result at the end", "-a-b-c-|", "-------(c|)", nil},
		{"the first error ends it", "-a-b-x-c-|", "-----#", nil},
		{"one element is the result as it is", "-x-|", "---(x|)", nil},
		{"nothing stays nothing", "---|", "---|", nil},
		{"the error of the source passes", "-a-#", "---#", nil},
	} {
		d.use = func(src strs) strs { return operators.TryReduce(src, joined) }
		play(t, d)
	}
	t.Run("the element and what was accumulated are discarded", func(t *testing.T) {
		s := between(func(src ints) ints {
			return operators.TryReduce(src, func(acc, v int) (int, error) { return acc + v, failAt13(v) })
		})
		s.down.Request(9)
		for _, v := range []int{1, 2, 13, 4} {
			s.up.OnNext(v)
		}
		s.up.OnComplete()
		assert.Empty(t, s.out)
		assert.Equal(t, errFailed, s.err)
		assert.ElementsMatch(t, []any{13, 3, 4}, s.discarded)
		assert.Equal(t, 1, s.cancelled)
	})
	t.Run("a cancellation in the function", func(t *testing.T) {
		var discarded []any
		ctx := reactor.AddDiscard(context.Background(), func(v any) { discarded = append(discarded, v) })
		var up reactor.Subscription
		src := operators.TryReduce(operators.FromSlice([]int{1, 2, 4}), func(acc, v int) (int, error) {
			up.Cancel()
			return 0, errFailed
		})
		operators.SubscribeFunc(ctx, src, func(int) { t.Error("a result after the cancellation") },
			operators.OnSubscribe(func(s reactor.Subscription) { up = s; s.Request(reactor.Unbounded) }))
		assert.ElementsMatch(t, []any{1, 2, 4}, discarded)
	})
}
