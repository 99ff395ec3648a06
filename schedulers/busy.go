package schedulers

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// busySlots are the slots of a pool that have holders or run something. The one that is
// chosen next is found in a time that hardly grows with their number.
type busySlots struct {
	heap  busyHeap             // pool.mu
	count int64                // slots that have become busy so far; pool.mu
	fewer atomic.Pointer[slot] // those with fewer holders than the heap knows of, linked by slot.nextFewer
}

// busyHeap is ordered by the number of holders that it knows of, then by age.
type busyHeap []*slot

func (h busyHeap) Len() int { return len(h) }

func (h busyHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.busySince, b.busySince)) < 0
}

func (h busyHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].heapAt, h[j].heapAt = i, j
}

func (h *busyHeap) Push(s any) {
	s.(*slot).heapAt = len(*h)
	*h = append(*h, s.(*slot))
}

func (h *busyHeap) Pop() any {
	last := len(*h) - 1
	s := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return s
}

// rank is the place of a slot in the order of choice. One without holders is not free, it
// still runs what nobody waits for: it comes last. The caller holds pool.mu.
func (s *slot) rank() int32 {
	if s.known == 0 {
		return math.MaxInt32
	}
	return s.known
}

// add takes a slot in that has one holder. The caller holds pool.mu.
func (b *busySlots) add(s *slot) {
	s.place = placeBusy
	s.known = s.holders.Load()
	s.busySince = b.count
	b.count++
	heap.Push(&b.heap, s)
}

// remove takes a slot out. The caller holds pool.mu.
func (b *busySlots) remove(s *slot) { heap.Remove(&b.heap, s.heapAt) }

// leastHeld returns the slot with the fewest holders, of several the one that is busy
// longest. The caller holds pool.mu.
func (b *busySlots) leastHeld() *slot {
	for s := b.fewer.Swap(nil); s != nil; {
		next := s.nextFewer
		s.nextFewer = nil
		chaos.Yield()
		// From here on it can be noted again, for what is not seen below.
		s.noted.Store(false)
		if s.place == placeBusy {
			b.recount(s)
		}
		s = next
	}
	return b.heap[0]
}

// recount puts a slot where it belongs by its holders. The caller holds pool.mu.
func (b *busySlots) recount(s *slot) {
	if n := s.holders.Load(); n != s.known {
		s.known = n
		heap.Fix(&b.heap, s.heapAt)
	}
}

// lowered notes that a slot has fewer holders than before. Anybody calls it.
func (b *busySlots) lowered(s *slot) {
	if s.noted.Swap(true) {
		return
	}
	for {
		top := b.fewer.Load()
		s.nextFewer = top
		chaos.Yield()
		if b.fewer.CompareAndSwap(top, s) {
			return
		}
	}
}

// all returns the slots, the one that is busy longest first. The caller holds pool.mu.
func (b *busySlots) all() []*slot {
	return slices.SortedFunc(slices.Values(b.heap), func(x, y *slot) int { return cmp.Compare(x.busySince, y.busySince) })
}
