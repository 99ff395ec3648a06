package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestDistinct(t *testing.T) {
	play(t,
		diagram{"the first of each key", "a-b-a-c-b|", "a-b---c--|", func(s strs) strs { return operators.Distinct(s, itself) }},
		diagram{"an error", "a-a-#", "a---#", func(s strs) strs { return operators.Distinct(s, itself) }},
	)
	s := between(func(src ints) ints { return operators.Distinct(src, func(n int) int { return n % 10 }) })
	s.down.Request(2)
	s.up.OnNext(1)
	s.up.OnNext(11)
	assert.Equal(t, []any{11}, s.discarded)
	assert.EqualValues(t, 3, s.requested, "another one for it")
}

func TestDistinctIn(t *testing.T) {
	cleaned := 0
	src := operators.DistinctIn(operators.JustAll(1, 2, 1, 3),
		func() map[int]bool { return map[int]bool{3: true} },
		func(seen map[int]bool, v int) bool { known := seen[v]; seen[v] = true; return !known },
		func(seen map[int]bool) { cleaned += len(seen) })
	for range 2 {
		got, err := operators.Collect(t.Context(), src)
		assert.NoError(t, err)
		assert.Equal(t, []int{1, 2}, got, "each subscription has a store of its own")
	}
	assert.Equal(t, 6, cleaned, "each store is cleaned")
}

func itself[T any](v T) T { return v }
