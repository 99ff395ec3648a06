package multicast

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var errBoom = errors.New("boom")

func readAll(h *History[int], c Cursor[int]) (list []int) {
	for v, ok := h.Read(&c); ok; v, ok = h.Read(&c) {
		list = append(list, v)
	}
	return list
}

func TestHistoryKeepsTheLatest(t *testing.T) {
	for _, limit := range []int{0, 1, 2, 3, 4, 7, 8, 100, 1024, 5000} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			h := NewHistory[int](limit, -1, nil)
			early := h.Begin()
			var all []int
			for v := range 3000 {
				h.Add(v)
				all = append(all, v)
				if v%97 == 0 {
					kept := all
					if limit > 0 {
						kept = all[max(0, len(all)-limit):]
					}
					assert.Equal(t, kept, readAll(h, h.Begin()))
				}
			}
			assert.Equal(t, all, readAll(h, early), "who has begun gets everything")
			assert.EqualValues(t, 3000, h.Count())
		})
	}
}

func TestHistoryAge(t *testing.T) {
	now := time.Unix(0, 0)
	h := NewHistory[int](0, 10, func() time.Time { return now })
	pass := func(d time.Duration) { now = now.Add(d) }
	var cursors []Cursor[int]
	for v := range 100 {
		cursors = append(cursors, h.Begin())
		h.Add(v)
		pass(3)
	}
	assert.Equal(t, []int{97, 98, 99}, readAll(h, h.Begin()))
	pass(1)
	assert.Equal(t, []int{98, 99}, readAll(h, h.Begin()))
	assert.EqualValues(t, 96, h.first.Load(), "dropped as far as the last Add has seen")
	assert.Len(t, readAll(h, cursors[0]), 100)
	assert.False(t, h.Expired())
	assert.True(t, h.End(nil))
	assert.False(t, h.End(errBoom))
	assert.True(t, h.Ended())
	assert.NoError(t, h.Err())
	pass(10)
	assert.False(t, h.Expired())
	assert.Equal(t, []int{96, 97, 98, 99}, readAll(h, h.Begin()), "after the end nothing ages")
	pass(1)
	assert.True(t, h.Expired())
}

func TestHistoryWithoutAge(t *testing.T) {
	h := NewHistory[int](0, 0, time.Now)
	c := h.Begin()
	for v := range 40 {
		h.Add(v)
		assert.Empty(t, readAll(h, h.Begin()))
		assert.False(t, h.More(&Cursor[int]{next: h.Count()}))
	}
	assert.Len(t, readAll(h, c), 40)
}

// What was dropped is given back to the collector, but for a fraction of the limit.
func TestHistoryLetsGo(t *testing.T) {
	for _, limit := range []int{1, 2, 40} {
		h := NewHistory[*[64]byte](limit, -1, nil)
		alive := 0
		const n = 1000
		done := make(chan struct{}, n)
		for range n {
			v := new([64]byte)
			runtime.AddCleanup(v, func(int) { done <- struct{}{} }, 0)
			alive++
			h.Add(v)
		}
		runtime.GC()
		runtime.GC()
		for alive > limit+max(1, limit/4) {
			select {
			case <-done:
				alive--
			case <-time.After(10 * time.Second):
				t.Fatalf("limit %d: %d elements are still held", limit, alive)
			}
		}
		runtime.KeepAlive(h)
	}
}
