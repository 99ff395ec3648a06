package operators

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What is new, and what is not, is as with a map, whatever is a key.
func TestKeySetIsAMap(t *testing.T) {
	type pair struct {
		name string
		n    any
	}
	asMap(t, func(i int) int { return i * 1024 })
	asMap(t, func(i int) string { return fmt.Sprint(i) })
	asMap(t, func(i int) any { return pair{fmt.Sprint(i % 7), i} })
	asMap(t, func(i int) struct{} { return struct{}{} })
	asMap(t, func(i int) float64 { return []float64{math.NaN(), 0, math.Copysign(0, -1), float64(i)}[i%4] })
	var some [3]int
	asMap(t, func(i int) *int { return &some[i%3] })
}

func asMap[K comparable](t *testing.T, key func(int) K) {
	s, m := &keySet[K]{}, map[K]struct{}{}
	for i := range 5000 {
		k := key(i % 3000)
		before := len(m)
		m[k] = struct{}{}
		if s.add(k) != (len(m) > before) {
			t.Fatalf("%T: the %d-th", k, i)
		}
	}
}

func TestKeySetOfWhatCantBeCompared(t *testing.T) {
	s := &keySet[any]{}
	assert.PanicsWithError(t, "runtime error: hash of unhashable type []int", func() { s.add([]int{1}) })
	assert.True(t, s.add(1), "nothing has happened to the others")
}

func TestKeySetAllocatesNothingForAKey(t *testing.T) {
	strings, anys, pointers, n := &keySet[string]{}, &keySet[any]{}, &keySet[*int]{}, 1
	boxed := any(300)
	add := func() {
		strings.add("one")
		anys.add(boxed)
		pointers.add(&n)
	}
	add()
	assert.Zero(t, testing.AllocsPerRun(100, add))
}
