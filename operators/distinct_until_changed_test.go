package operators_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestDistinctUntilChanged(t *testing.T) {
	play(t,
		diagram{"of equal ones in a row the first", "-a-a-b-b-a-|", "-a---b---a-|", func(src strs) strs {
			return operators.DistinctUntilChanged(src, self[string])
		}},
		diagram{"by a key", "-a-A-b-|", "-a---b-|", func(src strs) strs { return operators.DistinctUntilChanged(src, strings.ToLower) }},
		diagram{"the key compared is that of the last one emitted", "-1-2-3-4-|", "-1---3---|", func(src strs) strs {
			return operators.DistinctUntilChangedFunc(src, self[string], func(a, b string) bool { return b[0]-a[0] < 2 })
		}},
	)
	t.Run("what repeats is discarded, and another element requested", func(t *testing.T) {
		s := between(func(src ints) ints { return operators.DistinctUntilChanged(src, func(v int) int { return v % 2 }) })
		s.down.Request(1)
		s.up.OnNext(1)
		s.up.OnNext(3)
		assert.Equal(t, []any{1}, s.out)
		assert.Equal(t, []any{3}, s.discarded)
		assert.EqualValues(t, 2, s.requested)
	})
}

func TestDistinctUntilChangedFunc(t *testing.T) {
	near := func(a, b string) bool { return a == "b" && b == "a" }
	play(t, diagram{"compared with the last that passed", "a-b-a-c-b|", "a-b---c-b|", func(s strs) strs {
		return operators.DistinctUntilChangedFunc(s, itself, near)
	}})
}
