package queue

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startAt moves the positions of an unused ring.
func (r *Ring[T]) startAt(position uintptr) *Ring[T] {
	r.head.Store(position)
	r.tail.Store(position)
	r.headSeen, r.tailSeen = position, position
	return r
}

func TestRingCapacityIsExact(t *testing.T) {
	for _, capacity := range []int{1, 2, 3, 5, 8, 255, 256, 257} {
		for _, start := range []uintptr{0, 1, 7, ^uintptr(0), ^uintptr(0) - 4, -uintptr(capacity)} {
			t.Run(fmt.Sprintf("%d from %#x", capacity, start), func(t *testing.T) {
				r := NewRing[int](capacity).startAt(start)
				assert.Equal(t, capacity, r.Cap())
				for round := range 3 {
					for i := range capacity {
						require.Equal(t, i, r.Len())
						require.True(t, r.Offer(i), "round %d: element %d refused", round, i)
					}
					require.False(t, r.Offer(-1), "round %d: one too many accepted", round)
					require.Equal(t, capacity, r.Len())
					for i := range capacity {
						v, ok := r.Poll()
						require.True(t, ok)
						require.Equal(t, i, v)
						require.True(t, r.Offer(i), "a polled slot is free at once")
						require.False(t, r.Offer(-1))
					}
					all := make([]int, capacity+1)
					require.Equal(t, capacity, r.PollBatch(all))
					for i := range capacity {
						require.Equal(t, i, all[i])
					}
					require.True(t, r.IsEmpty())
				}
				assert.Len(t, r.slots, storage(capacity))
			})
		}
	}
}

func storage(capacity int) int {
	size := 1
	for size < capacity {
		size *= 2
	}
	return size
}

func TestRingPositionsWrapAround(t *testing.T) {
	for _, capacity := range []int{1, 2, 3, 5, 64} {
		for back := uintptr(0); back < 20; back++ {
			r := NewRing[int](capacity).startAt(-back)
			in, out := 0, 0
			for in < 60 {
				for r.Offer(in) {
					in++
				}
				require.Equal(t, in-out, r.Len())
				require.Equal(t, capacity, r.Len())
				for range 1 + in%3 {
					if v, ok := r.Poll(); ok {
						require.Equal(t, out, v)
						out++
					}
				}
			}
			batch := make([]int, capacity)
			for _, v := range batch[:r.PollBatch(batch)] {
				require.Equal(t, out, v)
				out++
			}
			require.Equal(t, in, out)
		}
	}
}

func TestRingHandOverAcrossTheWrap(t *testing.T) {
	for _, capacity := range []int{1, 2, 3, 5, 8} {
		total := scale(10_000)
		r := NewRing[*int](capacity).startAt(-uintptr(total / 2))
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range total {
				for !r.Offer(&i) {
					runtime.Gosched()
				}
			}
		})
		for want := 0; want < total; {
			if v, ok := r.Poll(); ok {
				require.Equal(t, want, *v)
				want++
			} else {
				runtime.Gosched()
			}
		}
		wg.Wait()
		require.True(t, r.IsEmpty())
	}
}

func TestRingDoesNotAllocatePerElement(t *testing.T) {
	r := NewRing[int](256)
	var batch [64]int
	r.Offer(0)
	r.Poll()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		for i := range 200 {
			r.Offer(i)
		}
		for range 72 {
			r.Poll()
		}
		for r.PollBatch(batch[:]) > 0 {
		}
	}))
}
