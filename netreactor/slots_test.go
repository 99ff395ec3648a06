package netreactor

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSlots: each socket has one of its own, and a slot that is used again has another generation.
func TestSlots(t *testing.T) {
	var s slots[int]
	all, at := make([]*int, 3*slotsPart+1), make([]int32, 3*slotsPart+1)
	seen := map[[2]int32]bool{}
	for range 2 {
		for i := range all {
			all[i] = new(int)
			n, generation := s.take(all[i])
			assert.False(t, seen[[2]int32{n, generation}])
			seen[[2]int32{n, generation}] = true
			at[i] = n
		}
		for i, n := range at {
			assert.Same(t, all[i], s.at(n).of)
		}
		for _, n := range at {
			s.vacate(n)
			assert.Nil(t, s.at(n).of)
		}
	}
	assert.Len(t, s.parts, 4, "they are used again")
}
