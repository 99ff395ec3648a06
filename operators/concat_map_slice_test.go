package operators_test

import (
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestConcatMapSlice(t *testing.T) {
	play(t,
		diagram{"slices take no time", "a---b---|", "(aa)(bb)|", func(s strs) strs { return operators.ConcatMapSlice(s, twoOf) }},
		diagram{"no slice", "a--b-|", "-----|", func(s strs) strs { return operators.ConcatMapSlice(s, func(string) []string { return nil }) }},
		diagram{"an error", "a---#", "(aa)#", func(s strs) strs { return operators.ConcatMapSlice(s, twoOf) }},
	)
}

func TestConcatMapSeq(t *testing.T) {
	play(t, diagram{"sequences take no time", "a---b---|", "(aa)(bb)|", func(s strs) strs {
		return operators.ConcatMapSeq(s, func(v string) iter.Seq[string] { return slices.Values(twoOf(v)) })
	}})
}

func twoOf(v string) []string { return []string{v, v} }

// No more slices are taken than there is demand for.
func TestConcatMapSliceDemand(t *testing.T) {
	asked := 0
	s := between(func(src ints) ints {
		return operators.ConcatMapSlice(src, func(n int) []int { asked++; return []int{n, 10 * n} }, operators.Prefetch(2))
	})
	assert.EqualValues(t, 2, s.requested, "prefetched")
	s.down.Request(1)
	s.up.OnNext(1)
	s.up.OnNext(2)
	assert.Equal(t, []any{1}, s.out)
	assert.Equal(t, 1, asked)
	s.down.Request(2)
	assert.Equal(t, []any{1, 10, 2}, s.out)
	s.down.Cancel()
	assert.Equal(t, 1, s.cancelled)
}
