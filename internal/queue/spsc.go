package queue

import "math"

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

// NewSPSC returns a queue for as many elements as are requested ahead.
func NewSPSC[T any](prefetch int64) SPSC[T] {
	if prefetch > MaxRing || prefetch > math.MaxInt {
		return NewLinked[T](min(Small(), MaxRing))
	}
	return NewRing[T](int(prefetch))
}
