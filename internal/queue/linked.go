package queue

import (
	"fmt"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// Linked is a queue for one producer and one consumer, unbounded as a rule: a list of
// chunks that grows at the producer's end. A chunk that the consumer has emptied
// goes back to the producer, so a queue that stays short allocates two chunks in
// its life. The first one of large elements has room for a few of them, and each
// new one for twice as many as that before.
type Linked[T any] struct {
	size int // constant: elements per chunk, at most
	// spare hands an emptied chunk from the consumer to the producer: it belongs to
	// the producer while spared is set, else to the consumer.
	spare  *linkedChunk[T]
	spared atomic.Bool
	_      [cacheLine - 3*wordSize]byte

	head     atomic.Uintptr  // stored by the consumer: elements polled
	tailSeen uintptr         // consumer only: some earlier value of tail
	reading  *linkedChunk[T] // consumer only, but set once by the producer before its first store to tail
	readAt   int             // consumer only: slots of reading that are done with
	_        [cacheLine - 4*wordSize]byte

	tail    atomic.Uintptr  // stored by the producer: elements offered
	writing *linkedChunk[T] // producer only; nil before the first Offer
	writeAt int             // producer only: slots of writing that are in use
	limit   uintptr         // constant: how many elements may wait; 0: any number
	_       [cacheLine - 4*wordSize]byte
}

// linkedChunk is a stretch of the queue. A slot belongs to the producer until
// the tail that covers it is stored, then to the consumer. So does next, which
// is set before the first slot of the next chunk is announced.
type linkedChunk[T any] struct {
	slots []T
	next  *linkedChunk[T]
}

// NewLinked returns an empty queue that grows by chunk elements at a time. The
// first chunk is allocated by the first Offer.
func NewLinked[T any](chunk int) *Linked[T] {
	if chunk < 1 {
		panic(fmt.Sprintf("queue: NewLinked: chunk must be positive, got %d", chunk))
	}
	return &Linked[T]{size: chunk}
}

// newLimited returns a queue that accepts exactly limit elements.
func newLimited[T any](limit, chunk int) *Linked[T] {
	return &Linked[T]{size: chunk, limit: uintptr(limit)}
}

// Offer appends v and reports true, or reports false if there is a limit and it is reached: to the producer the
// length is never too small, because only the consumer makes room. Producer only.
func (q *Linked[T]) Offer(v T) bool {
	if q.limit != 0 && q.tail.Load()-q.head.Load() >= q.limit {
		return false
	}
	c := q.writing
	if c == nil || q.writeAt == len(c.slots) {
		c = q.grow()
	}
	c.slots[q.writeAt] = v
	q.writeAt++
	chaos.Yield()
	q.tail.Store(q.tail.Load() + 1)
	return true
}

// grow makes an empty chunk the one to write to.
//
//go:noinline
func (q *Linked[T]) grow() *linkedChunk[T] {
	chaos.Yield()
	var c *linkedChunk[T]
	if q.spared.Load() {
		c, q.spare = q.spare, nil
		chaos.Yield()
		q.spared.Store(false)
	} else {
		room := Few[T]()
		if q.writing != nil {
			room = max(room, 2*len(q.writing.slots))
		}
		c = &linkedChunk[T]{slots: make([]T, min(q.size, room))}
	}
	if q.writing == nil {
		q.reading = c
	} else {
		q.writing.next = c
	}
	q.writing = c
	q.writeAt = 0
	return c
}

// Poll removes the oldest element. Consumer only.
func (q *Linked[T]) Poll() (v T, ok bool) {
	h := q.head.Load()
	if h == q.tailSeen && !q.look(h) {
		return v, false
	}
	chaos.Yield()
	slot := q.front()
	v = *slot
	var none T
	*slot = none
	q.readAt++
	chaos.Yield()
	q.head.Store(h + 1)
	return v, true
}

// PollBatch moves up to len(dst) of the oldest elements to dst and returns how
// many. Consumer only.
func (q *Linked[T]) PollBatch(dst []T) int {
	h := q.head.Load()
	n := int(q.tailSeen - h)
	if n < len(dst) {
		q.look(h)
		n = int(q.tailSeen - h)
	}
	n = min(n, len(dst))
	if n == 0 {
		return 0
	}
	chaos.Yield()
	for done := 0; done < n; {
		q.front()
		part := q.reading.slots[q.readAt:]
		part = part[:min(n-done, len(part))]
		copy(dst[done:], part)
		clear(part)
		done += len(part)
		q.readAt += len(part)
	}
	chaos.Yield()
	q.head.Store(h + uintptr(n))
	return n
}

// look reads how far the producer has come and reports whether there is an
// element at h. Consumer only.
func (q *Linked[T]) look(h uintptr) bool {
	chaos.Yield()
	q.tailSeen = q.tail.Load()
	return q.tailSeen != h
}

// front returns the slot of the oldest element, which exists. Consumer only.
func (q *Linked[T]) front() *T {
	if q.readAt == len(q.reading.slots) {
		q.advance()
	}
	return &q.reading.slots[q.readAt]
}

// advance leaves a chunk that is done with. There is a next one, because there is
// an element; the producer set it before it announced that element, and has not
// looked at the old chunk since. It is therefore the consumer's to give away.
//
//go:noinline
func (q *Linked[T]) advance() {
	old := q.reading
	q.reading = old.next
	q.readAt = 0
	old.next = nil
	chaos.Yield()
	if !q.spared.Load() {
		q.spare = old
		chaos.Yield()
		q.spared.Store(true)
	}
}

// IsEmpty reports whether every element that was offered has been polled.
func (q *Linked[T]) IsEmpty() bool { return isEmpty(&q.head, &q.tail) }

// Len returns the number of elements offered and not yet polled.
func (q *Linked[T]) Len() int { return length(&q.head, &q.tail) }
