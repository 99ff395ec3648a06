package queue

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBounded(t *testing.T) {
	for _, capacity := range []int{1, 3, MaxRing, MaxRing + 1, MaxRing + 70} {
		q := NewBounded[int](capacity)
		for i := range capacity {
			assert.True(t, q.Offer(i))
		}
		assert.False(t, q.Offer(-1), capacity)
		for i := range 2 {
			v, ok := q.Poll()
			assert.True(t, ok && v == i)
			assert.True(t, q.Offer(capacity+i))
			assert.False(t, q.Offer(-1))
		}
		for !q.IsEmpty() {
			v, ok := q.Poll()
			assert.True(t, ok && v >= 0)
		}
		assert.True(t, q.Offer(1))
	}
	assert.True(t, NewBounded[int](math.MaxInt).Offer(1), "no room is taken that is not used")
}
