package executors

import (
	"container/heap"
	"context"
	"fmt"
	"math"
)

// Unlimited is the capacity of a queue without a limit.
const Unlimited = math.MaxInt

// Queue says how tasks wait in a [ThreadPool]: [Unbounded], [Bounded], [Direct] or
// [Priority]. It is a description; pools that are given the same one don't share
// anything.
type Queue interface {
	// Capacity returns how many tasks may wait, [Unlimited] without a limit.
	Capacity() int

	newQueue() taskQueue
}

// Unbounded is a queue without a limit, first in, first out. With it a pool never
// grows beyond its core size.
func Unbounded() Queue { return fifo(Unlimited) }

// Bounded is a queue for up to n tasks, first in, first out; it panics if n ≤ 0.
func Bounded(n int) Queue {
	if n <= 0 {
		panic(fmt.Sprintf("executors: Bounded: n > 0 required but it was %d", n))
	}
	return fifo(n)
}

// Direct is no queue: a task is taken by a worker that waits for one, or by a new
// worker, or not at all.
func Direct() Queue { return fifo(0) }

// Priority is a queue for up to n tasks in the order of their rank, the lowest
// first, and in the order of submission among those of one rank. The rank follows
// from the context that was passed to Execute or Submit; it is asked for once, on
// the goroutine of the submitter. Priority panics if n ≤ 0 or rank is nil.
func Priority(n int, rank func(ctx context.Context) int) Queue {
	if n <= 0 {
		panic(fmt.Sprintf("executors: Priority: n > 0 required but it was %d", n))
	}
	if rank == nil {
		panic("executors: Priority: rank is nil")
	}
	return priority{n, rank}
}

type fifo int

func (f fifo) Capacity() int       { return int(f) }
func (f fifo) newQueue() taskQueue { return &segments{capacity: int(f)} }

type priority struct {
	capacity int
	rank     func(ctx context.Context) int
}

func (p priority) Capacity() int       { return p.capacity }
func (p priority) newQueue() taskQueue { return &ranked{capacity: p.capacity} }

// entry is a task on its way through a pool: a function and its context, or a
// handle.
type entry struct {
	fn   Task
	ctx  context.Context
	h    *Handle
	at   int64 // when it was accepted or is due, 0 if nobody measures
	rank int   // in a Priority queue
}

func (e *entry) empty() bool { return e.fn == nil && e.h == nil }

func (e *entry) essential() bool { return e.h != nil && e.h.essential }

func (e *entry) context() context.Context {
	if e.h != nil {
		return e.h.body.context()
	}
	return e.ctx
}

func (e *entry) pc() uintptr {
	if e.h != nil {
		return e.h.body.pc()
	}
	return pcOf(e.fn)
}

// taskQueue is a queue in use. Its pool's lock protects it. It may write into the
// nodes of the handles in it.
type taskQueue interface {
	offer(e entry) bool
	poll(now int64) (entry, bool) // the first one that may run
	dropOldest() (entry, bool)    // the first one that may be dropped
	remove(h *Handle) bool
	drain() []entry
	len() int
}

// ranked is a queue in the order of ranks: a heap.
type ranked struct {
	capacity int
	list     []rankedEntry
	seq      uint64
}

type rankedEntry struct {
	entry
	seq uint64
}

// Len, Less, Swap, Push and Pop are those of [heap.Interface].
func (q *ranked) Len() int { return len(q.list) }

func (q *ranked) Less(i, j int) bool {
	a, b := &q.list[i], &q.list[j]
	return a.rank < b.rank || a.rank == b.rank && a.seq < b.seq
}

func (q *ranked) Swap(i, j int) {
	q.list[i], q.list[j] = q.list[j], q.list[i]
	q.note(i)
	q.note(j)
}

// note tells a handle its place.
func (q *ranked) note(i int) {
	if h := q.list[i].h; h != nil {
		h.node.Due = int64(i)
	}
}

func (q *ranked) Push(x any) {
	q.list = append(q.list, x.(rankedEntry))
	q.note(len(q.list) - 1)
}

func (q *ranked) Pop() any {
	last := len(q.list) - 1
	e := q.list[last]
	q.list[last] = rankedEntry{}
	q.list = q.list[:last]
	return e
}

func (q *ranked) len() int { return len(q.list) }

func (q *ranked) offer(e entry) bool {
	if len(q.list) >= q.capacity {
		return false
	}
	q.seq++
	heap.Push(q, rankedEntry{e, q.seq})
	return true
}

func (q *ranked) take(i int) (entry, bool) { return heap.Remove(q, i).(rankedEntry).entry, true }

func (q *ranked) poll(int64) (entry, bool) {
	if len(q.list) == 0 {
		return entry{}, false
	}
	return q.take(0)
}

func (q *ranked) dropOldest() (entry, bool) {
	if len(q.list) > 0 && !q.list[0].essential() {
		return q.take(0)
	}
	first := -1
	for i := range q.list {
		if !q.list[i].essential() && (first < 0 || q.Less(i, first)) {
			first = i
		}
	}
	if first < 0 {
		return entry{}, false
	}
	return q.take(first)
}

func (q *ranked) remove(h *Handle) bool {
	i := int(h.node.Due)
	if i < 0 || i >= len(q.list) || q.list[i].h != h {
		return false
	}
	q.take(i)
	return true
}

func (q *ranked) drain() []entry {
	var list []entry
	for e, ok := q.poll(0); ok; e, ok = q.poll(0) {
		list = append(list, e)
	}
	return list
}
