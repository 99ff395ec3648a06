package operators

import (
	"cmp"
	"slices"
)

// sortedInPlace is how many elements are sorted where they are: insertion, which is what becomes of so few, is stable.
const sortedInPlace = 20

// sortStable sorts items; equal elements keep their order. If compare panics nothing has moved, or nothing was lost. A stable sort
// that works in place moves each element again and again; this one sorts a copy with the places, which are all different.
func sortStable[T any](items []T, compare func(a, b T) int) {
	if len(items) <= sortedInPlace {
		slices.SortStableFunc(items, compare)
		return
	}
	type placed struct {
		v  T
		at int
	}
	all := make([]placed, len(items))
	for i, v := range items {
		all[i] = placed{v, i}
	}
	slices.SortFunc(all, func(a, b placed) int {
		if order := compare(a.v, b.v); order != 0 {
			return order
		}
		return cmp.Compare(a.at, b.at)
	})
	for i := range all {
		items[i] = all[i].v
	}
}
