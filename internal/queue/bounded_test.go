package queue

import (
	"math"
	"runtime"
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

type large [10 << 10]byte

// A queue makes room for the elements that come, not for all that may, if they are large; it accepts as many as a small one.
func TestLargeElements(t *testing.T) {
	for name, create := range map[string]func() Queue[large]{
		"prefetch":        func() Queue[large] { return NewSPSC[large](256) },
		"bounded":         func() Queue[large] { return NewBounded[large](256) },
		"bounded, larger": func() Queue[large] { return NewBounded[large](2 * MaxRing) },
		"many producers":  func() Queue[large] { return NewMPSC[large](256) },
		"unbounded":       func() Queue[large] { return NewLinked[large](256) },
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			q := create()
			for i := range 3 {
				assert.True(t, q.Offer(large{byte(i)}))
			}
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(20*len(large{})), "for three")
			for i := range 3 {
				v, ok := q.Poll()
				assert.True(t, ok && v[0] == byte(i))
			}
		})
	}
	q := NewSPSC[large](100)
	for i := range 100 {
		assert.True(t, q.Offer(large{byte(i)}))
	}
	assert.False(t, q.Offer(large{}))
	full := func() {
		for range 50 {
			q.Poll()
		}
		for range 50 {
			q.Offer(large{1})
		}
	}
	for range 20 {
		full()
	}
	assert.Zero(t, testing.AllocsPerRun(100, full), "chunks go back")
	assert.Equal(t, 100, q.Len())
	assert.False(t, q.Offer(large{}))
}

// Small ones have a ring, whatever they are.
func TestSmallElementsHaveARing(t *testing.T) {
	assert.IsType(t, &Ring[string]{}, NewSPSC[string](256))
	assert.IsType(t, &Ring[[8]int]{}, NewSPSC[[8]int](256))
	assert.IsType(t, &Ring[struct{}]{}, NewSPSC[struct{}](MaxRing))
	assert.IsType(t, &Linked[large]{}, NewSPSC[large](256))
}

// A large capacity is no reason to take the memory for it.
func TestNewBoundedOfAHighCapacityIsNoRing(t *testing.T) {
	_, small := NewBounded[int](MaxRing).(*Ring[int])
	_, large := NewBounded[int](MaxRing + 1).(*Ring[int])
	assert.Equal(t, []bool{true, false}, []bool{small, large})
}
