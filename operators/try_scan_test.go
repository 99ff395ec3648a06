package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestTryScan(t *testing.T) {
	play(t, diagram{"the first error ends it", "-a-b-x-c-|", "-a-b-#", func(src strs) strs {
		return operators.TryScan(src, func(acc, v string) (string, error) {
			if v == "x" {
				return "", reactortest.ErrMarble
			}
			return max(acc, v), nil
		})
	}})
	t.Run("the element is discarded, and nothing more accumulated", func(t *testing.T) {
		s := between(func(src ints) ints {
			return operators.TryScan(src, func(acc, v int) (int, error) { return acc + v, failAt13(v) })
		})
		s.down.Request(9)
		for _, v := range []int{1, 2, 13, 4} {
			s.up.OnNext(v)
		}
		assert.Equal(t, []any{1, 3}, s.out)
		assert.Equal(t, errFailed, s.err)
		assert.Equal(t, []any{13}, s.discarded)
		assert.Equal(t, []any{4}, s.dropped)
		assert.Equal(t, 1, s.cancelled)
	})
}
