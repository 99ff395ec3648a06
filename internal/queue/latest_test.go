package queue

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestLatestReplaces(t *testing.T) {
	l := NewLatest[int]()
	_, ok := l.Poll()
	assert.False(t, ok)
	for round := range 5 {
		assert.True(t, l.IsEmpty())
		_, replaced := l.Put(10*round + 1)
		assert.False(t, replaced)
		for i := 2; i < 5; i++ {
			old, replaced := l.Put(10*round + i)
			assert.True(t, replaced)
			assert.Equal(t, 10*round+i-1, old)
		}
		assert.False(t, l.IsEmpty())
		v, ok := l.Poll()
		assert.True(t, ok)
		assert.Equal(t, 10*round+4, v)
		_, ok = l.Poll()
		assert.False(t, ok)
	}
}

func TestLatestKeepsNothingReachable(t *testing.T) {
	l := NewLatest[*int]()
	l.Put(new(int))
	l.Put(new(int))
	l.Poll()
	assert.Equal(t, [3]*int{}, l.slots)
}

func TestLatestLosesNothing(t *testing.T) {
	for range racetest.Iterations(300) {
		const n = 200
		l := NewLatest[*int]() // pointers: the race detector checks the handing over
		var replaced, taken []int
		racetest.Race(func() {
			for i := range n {
				v := i
				if old, ok := l.Put(&v); ok {
					replaced = append(replaced, *old)
				}
			}
		}, func() {
			for range n {
				if v, ok := l.Poll(); ok {
					taken = append(taken, *v)
				}
			}
		})
		if v, ok := l.Poll(); ok {
			taken = append(taken, *v)
		}
		assert.IsIncreasing(t, append([]int{-1}, taken...))
		assert.Equal(t, n-1, taken[len(taken)-1], "the last one always gets through")
		seen := make([]int, n)
		for _, v := range append(replaced, taken...) {
			seen[v]++
		}
		for i, times := range seen {
			if !assert.Equal(t, 1, times, "element %d", i) {
				return
			}
		}
	}
}
