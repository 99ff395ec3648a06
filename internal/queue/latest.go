package queue

import (
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// Latest holds one element for one producer and one consumer: a new one takes
// the place of one that was not taken yet.
//
// There are three slots. One belongs to the producer, one to the consumer, the
// third is exchanged between them with an atomic swap that also says whether
// there is an element in it; so neither ever waits, and nothing is allocated.
type Latest[T any] struct {
	slots  [3]T
	middle atomic.Uint32 // number of the third slot, with latestFull if it holds an element
	back   uint32        // producer only: number of its slot, which is empty between calls
	front  uint32        // consumer only: number of its slot, which is empty between calls
}

const (
	latestIndex = 3
	latestFull  = 4
)

// NewLatest returns a Latest without an element.
func NewLatest[T any]() *Latest[T] { return &Latest[T]{back: 1, front: 2} }

// Put offers v and returns the element whose place it took, if there was one.
// Producer only.
func (l *Latest[T]) Put(v T) (old T, replaced bool) {
	l.slots[l.back] = v
	chaos.Yield()
	was := l.middle.Swap(l.back | latestFull)
	l.back = was & latestIndex
	if was&latestFull == 0 {
		return old, false
	}
	return l.empty(l.back), true
}

// Poll takes the element, if there is one. Consumer only.
func (l *Latest[T]) Poll() (v T, ok bool) {
	if l.IsEmpty() {
		return v, false
	}
	chaos.Yield()
	// Only the consumer makes it empty, so it still isn't.
	l.front = l.middle.Swap(l.front) & latestIndex
	return l.empty(l.front), true
}

// IsEmpty reports whether there is no element.
func (l *Latest[T]) IsEmpty() bool { return l.middle.Load()&latestFull == 0 }

func (l *Latest[T]) empty(slot uint32) T {
	v := l.slots[slot]
	l.slots[slot] = *new(T)
	return v
}
