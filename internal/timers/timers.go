// Package timers orders what waits for its time: the timed tasks of schedulers
// and executors. It knows neither clocks nor goroutines; who uses it brings
// both, and a lock.
package timers

import (
	"cmp"
	"math"
	"slices"
	"time"
	"unsafe"
)

// Queue holds nodes by their due time and, where that is the same, in the order
// in which they came. The zero value is empty. It has no lock of its own.
//
// The nodes that are due next are in a heap, ordered by (due, seq); it has four
// children per node, which is shallower than two and touches fewer cache lines.
// Beyond a handful, nodes of the farther future wait in a wheel (wheel.go), which
// takes them and lets them go at a constant cost, and hands them to the heap when
// their millisecond has come. Every node in the wheel is due after every node
// that left it, so the heap alone decides the order.
type Queue struct {
	n     int // nodes in both
	heap  []entry
	wheel *wheel // made when it is first needed
	seq   uint32 // number of the latest node
}

// Node is the first field of what waits, which is in one queue at a time. Neither it nor the queue has a type parameter for what
// that is: both are parts of types that each program reads, and it would compile the methods again.
type Node struct {
	Due   int64 // when, in nanoseconds since whenever; not to be changed while it is in a queue
	seq   uint32
	index int32 // index in the heap + 1, or minus its place in the wheel, or outside
}

type entry struct {
	due int64
	n   *Node
}

const (
	// handful is how many nodes the heap takes before the wheel is used.
	handful = 64
	// outside is the index of a node that is in no queue.
	outside int32 = 0
)

// Owner returns what waits, which is a T whose first field n is. There is no pointer to it, because a million of them are memory
// that has to be written, and looked at by the garbage collector.
func Owner[T any](n *Node) *T { return (*T)(unsafe.Pointer(n)) }

// Waits reports whether the node is in a queue.
func (n *Node) Waits() bool { return n.index != outside }

// less compares numbers by difference: they may wrap around, but not while a node
// waits among others for the same nanosecond.
func (a entry) less(b entry) bool {
	return a.due < b.due || a.due == b.due && int32(a.n.seq-b.n.seq) < 0
}

// Later is at + d, kept within range.
func Later(at int64, d time.Duration) int64 {
	if d > 0 && at > math.MaxInt64-int64(d) {
		return math.MaxInt64
	}
	return at + int64(d)
}

// Len returns how many nodes wait.
func (q *Queue) Len() int { return q.n }

// Push adds n, which has its due time and is in no queue.
func (q *Queue) Push(n *Node, now int64) {
	q.seq++
	n.seq = q.seq
	q.n++
	if len(q.heap) < handful {
		q.toHeap(n)
		return
	}
	if q.wheel == nil {
		q.wheel = new(wheel)
	}
	if q.wheel.n == 0 {
		q.wheel.at = now >> tickBits
	}
	q.place(n)
}

// place puts n into the wheel, or into the heap if its tick has come.
func (q *Queue) place(n *Node) {
	if !q.wheel.put(n) {
		q.toHeap(n)
	}
}

func (q *Queue) toHeap(n *Node) {
	q.heap = append(q.heap, entry{})
	q.up(len(q.heap)-1, entry{n.Due, n})
}

// Overdue returns the first node if it is due at now, else nil. It stays in.
func (q *Queue) Overdue(now int64) *Node {
	if q.wheel != nil && q.wheel.n > 0 {
		for number := q.wheel.turn(now); number != 0; number = q.wheel.turn(now) {
			q.empty(number)
		}
	}
	if len(q.heap) == 0 || q.heap[0].due > now {
		return nil
	}
	return q.heap[0].n
}

// empty puts what is in a bucket that was taken out of the wheel where it belongs now.
func (q *Queue) empty(number uint32) {
	for number != 0 {
		c := q.wheel.chunks[number]
		for _, n := range c.nodes[:c.filled] {
			if n != nil {
				q.place(n)
			}
		}
		after := c.after
		q.wheel.discard(number)
		number = after
	}
}

// WakeAt returns the next time to look; something must wait.
func (q *Queue) WakeAt() int64 {
	at := int64(math.MaxInt64)
	if len(q.heap) > 0 {
		at = q.heap[0].due
	}
	if q.wheel != nil && q.wheel.n > 0 {
		at = min(at, q.wheel.next())
	}
	return at
}

// Remove takes n out, which must be in.
func (q *Queue) Remove(n *Node) {
	q.n--
	if n.index < outside {
		q.wheel.remove(n)
		return
	}
	i, last := int(n.index)-1, len(q.heap)-1
	moved := q.heap[last]
	q.heap[last] = entry{}
	q.heap = q.heap[:last]
	n.index = outside
	if i < last && !q.up(i, moved) {
		q.down(i, moved)
	}
	if cap(q.heap) > 16*handful && last < cap(q.heap)/4 {
		q.heap = append(make([]entry, 0, cap(q.heap)/2), q.heap...)
	}
}

// All returns the nodes, in no order.
func (q *Queue) All() []*Node {
	list := make([]*Node, 0, q.n)
	for _, e := range q.heap {
		list = append(list, e.n)
	}
	if q.wheel != nil {
		list = q.wheel.appendTo(list)
	}
	return list
}

// Sorted returns the nodes that which chooses, all if it is nil, in the order in
// which they are due.
func (q *Queue) Sorted(which func(n *Node) bool) []*Node {
	list := q.All()
	if which != nil {
		list = slices.DeleteFunc(list, func(n *Node) bool { return !which(n) })
	}
	slices.SortFunc(list, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(int32(a.seq-b.seq), 0))
	})
	return list
}

// up puts e at index i or above and reports whether it moved.
func (q *Queue) up(i int, e entry) (moved bool) {
	for i > 0 {
		parent := (i - 1) / 4
		if !e.less(q.heap[parent]) {
			break
		}
		q.set(i, q.heap[parent])
		i, moved = parent, true
	}
	q.set(i, e)
	return moved
}

// down puts e at index i or below.
func (q *Queue) down(i int, e entry) {
	for n := len(q.heap); ; {
		first := 4*i + 1
		if first >= n {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, n); c++ {
			if q.heap[c].less(q.heap[least]) {
				least = c
			}
		}
		if !q.heap[least].less(e) {
			break
		}
		q.set(i, q.heap[least])
		i = least
	}
	q.set(i, e)
}

func (q *Queue) set(i int, e entry) {
	q.heap[i] = e
	e.n.index = int32(i + 1)
}
