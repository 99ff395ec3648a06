package multicast

import (
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/queue"
)

// History keeps the elements of one producer for any number of readers, all of them or
// the latest ones. It grows by chunks; a reader holds the chunk that it reads, so what
// the History has dropped stays readable to those who have begun to read before.
//
// Elements have numbers, beginning at 0. The producer writes an element and then stores
// the count that covers it; a reader loads the count and then reads.
type History[T any] struct {
	limit int64            // how many elements are kept; 0: all
	age   time.Duration    // how long; negative: for ever
	now   func() time.Time // nil without an age

	count atomic.Int64                    // elements so far; stored by the producer
	first atomic.Int64                    // with an age the oldest one kept, see oldest; stored by the producer before head
	head  atomic.Pointer[historyChunk[T]] // the chunk of that one, or one before it; stored by the producer

	ending atomic.Bool  // somebody has called End
	err    error        // of the end; written before ended is set, read after
	end    atomic.Int64 // when, in nanoseconds; stored before ended
	ended  atomic.Bool  // no elements will come

	// What follows belongs to the producer.
	tail     *historyChunk[T]
	headEnds int64 // the number of the first element behind head
}

// historyChunk is a stretch of elements. A slot is written once, before the count that
// covers it is stored. So is next, before the first slot of that.
type historyChunk[T any] struct {
	base  int64 // constant: number of the first element
	next  *historyChunk[T]
	slots []T
	times []int64 // beside slots; nil without an age
}

// Sizes of chunks. Those of a History with a limit are a quarter of it, because what
// was dropped is not given back before its chunk is; or half of it, if it is small.
const (
	smallestChunk = 16
	largestChunk  = 256
	fewSlots      = 4 // and less are in one piece with their chunk
)

// NewHistory returns an empty History of the latest limit elements, with 0 of all. Unless
// age is negative it drops what is that old, by the clock now, whenever an element comes.
func NewHistory[T any](limit int, age time.Duration, now func() time.Time) *History[T] {
	h := &History[T]{limit: int64(limit), age: age, now: now}
	size := min(smallestChunk, queue.Few[T]())
	if limit > 0 {
		size = max(1, min(limit/2, fewSlots), min(limit/4, largestChunk))
	}
	h.tail = h.newChunk(0, size)
	h.head.Store(h.tail)
	h.headEnds = h.tail.after()
	return h
}

func (h *History[T]) newChunk(base int64, size int) *historyChunk[T] {
	var c *historyChunk[T]
	switch {
	case size == 1:
		small := &struct {
			historyChunk[T]
			room [1]T
		}{}
		c = &small.historyChunk
		c.slots = small.room[:]
	case size <= fewSlots:
		small := &struct {
			historyChunk[T]
			room [fewSlots]T
		}{}
		c = &small.historyChunk
		c.slots = small.room[:size]
	default:
		c = &historyChunk[T]{slots: make([]T, size)}
	}
	c.base = base
	if h.age >= 0 {
		c.times = make([]int64, size)
	}
	return c
}

func (c *historyChunk[T]) after() int64 { return c.base + int64(len(c.slots)) }

// Add appends v. Producer only.
func (h *History[T]) Add(v T) {
	n := h.count.Load()
	c := h.tail
	if n == c.after() {
		size := len(c.slots)
		if h.limit == 0 {
			size = min(2*size, largestChunk)
		}
		c.next = h.newChunk(n, size)
		c = c.next
		h.tail = c
	}
	c.slots[n-c.base] = v
	if h.age >= 0 {
		h.addTime(c, n)
	}
	chaos.Yield()
	h.count.Store(n + 1)
	if h.age < 0 && h.limit > 0 && n+1-h.limit >= h.headEnds {
		chaos.Yield()
		h.advance(n + 1 - h.limit)
	}
}

// addTime is the part of Add for elements with an age.
func (h *History[T]) addTime(c *historyChunk[T], n int64) {
	first := h.first.Load()
	if h.limit > 0 && n-first >= h.limit {
		first = n - h.limit + 1
	}
	now := h.now().UnixNano()
	c.times[n-c.base] = now
	h.drop(h.fresh(first, n, now))
}

// oldest returns the number of the oldest element that is kept. Whoever loads head before gets one that is in that chunk or behind it.
func (h *History[T]) oldest() int64 {
	switch {
	case h.age >= 0:
		return h.first.Load()
	case h.limit > 0:
		return max(0, h.count.Load()-h.limit)
	}
	return 0
}

// fresh returns the number of the oldest element from first on that has not reached
// the age when the n-th comes. That one has only if the age is 0.
func (h *History[T]) fresh(first, n, now int64) int64 {
	if h.age == 0 {
		return n + 1
	}
	for c := h.head.Load(); first < n; first++ {
		for first >= c.after() {
			c = c.next
		}
		if c.times[first-c.base] > now-int64(h.age) {
			break
		}
	}
	return first
}

// drop makes first the oldest element that is kept.
func (h *History[T]) drop(first int64) {
	if first == h.first.Load() {
		return
	}
	// In this order: whoever loads the chunk first gets a number that is in it or
	// behind it.
	h.first.Store(first)
	chaos.Yield()
	h.advance(first)
}

// advance lets go of the chunks before the first-th element.
func (h *History[T]) advance(first int64) {
	c := h.head.Load()
	for first >= c.after() && c.next != nil {
		c = c.next
	}
	h.head.Store(c)
	h.headEnds = c.after()
}

// End records the end, from any goroutine, and reports whether it is the first one. An
// element that is added at the same time may be lost.
func (h *History[T]) End(err error) bool {
	if h.ending.Swap(true) {
		return false
	}
	h.err = err
	defer h.ended.Store(true) // also if the clock fails
	if h.now != nil {
		h.end.Store(h.now().UnixNano())
	}
	chaos.Yield()
	return true
}

// Ended reports whether the end was recorded.
func (h *History[T]) Ended() bool { return h.ended.Load() }

// Err returns the error of the end, to those who know that it was recorded.
func (h *History[T]) Err() error { return h.err }

// Expired reports whether the end is longer ago than elements are kept.
func (h *History[T]) Expired() bool {
	return h.ended.Load() && h.age >= 0 && h.now().UnixNano()-int64(h.age) > h.end.Load()
}

// Count returns the number of elements so far.
func (h *History[T]) Count() int64 { return h.count.Load() }

// Cursor is the place of a reader in a History.
type Cursor[T any] struct {
	chunk *historyChunk[T]
	next  int64 // the number of the element to be read
	seen  int64 // some earlier count
}

// Begin returns the place of the oldest element that is kept and, as long as the end
// has not come, has not reached the age.
func (h *History[T]) Begin() Cursor[T] {
	c := Cursor[T]{chunk: h.head.Load()}
	chaos.Yield()
	c.next = h.oldest()
	if h.age < 0 || h.ended.Load() {
		return c
	}
	for limit := h.now().UnixNano() - int64(h.age); c.next < h.count.Load(); c.next++ {
		c.turn()
		if c.chunk.times[c.next-c.chunk.base] > limit {
			break
		}
	}
	return c
}

// turn goes to the chunk of the next element, which exists.
func (c *Cursor[T]) turn() {
	for c.next >= c.chunk.after() {
		c.chunk = c.chunk.next
	}
}

// Read returns the next element, or false if there is none yet.
func (h *History[T]) Read(c *Cursor[T]) (v T, ok bool) {
	if c.next >= c.seen {
		chaos.Yield()
		if c.seen = h.count.Load(); c.next >= c.seen {
			return v, false
		}
	}
	c.turn()
	v = c.chunk.slots[c.next-c.chunk.base]
	c.next++
	return v, true
}

// Leave lets go of a chunk of which everything was read, if there is something to read.
func (h *History[T]) Leave(c *Cursor[T]) {
	if h.More(c) {
		c.turn()
	}
}

// More reports whether there is something to read.
func (h *History[T]) More(c *Cursor[T]) bool { return c.next < h.count.Load() }
