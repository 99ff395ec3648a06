package operators

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestOrderOfGroups: groups are in the order of cmp.Compare, whatever their number.
func TestOrderOfGroups(t *testing.T) {
	t.Run("int", func(t *testing.T) {
		checkOrder(t, []int{3, -1, math.MaxInt, 0, math.MinInt, 256, -256, 1})
	})
	t.Run("int8", func(t *testing.T) { checkOrder(t, []int8{3, -1, math.MaxInt8, 0, math.MinInt8}) })
	t.Run("uint", func(t *testing.T) { checkOrder(t, []uint{3, math.MaxUint, 0, math.MaxInt + 1, math.MaxInt}) })
	t.Run("uintptr", func(t *testing.T) { checkOrder(t, []uintptr{3, 1, 2}) })
	t.Run("float64", func(t *testing.T) {
		checkOrder(t, []float64{3, -1, 0, math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64,
			math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, -2.5, 2.5})
	})
	t.Run("float32", func(t *testing.T) { checkOrder(t, []float32{1.5, -1.5, 0, 0.1, -0.1, math.MaxFloat32}) })
	t.Run("string", func(t *testing.T) { checkOrder(t, []string{"b", "", "a", "ab", "\xff", "\u00e4"}) })
	type named string
	t.Run("named", func(t *testing.T) { checkOrder(t, []named{"b", "", "a"}) })
	t.Run("NaN", func(t *testing.T) {
		got := keysInOrder([]float64{math.Inf(-1), math.NaN(), 0, math.NaN()})
		assert.True(t, math.IsNaN(got[0]) && math.IsNaN(got[1]))
		assert.Equal(t, []float64{math.Inf(-1), 0}, got[2:])
	})
	t.Run("others", func(t *testing.T) {
		assert.Equal(t, []bool{true, false}, keysInOrder([]bool{true, false}))
		assert.Equal(t, []any{"b", "a", 1}, keysInOrder([]any{"b", "a", 1}))
	})
	t.Run("none", func(t *testing.T) { assert.Empty(t, keysInOrder([]int{})) })
	t.Run("many", func(t *testing.T) {
		all := make([]int64, 10_000)
		for i := range all {
			all[i] = int64(rand.Uint64())
		}
		checkOrder(t, all)
	})
}

func checkOrder[K cmp.Ordered](t *testing.T, keys []K) {
	assert.Equal(t, slices.Sorted(slices.Values(keys)), keysInOrder(keys))
}

// keysInOrder returns the keys of groups that were opened in the order of keys, and come in another one.
func keysInOrder[K comparable](keys []K) []K {
	var groups []*group[K, int]
	for i, k := range keys {
		groups = append(groups, &group[K, int]{key: k, number: int64(i)})
	}
	rand.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	var got []K
	for _, g := range ordered(groups) {
		got = append(got, g.key)
	}
	return got
}

// TestOrderOfGroupsAllocs: how many allocations it takes does not depend on how many groups there are.
func TestOrderOfGroupsAllocs(t *testing.T) {
	groups := make([]*group[int, int], 1_000)
	for i := range groups {
		groups[i] = &group[int, int]{key: -i * 1_000}
	}
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { ordered(groups) }), 5.0)
}
