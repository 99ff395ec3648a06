package operators

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSortStable(t *testing.T) {
	type pair struct{ by, at int }
	for _, n := range []int{0, 1, 2, sortedInPlace, sortedInPlace + 1, 1000} {
		items := make([]pair, n)
		for i := range items {
			items[i] = pair{by: i * 7919 % 13, at: i}
		}
		want := slices.Clone(items)
		slices.SortStableFunc(want, func(a, b pair) int { return a.by - b.by })
		sortStable(items, func(a, b pair) int { return a.by - b.by })
		assert.Equal(t, want, items)
	}
}

// A comparison that fails half-way loses nothing.
func TestSortStableFails(t *testing.T) {
	for _, n := range []int{sortedInPlace, 1000} {
		items := make([]int, n)
		for i := range items {
			items[i] = i * 7919 % n
		}
		want, calls := slices.Sorted(slices.Values(items)), 0
		assert.Panics(t, func() {
			sortStable(items, func(a, b int) int {
				if calls++; calls == 2*n {
					panic("broken")
				}
				return a - b
			})
		})
		assert.Equal(t, want, slices.Sorted(slices.Values(items)))
	}
}
