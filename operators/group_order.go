package operators

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"
)

// ordered returns the groups in the order of their keys if those are numbers or strings, else in the order in
// which they were opened. Of very many groups none is in a cache, so each is looked at once before they
// are sorted, and not in each comparison.
func ordered[K comparable, V any](groups []*group[K, V]) []*group[K, V] {
	var key K
	value := reflect.ValueOf(&key).Elem()
	result := make([]*group[K, V], len(groups))
	if value.Kind() == reflect.String {
		all := make([]named, len(groups))
		for i, g := range groups {
			key = g.key
			all[i] = named{value.String(), i}
		}
		slices.SortFunc(all, func(a, b named) int { return strings.Compare(a.name, b.name) })
		for i, one := range all {
			result[i] = groups[one.at]
		}
		return result
	}
	rank := rankOf(value)
	all := make([]ranked, len(groups))
	for i, g := range groups {
		all[i] = ranked{uint64(g.number), i}
		if rank != nil {
			key = g.key
			all[i].rank = rank(value)
		}
	}
	slices.SortFunc(all, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	for i, one := range all {
		result[i] = groups[one.at]
	}
	return result
}

// named and ranked are what is sorted in the place of something at an index.
type (
	named struct {
		name string
		at   int
	}
	ranked struct {
		rank uint64
		at   int
	}
)

// rankOf returns the function that maps numbers of the type of v to others of the same order; nil if v is no number.
func rankOf(v reflect.Value) func(reflect.Value) uint64 {
	const sign = 1 << 63
	switch {
	case v.CanInt():
		return func(v reflect.Value) uint64 { return uint64(v.Int()) ^ sign }
	case v.CanUint():
		return reflect.Value.Uint
	case v.CanFloat():
		return func(v reflect.Value) uint64 {
			switch f := v.Float(); {
			case f != f:
				return 0 // a NaN is less than any number
			case f < 0:
				return ^math.Float64bits(f)
			default:
				return math.Float64bits(f) | sign
			}
		}
	}
	return nil
}
