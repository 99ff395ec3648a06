package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestTryFold(t *testing.T) {
	joined := func(acc, v string) (string, error) {
		if v == "x" {
			return "ignored", reactortest.ErrMarble
		}
		return max(acc, v), nil
	}
	for _, d := range []diagram{
		{"the result at the end", "-a-c-|", "-----(c|)", nil},
		{"the first error ends it", "-a-x-c-|", "---#", nil},
		{"also that of the first element", "-x-|", "-#", nil},
		{"the seed if there is nothing", "---|", "---(b|)", nil},
		{"the error of the source passes", "-a-#", "---#", nil},
	} {
		d.use = func(src strs) strs { return operators.TryFold(src, func() string { return "b" }, joined) }
		play(t, d)
	}
	t.Run("the element and the accumulator are discarded", func(t *testing.T) {
		s := between(func(src ints) ints {
			return operators.TryFold(src, func() int { return 100 }, func(acc, v int) (int, error) { return acc + v, failAt13(v) })
		})
		s.down.Request(9)
		for _, v := range []int{1, 2, 13, 4} {
			s.up.OnNext(v)
		}
		s.up.OnComplete()
		assert.Empty(t, s.out)
		assert.Equal(t, errFailed, s.err)
		assert.ElementsMatch(t, []any{13, 103, 4}, s.discarded)
		assert.Equal(t, 1, s.cancelled)
	})
}
