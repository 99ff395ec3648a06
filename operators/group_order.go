package operators

import (
	"cmp"
	"reflect"
	"slices"
)

// ordered returns the groups in the order of their keys if those are numbers or strings, else in
// the order in which they were opened. If there are very many groups, none of them is in the
// processor's cache, so each group is read once before they are sorted, and not in each comparison.
func ordered[K comparable, V any](groups []*group[K, V]) []*group[K, V] {
	var key K
	value := reflect.ValueOf(&key).Elem() // one variable for all keys: no allocation for each
	of := func(i int) reflect.Value {
		key = groups[i].key
		return value
	}
	switch {
	case value.CanInt():
		return at(groups, sorted(len(groups), func(i int) int64 { return of(i).Int() }))
	case value.CanUint():
		return at(groups, sorted(len(groups), func(i int) uint64 { return of(i).Uint() }))
	case value.CanFloat():
		return at(groups, sorted(len(groups), func(i int) float64 { return of(i).Float() }))
	case value.Kind() == reflect.String:
		return at(groups, sorted(len(groups), func(i int) string { return of(i).String() }))
	}
	return at(groups, sorted(len(groups), func(i int) int64 { return groups[i].number }))
}

// place is the item that is sorted; it stands for the group at an index.
type place[O cmp.Ordered] struct {
	by O
	at int
}

// sorted returns the indexes below n in the order of the values that by returns for
// them.
func sorted[O cmp.Ordered](n int, by func(i int) O) []place[O] {
	all := make([]place[O], n)
	for i := range all {
		all[i] = place[O]{by(i), i}
	}
	slices.SortFunc(all, func(a, b place[O]) int { return cmp.Compare(a.by, b.by) })
	return all
}

// at returns what is found at places.
func at[T any, O cmp.Ordered](all []T, places []place[O]) []T {
	found := make([]T, len(places))
	for i, p := range places {
		found[i] = all[p.at]
	}
	return found
}
