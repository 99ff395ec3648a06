package queue

import (
	"fmt"
	"math/bits"
	"runtime"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// MPSC is an unbounded queue for any number of producers and one consumer. An
// Offer takes effect when it takes its position, one compare-and-swap on tail;
// from then on the queue isn't empty. Positions lie in chunks of a list; an
// emptied chunk goes back to the producers.
//
// Two short waits exist, for a goroutine that was stopped in the middle of Offer.
// A Poll that has reached a position which is taken but not yet filled waits
// for it, because elements behind it may have been offered completely. An Offer
// that needs the first position of a chunk waits until the one who took the last
// position of the chunk before has linked it. Both yield the processor while they
// wait.
type MPSC[T any] struct {
	size uint64 // constant, a power of two: elements per chunk
	// spare holds an emptied chunk for the next producer that needs one.
	// Whoever takes it out owns it.
	spare atomic.Pointer[mpscChunk[T]]
	_     [cacheLine - 8 - wordSize]byte

	head    atomic.Uint64                // stored by the consumer: elements polled
	reading atomic.Pointer[mpscChunk[T]] // the consumer's, but set once by the producer of position 0
	_       [cacheLine - 8 - wordSize]byte

	// tail is the next position. 64 bits are never used up, so a
	// compare-and-swap that succeeds proves that nothing has happened since
	// the load before it.
	tail atomic.Uint64
	// writing is the chunk in which tail lies. While tail is the first
	// position of a chunk, writing may still be the chunk before; see
	// mpscChunk.base. Stored by the producer who took a chunk's last position.
	writing atomic.Pointer[mpscChunk[T]]
	_       [cacheLine - 8 - wordSize]byte
}

// mpscChunk is a stretch of the queue. A producer may hold a chunk that has long
// been emptied and used again; all that it does with it before its
// compare-and-swap has succeeded is to read base.
type mpscChunk[T any] struct {
	// base is the position of the first slot. Stored by the producer who is
	// about to link the chunk.
	base atomic.Uint64
	// next is stored by the producer of the last slot, before it fills that
	// slot, and read by the consumer after it has seen it filled.
	next  *mpscChunk[T]
	slots []mpscSlot[T]
}

// mpscSlot belongs to the producer who took its position until filled is stored,
// then to the consumer.
type mpscSlot[T any] struct {
	// filled is the position of the element in the slot plus one. As positions
	// never come back, there is nothing to reset when a chunk is used again.
	filled atomic.Uint64
	v      T
}

// NewMPSC returns an empty queue that grows by chunk elements at a time, rounded
// up to a power of two, or by fewer if they are large. The first chunk is allocated by the first Offer.
func NewMPSC[T any](chunk int) *MPSC[T] {
	if chunk < 1 {
		panic(fmt.Sprintf("queue: NewMPSC: chunk must be positive, got %d", chunk))
	}
	return &MPSC[T]{size: 1 << bits.Len(uint(min(chunk, Few[mpscSlot[T]]())-1))}
}

// Offer appends v and reports true. Any goroutine.
func (q *MPSC[T]) Offer(v T) bool {
	var next *mpscChunk[T] // ready in case this Offer takes a last slot
	for spins := 0; ; spins++ {
		t := q.tail.Load()
		chaos.Yield()
		c := q.writing.Load()
		at := t & (q.size - 1)
		if at == 0 && (c == nil || c.base.Load() != t) {
			if c == nil && t == 0 {
				q.start()
			} else {
				relax(spins)
			}
			continue
		}
		if at == q.size-1 && next == nil {
			next = q.obtain()
		}
		chaos.Yield()
		if !q.tail.CompareAndSwap(t, t+1) {
			continue
		}
		chaos.Yield()
		if t == 0 {
			q.reading.Store(c)
		}
		if at == q.size-1 {
			next.base.Store(t + 1)
			c.next = next
			chaos.Yield()
			q.writing.Store(next)
		} else if next != nil {
			q.spare.Store(next)
		}
		chaos.Yield()
		slot := &c.slots[at]
		slot.v = v
		slot.filled.Store(t + 1)
		return true
	}
}

// start provides the first chunk. Several producers may try; writing is nil only
// before the first of them succeeds.
//
//go:noinline
func (q *MPSC[T]) start() {
	c := q.obtain()
	chaos.Yield()
	q.writing.CompareAndSwap(nil, c)
}

// obtain returns an empty chunk that nobody else has.
//
//go:noinline
func (q *MPSC[T]) obtain() *mpscChunk[T] {
	if c := q.spare.Swap(nil); c != nil {
		return c
	}
	return &mpscChunk[T]{slots: make([]mpscSlot[T], q.size)}
}

// Poll removes the oldest element. It finds every element whose Offer has
// returned. Consumer only.
func (q *MPSC[T]) Poll() (v T, ok bool) {
	slot := q.front()
	if slot == nil {
		return v, false
	}
	chaos.Yield()
	v = slot.v
	var none T
	slot.v = none
	h := q.head.Load()
	if h&(q.size-1) == q.size-1 {
		q.advance(q.reading.Load())
	}
	chaos.Yield()
	q.head.Store(h + 1)
	return v, true
}

// Peek returns the oldest element and leaves it where it is. Consumer only.
func (q *MPSC[T]) Peek() (v T, ok bool) {
	slot := q.front()
	if slot == nil {
		return v, false
	}
	chaos.Yield()
	return slot.v, true
}

// PollBatch moves up to len(dst) of the oldest elements to dst and returns how
// many. It returns 0 only when Poll would have found nothing. Consumer only.
func (q *MPSC[T]) PollBatch(dst []T) int {
	if len(dst) == 0 || q.front() == nil {
		return 0
	}
	h := q.head.Load()
	c := q.reading.Load()
	n := 0
	for n < len(dst) {
		at := h & (q.size - 1)
		slot := &c.slots[at]
		if slot.filled.Load() != h+1 {
			break
		}
		chaos.Yield()
		dst[n] = slot.v
		var none T
		slot.v = none
		n++
		h++
		if at == q.size-1 {
			c = q.advance(c)
		}
	}
	chaos.Yield()
	q.head.Store(h)
	return n
}

// front returns the slot of the oldest element, filled, or nil if there is none.
// Consumer only.
func (q *MPSC[T]) front() *mpscSlot[T] {
	h := q.head.Load()
	c := q.reading.Load()
	if c == nil {
		c = q.first(h)
		if c == nil {
			return nil
		}
	}
	chaos.Yield()
	slot := &c.slots[h&(q.size-1)]
	if slot.filled.Load() != h+1 && !q.await(slot, h) {
		return nil
	}
	return slot
}

// first returns the first chunk, or nil if there was no Offer yet. Consumer only.
func (q *MPSC[T]) first(h uint64) *mpscChunk[T] {
	chaos.Yield()
	if q.tail.Load() == h {
		return nil
	}
	for spins := 0; ; spins++ {
		if c := q.reading.Load(); c != nil {
			return c
		}
		relax(spins)
	}
}

// await returns when the slot of position h is filled, or at once with false if
// nobody has taken that position. Consumer only.
func (q *MPSC[T]) await(slot *mpscSlot[T], h uint64) bool {
	chaos.Yield()
	if q.tail.Load() == h {
		return false
	}
	for spins := 0; slot.filled.Load() != h+1; spins++ {
		relax(spins)
	}
	return true
}

// advance leaves a chunk that is done with and returns the next. The last slot of
// the old one was filled, so next is set, and none of the producers who took its
// positions will touch it again. Consumer only.
//
//go:noinline
func (q *MPSC[T]) advance(old *mpscChunk[T]) *mpscChunk[T] {
	c := old.next
	q.reading.Store(c)
	old.next = nil
	chaos.Yield()
	q.spare.Store(old)
	return c
}

// IsEmpty reports whether every element that was offered has been polled.
func (q *MPSC[T]) IsEmpty() bool {
	h := q.head.Load()
	chaos.Yield()
	return q.tail.Load() == h
}

// Len returns the number of elements offered and not yet polled.
func (q *MPSC[T]) Len() int {
	h := q.head.Load()
	for {
		chaos.Yield()
		t := q.tail.Load()
		chaos.Yield()
		again := q.head.Load()
		if again == h {
			return int(t - h)
		}
		h = again
	}
}

// relax passes a moment of waiting for another goroutine: the first few times by
// looking again, then by making room for it.
func relax(spins int) {
	if spins >= 16 {
		runtime.Gosched()
	}
}
