package queue

// boundedChunk is how many elements a large bounded queue grows by.
const boundedChunk = 256

// NewBounded returns a queue for one producer and one consumer that accepts exactly
// capacity elements. Above MaxRing it takes no more memory than what waits.
func NewBounded[T any](capacity int) Queue[T] {
	if capacity > MaxRing {
		return &bounded[T]{list: Linked[T]{size: boundedChunk}, capacity: capacity}
	}
	return NewRing[T](capacity)
}

// bounded is a [Linked] that can be full.
type bounded[T any] struct {
	list     Linked[T]
	capacity int // constant
}

// Offer appends v, or reports false if the queue is full. Producer only: to it the length is
// never too small, because only the consumer makes room.
func (q *bounded[T]) Offer(v T) bool { return q.list.Len() < q.capacity && q.list.Offer(v) }

func (q *bounded[T]) Poll() (v T, ok bool) { return q.list.Poll() }

func (q *bounded[T]) IsEmpty() bool { return q.list.IsEmpty() }
