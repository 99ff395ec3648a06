package benchmarks

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every row allocates what was recorded: `make bench-guard ARGS=-write` does that.
func TestAllocations(t *testing.T) {
	if raced {
		t.Skip("the race detector makes pools forget")
	}
	text, err := os.ReadFile("allocations.txt")
	require.NoError(t, err)
	recorded, err := ReadRecord(string(text))
	require.NoError(t, err)
	for _, g := range Guards() {
		assert.Empty(t, g.Count().Differs(recorded[g.ID]), g.ID)
		delete(recorded, g.ID)
	}
	assert.Empty(t, recorded, "rows that are no more")
}

// Each part is counted apart, and what only some elements cost is not lost.
func TestAllocationsAreCountedByPart(t *testing.T) {
	if raced {
		t.Skip("the race detector allocates")
	}
	kept := make([]*int, 0, 1_000)
	l := of(func(n int) []*int { return make([]*int, n) }, func(s []*int) int {
		kept = append(kept[:0], new(int), new(int))
		for i := range s {
			if i%4 == 0 {
				kept = append(kept, new(int))
			}
		}
		return len(kept)
	})
	assert.Equal(t, Counts{Assembly: 1, Subscription: 2, Element: 0.25}, l.Count(100, 200))
}

func TestRecordIsRead(t *testing.T) {
	r, err := ReadRecord("# a comment\n\nP1: 1 2 0.5\nP2 (1): 3\n")
	require.NoError(t, err)
	assert.Equal(t, Record{"P1": {1, 2, 0.5}, "P2 (1)": {3}}, r)
	_, err = ReadRecord("P1 1\n")
	assert.EqualError(t, err, `"P1 1" is no row and its figures`)
	_, err = ReadRecord("P1: one\n")
	assert.ErrorContains(t, err, `"P1: one": `)
}

func TestCountsDiffer(t *testing.T) {
	c := Counts{1, 2, 0.5}
	assert.Empty(t, c.Differs([]float64{1, 2, 0.5}))
	assert.Equal(t, "1 2 0.5 allocations instead of 1 2 0 (assembly, subscription, element)", c.Differs([]float64{1, 2, 0}))
	assert.Equal(t, "1 2 0.5 allocations instead of 2 2 0.5 (assembly, subscription, element)", c.Differs([]float64{2, 2, 0.5}), "fewer are told, too")
	assert.Equal(t, "1 2 0.5 allocations, which were not recorded", c.Differs(nil))

	assert.Empty(t, c.Differs([]float64{1, 7, 0.5}), "some elements cost something")
	assert.Equal(t, "1 2 0.5 allocations instead of 1 8 0.5 (assembly, subscription, element)", c.Differs([]float64{1, 8, 0.5}))
	c.Element = 1
	assert.Equal(t, "1 2 1 allocations instead of 1 3 1 (assembly, subscription, element)", c.Differs([]float64{1, 3, 1}), "each does")
}
