package queue

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// Ring is a bounded queue for one producer and one consumer. Its header is three
// cache lines: shared and constant, the consumer's, the producer's.
//
// Positions count up for ever and wrap around with the word; only differences
// and the bits below the storage size are used, and the size divides the range
// of the word, so wrapping is harmless.
type Ring[T any] struct {
	slots    []T     // written once, by the producer before its first store to tail; read by the consumer after a load of tail that shows it
	capacity uintptr // constant; ≤ len(slots)
	_        [cacheLine - 4*wordSize]byte

	head     atomic.Uintptr // stored by the consumer: slots before it belong to the producer
	tailSeen uintptr        // consumer only: some earlier value of tail
	_        [cacheLine - 2*wordSize]byte

	tail     atomic.Uintptr // stored by the producer: slots from head up to it belong to the consumer
	headSeen uintptr        // producer only: some earlier value of head
	_        [cacheLine - 2*wordSize]byte
}

const wordSize = bits.UintSize / 8

// NewRing returns an empty ring that accepts exactly capacity elements. Its
// storage, allocated by the first Offer, is the next power of two.
func NewRing[T any](capacity int) *Ring[T] {
	if capacity < 1 {
		panic(fmt.Sprintf("queue: NewRing: capacity must be positive, got %d", capacity))
	}
	return &Ring[T]{capacity: uintptr(capacity)}
}

// Offer appends v, or reports false if the ring is full. Producer only.
func (r *Ring[T]) Offer(v T) bool {
	t := r.tail.Load()
	if t-r.headSeen >= r.capacity {
		chaos.Yield()
		r.headSeen = r.head.Load()
		if t-r.headSeen >= r.capacity {
			return false
		}
	}
	slots := r.slots
	if len(slots) == 0 {
		slots = r.allocate()
	}
	chaos.Yield()
	slots[int(t)&(len(slots)-1)] = v
	chaos.Yield()
	r.tail.Store(t + 1)
	return true
}

//go:noinline
func (r *Ring[T]) allocate() []T {
	r.slots = make([]T, 1<<bits.Len(uint(r.capacity-1)))
	return r.slots
}

// Poll removes the oldest element. Consumer only.
func (r *Ring[T]) Poll() (v T, ok bool) {
	h := r.head.Load()
	if h == r.tailSeen && !r.look(h) {
		return v, false
	}
	chaos.Yield()
	slots := r.slots
	slot := &slots[int(h)&(len(slots)-1)]
	v = *slot
	var none T
	*slot = none
	chaos.Yield()
	r.head.Store(h + 1)
	return v, true
}

// PollBatch moves up to len(dst) of the oldest elements to dst and returns how
// many. Their slots become free all at once. Consumer only.
func (r *Ring[T]) PollBatch(dst []T) int {
	h := r.head.Load()
	n := int(r.tailSeen - h)
	if n < len(dst) {
		r.look(h)
		n = int(r.tailSeen - h)
	}
	n = min(n, len(dst))
	if n == 0 {
		return 0
	}
	chaos.Yield()
	at := h & uintptr(len(r.slots)-1)
	first := r.slots[at:]
	first = first[:min(n, len(first))]
	rest := r.slots[:n-len(first)] // not empty if the batch goes around the end
	copy(dst, first)
	copy(dst[len(first):], rest)
	clear(first)
	clear(rest)
	chaos.Yield()
	r.head.Store(h + uintptr(n))
	return n
}

// look reads how far the producer has come and reports whether there is an
// element at h. Consumer only.
func (r *Ring[T]) look(h uintptr) bool {
	chaos.Yield()
	r.tailSeen = r.tail.Load()
	return r.tailSeen != h
}

// IsEmpty reports whether every element that was offered has been polled.
func (r *Ring[T]) IsEmpty() bool { return isEmpty(&r.head, &r.tail) }

// Len returns the number of elements offered and not yet polled.
func (r *Ring[T]) Len() int { return length(&r.head, &r.tail) }

// Cap returns how many elements the ring accepts.
func (r *Ring[T]) Cap() int { return int(r.capacity) }
