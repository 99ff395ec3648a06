package boundary

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestChanges(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []int
		want []Cut
	}{
		{"nothing", nil, nil},
		{"the first opens nothing new", []int{3}, []Cut{None}},
		{"the same", []int{3, 13, 23}, []Cut{None, None, None}},
		{"another", []int{3, 4, 14, 3}, []Cut{None, Before, None, Before}},
		{"the zero key is one like others", []int{0, 1, 0, 10}, []Cut{None, Before, Before, None}},
	} {
		cut := Changes(func(v int) int { return v % 10 }, func(a, b int) bool { return a == b })
		var got []Cut
		for _, v := range c.in {
			got = append(got, cut(v))
		}
		assert.Equal(t, c.want, got, c.name)
	}
}

// Where keys are compared by what is near, each is compared to the one before it, and not to the first.
func TestChangesComparesNeighbours(t *testing.T) {
	cut := Changes(func(v int) int { return v }, func(a, b int) bool { return b-a <= 1 })
	for _, v := range []int{1, 2, 3} {
		assert.Equal(t, None, cut(v))
	}
	assert.Equal(t, Before, cut(5))
}
