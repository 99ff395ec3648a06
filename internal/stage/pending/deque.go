package pending

import (
	"sync"
	"sync/atomic"
)

// Deque is a bounded queue from which the producer can take, too. Its lock is
// held for a few instructions, and only for elements that have to wait.
type Deque[T any] struct {
	Capacity int // constant
	length   atomic.Int64

	mu    sync.Mutex
	slots []T // grows up to capacity; guarded by mu
	first int // guarded by mu
	n     int // guarded by mu
}

// Offer appends v, or reports false if the queue is full.
func (q *Deque[T]) Offer(v T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == q.Capacity {
		return false
	}
	q.add(v)
	return true
}

// Replace appends v and removes the oldest element if there is no room otherwise;
// ok reports whether it did.
func (q *Deque[T]) Replace(v T) (oldest T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == q.Capacity {
		oldest, ok = q.remove(), true
	}
	q.add(v)
	return oldest, ok
}

// Poll removes the oldest element.
func (q *Deque[T]) Poll() (v T, ok bool) {
	if q.IsEmpty() {
		return v, false
	}
	return q.PollIf(nil)
}

// PollIf removes the oldest element if there is one and it is wanted.
func (q *Deque[T]) PollIf(wanted func(T) bool) (v T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == 0 || wanted != nil && !wanted(q.slots[q.first]) {
		return v, false
	}
	return q.remove(), true
}

// IsEmpty reports whether there is no element.
func (q *Deque[T]) IsEmpty() bool { return q.length.Load() == 0 }

func (q *Deque[T]) add(v T) {
	if q.n == len(q.slots) {
		grown := make([]T, min(q.Capacity, max(8, 2*q.n)))
		k := copy(grown, q.slots[q.first:])
		copy(grown[k:], q.slots[:q.first])
		q.slots, q.first = grown, 0
	}
	q.slots[(q.first+q.n)%len(q.slots)] = v
	q.n++
	q.length.Store(int64(q.n))
}

func (q *Deque[T]) remove() T {
	v := q.slots[q.first]
	q.slots[q.first] = *new(T)
	q.first = (q.first + 1) % len(q.slots)
	q.n--
	q.length.Store(int64(q.n))
	return v
}
