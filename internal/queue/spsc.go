package queue

import (
	"math"
	"unsafe"
)

// SPSC is a queue with one producer and one consumer, which may take several elements at a time:
// a [Ring] or a [Linked].
type SPSC[T any] = interface {
	Queue[T]
	// Len is that of [Counted].
	Len() int
	// PollBatch removes the oldest elements, as many as there are and into has room for, and
	// returns how many.
	PollBatch(into []T) int
}

// MaxRing is the largest prefetch that is allocated at once.
const MaxRing = 4096

const (
	// maxRingBytes is how much is allocated at once at most: a stream of one element pays for it, too.
	maxRingBytes = 64 << 10
	// fewBytes is how much room for elements is made at once, where nobody knows how many will come.
	fewBytes = 16 << 10
)

// Few is how many elements there is room for at once where nobody knows how many will come, if elements are large: it
// has no influence on others.
func Few[T any]() int { return max(1, fewBytes/max(1, int(unsafe.Sizeof(*new(T))))) }

// NewSPSC returns a queue for as many elements as are requested ahead.
func NewSPSC[T any](prefetch int64) SPSC[T] {
	if prefetch > MaxRing || prefetch > math.MaxInt {
		return NewLinked[T](min(Small(), MaxRing))
	}
	return newRing[T](int(prefetch))
}

// newRing returns a Ring, or a Linked with that limit if elements are too large to make room for all of them at once.
func newRing[T any](capacity int) SPSC[T] {
	if capacity > maxRingBytes/max(1, int(unsafe.Sizeof(*new(T)))) {
		return newLimited[T](capacity, capacity)
	}
	return NewRing[T](capacity)
}
