// Package queue holds the queues that stages and schedulers hand elements over
// with. None of them locks or parks a goroutine.
//
//	Ring    bounded    one producer, one consumer     thread hops, inner publishers with a prefetch
//	Linked  unbounded  one producer, one consumer     unbounded buffers, windows, groups
//	MPSC    unbounded  any number of producers, one   merged signals, task queues, sinks
//	                   consumer
//	Latest  one        one producer, one consumer     a newer element takes the place of an older one
//
// "One producer" is a role, not a goroutine: it may pass from goroutine to
// goroutine as long as one ends its calls before the next begins, in the
// happens-before sense. The serial signals of a stream and the passes of a drain
// loop are such roles.
//
// Whether a queue is empty is told by the second result of Poll alone; the zero
// value and nil are ordinary elements. A slot is cleared when its element leaves,
// so a queue keeps nothing reachable that was polled. Storage is allocated by
// the first Offer: a queue that was never used costs its header.
//
// # How an element crosses
//
// Ring, Linked and MPSC count elements offered (tail) and elements polled (head). A
// producer writes the element into its slot with a plain store and then announces
// it with an atomic store; the consumer sees the announcement with an atomic load
// and then reads the slot. Slots go back the same way, announced by head. Those
// two edges are all that orders the plain accesses, so every plain field has one
// owner at any time, which its comment names.
package queue

// Queue is what stages need of a queue. Offer belongs to the
// producers, Poll to the consumer; IsEmpty may be called by anybody, and
// what it says to others than the consumer may be past as soon as it is said.
//
// An alias, as all generic interfaces of internal packages: two of the same methods are one type, and a program
// compiles each method of a type for every T.
type Queue[T any] = interface {
	// Offer appends v and reports whether there was room.
	Offer(v T) bool
	// Poll removes the oldest element; ok is false if there is none.
	Poll() (v T, ok bool)
	// IsEmpty reports whether every element that was offered has been polled.
	IsEmpty() bool
}

// Counted is a [Queue] that tells how many elements are in it: a [Ring], a [Linked] or an [MPSC]. Anybody may ask.
type Counted[T any] = interface {
	Queue[T]
	// Len returns the number of elements offered and not yet polled.
	Len() int
}

// cacheLine is the distance that keeps what the producer writes and what the
// consumer writes out of one another's cache lines.
const cacheLine = 64
