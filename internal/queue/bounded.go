package queue

// boundedChunk is how many elements a large bounded queue grows by.
const boundedChunk = 256

// NewBounded returns a queue for one producer and one consumer that accepts exactly
// capacity elements. Above MaxRing, or if elements are large, it takes no more memory than what waits.
func NewBounded[T any](capacity int) Queue[T] {
	if capacity > MaxRing {
		return newLimited[T](capacity, boundedChunk)
	}
	return newRing[T](capacity)
}
