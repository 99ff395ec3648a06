package operators

import (
	"math/rand/v2"
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

// Runs of all kinds become one, also if the comparison fails at any time.
func TestSortStableOfRuns(t *testing.T) {
	type pair struct{ by, at int }
	by := func(a, b pair) int { return a.by - b.by }
	for seed := range 300 {
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		var items []pair
		for range random.IntN(6) {
			step, from := random.IntN(5)-2, random.IntN(50)
			for i := range random.IntN(100) {
				items = append(items, pair{by: from + i*step/2})
			}
		}
		for i := range items {
			items[i].at = i
		}
		want := slices.Clone(items)
		slices.SortStableFunc(want, by)
		got, calls := slices.Clone(items), 0
		sortStable(got, func(a, b pair) int { calls++; return by(a, b) })
		assert.Equal(t, want, got)

		if calls == 0 {
			continue
		}
		fails, broken := random.IntN(calls), slices.Clone(items)
		assert.Panics(t, func() {
			sortStable(broken, func(a, b pair) int {
				if fails--; fails < 0 {
					panic("broken")
				}
				return by(a, b)
			})
		})
		slices.SortFunc(broken, func(a, b pair) int { return a.at - b.at })
		assert.Equal(t, items, broken, "nothing is lost")
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
