package schedulers

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// busySlots are the slots of a pool that have holders or run something. The one that is
// chosen next is found in a time that hardly grows with their number.
type busySlots struct {
	heap  []busySlot           // the one to be chosen is first; pool.mu
	count int64                // slots that have become busy so far; pool.mu
	fewer atomic.Pointer[slot] // slots that may have fewer holders than the heap knows of, linked by slot.nextFewer; anybody adds to it
}

// busySlot is a slot in the order of choice: by the known number of holders, then by age. Both are kept
// here, side by side with those of its neighbours: to look at the slot would be another cache line.
type busySlot struct {
	slot  *slot
	since int64 // number of slots that were busy before
	rank  int32
}

func (x *busySlot) before(y *busySlot) bool {
	return x.rank < y.rank || x.rank == y.rank && x.since < y.since
}

// branches is how many slots stand below one in the heap. Every task that finds all slots busy moves
// the first slot to the end: with four branches it passes half as many levels as with two.
const branches = 4

// rank is the place of a slot with n holders in the order of choice. A busy slot without holders comes
// last: it still runs a task, whose worker was disposed.
func rank(n int32) int32 {
	if n == 0 {
		return math.MaxInt32
	}
	return n
}

// add takes a slot in that has one holder. The caller holds pool.mu.
func (b *busySlots) add(s *slot) {
	s.place = placeBusy
	s.known = s.holders.Load()
	b.heap = append(b.heap, busySlot{s, b.count, rank(s.known)})
	b.count++
	b.up(len(b.heap) - 1)
}

// remove takes a slot out. The caller holds pool.mu.
func (b *busySlots) remove(s *slot) {
	at, last := s.heapAt, len(b.heap)-1
	moved := b.heap[last]
	b.heap[last] = busySlot{}
	b.heap = b.heap[:last]
	if at < last {
		b.heap[at] = moved
		b.fix(at)
	}
}

// leastHeld returns the slot with the fewest holders, of several the one that is busy
// longest. The caller holds pool.mu.
func (b *busySlots) leastHeld() *slot {
	if b.fewer.Load() != nil {
		b.catchUp()
	}
	return b.heap[0].slot
}

// catchUp puts the slots that have been noted where they belong. The caller holds pool.mu.
func (b *busySlots) catchUp() {
	for s := b.fewer.Swap(nil); s != nil; {
		next := s.nextFewer
		s.nextFewer = nil
		chaos.Yield()
		// From here on lowered notes s again: recount may not see what happens now.
		s.noted.Store(false)
		if s.place == placeBusy {
			b.recount(s)
		}
		s = next
	}
}

// recount puts a slot where it belongs by its holders. The caller holds pool.mu.
func (b *busySlots) recount(s *slot) {
	if n := s.holders.Load(); n != s.known {
		s.known = n
		b.heap[s.heapAt].rank = rank(n)
		b.fix(s.heapAt)
	}
}

// fix puts the slot at i where it belongs. The caller holds pool.mu.
func (b *busySlots) fix(i int) {
	if i > 0 && b.heap[i].before(&b.heap[(i-1)/branches]) {
		b.up(i)
	} else {
		b.down(i)
	}
}

// up moves the slot at i before those that come after it. The caller holds pool.mu.
func (b *busySlots) up(i int) {
	x := b.heap[i]
	for i > 0 {
		above := (i - 1) / branches
		if !x.before(&b.heap[above]) {
			break
		}
		b.put(i, b.heap[above])
		i = above
	}
	b.put(i, x)
}

// down moves the slot at i behind those that come before it. The caller holds pool.mu.
func (b *busySlots) down(i int) {
	x := b.heap[i]
	for {
		first := i*branches + 1
		if first >= len(b.heap) {
			break
		}
		least := first
		for k := first + 1; k < min(first+branches, len(b.heap)); k++ {
			if b.heap[k].before(&b.heap[least]) {
				least = k
			}
		}
		if !b.heap[least].before(&x) {
			break
		}
		b.put(i, b.heap[least])
		i = least
	}
	b.put(i, x)
}

func (b *busySlots) put(i int, x busySlot) {
	b.heap[i] = x
	x.slot.heapAt = i
}

// lowered notes that a slot has fewer holders than before. Anybody calls it.
func (b *busySlots) lowered(s *slot) {
	if s.noted.Load() || s.noted.Swap(true) {
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
	order := slices.SortedFunc(slices.Values(b.heap), func(x, y busySlot) int { return cmp.Compare(x.since, y.since) })
	slots := make([]*slot, len(order))
	for i, x := range order {
		slots[i] = x.slot
	}
	return slots
}
