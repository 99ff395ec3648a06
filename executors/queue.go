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
// [Priority]. It is only a description: pools that are given the same Queue share
// nothing.
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

// Direct stands for no queue: a task is taken by a worker that waits for one, or by a
// new worker, or not at all.
func Direct() Queue { return fifo(0) }

// Priority is a queue for up to n tasks in the order of their rank, the lowest
// first, and in the order of submission among those of one rank. rank computes the
// rank from the context that was passed to Execute or Submit; it is called once per
// task, on the goroutine of the submitter. Priority panics if n ≤ 0 or rank is nil.
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

// taskQueue is a queue in use. All methods are called with the pool's lock held. A queue
// notes in the node of a handle where the handle is.
type taskQueue interface {
	offer(e entry) bool
	poll(now int64) (entry, bool) // the first one that may run
	dropOldest() (entry, bool)    // the first one that may be dropped
	remove(h *Handle) bool        // false if h is not in the queue
	drain() []entry               // takes all out, in order
	len() int
}

// ranked is a queue in the order of ranks: one heap for the tasks that a policy may drop, one for the essential ones. In a single
// heap each drop would have to search among the essential tasks, and n drops would cost n².
type ranked struct {
	capacity  int
	droppable ranks
	essential ranks
	seq       uint64
}

// ranks is a heap.
type ranks []rankedEntry

type rankedEntry struct {
	entry
	seq uint64
}

func (e *rankedEntry) before(other *rankedEntry) bool {
	return e.rank < other.rank || e.rank == other.rank && e.seq < other.seq
}

// Len, Less, Swap, Push and Pop are those of [heap.Interface].
func (r ranks) Len() int { return len(r) }

func (r ranks) Less(i, j int) bool { return r[i].before(&r[j]) }

func (r ranks) Swap(i, j int) {
	r[i], r[j] = r[j], r[i]
	r.note(i)
	r.note(j)
}

// note tells a handle its place.
func (r ranks) note(i int) {
	if h := r[i].h; h != nil {
		h.node.Due = int64(i)
	}
}

func (r *ranks) Push(x any) {
	*r = append(*r, x.(rankedEntry))
	r.note(len(*r) - 1)
}

func (r *ranks) Pop() any {
	last := len(*r) - 1
	e := (*r)[last]
	(*r)[last] = rankedEntry{}
	*r = (*r)[:last]
	return e
}

func (r *ranks) take(i int) (entry, bool) { return heap.Remove(r, i).(rankedEntry).entry, true }

// of returns the heap for what is essential, or not.
func (q *ranked) of(essential bool) *ranks {
	if essential {
		return &q.essential
	}
	return &q.droppable
}

func (q *ranked) len() int { return len(q.droppable) + len(q.essential) }

func (q *ranked) offer(e entry) bool {
	if q.len() >= q.capacity {
		return false
	}
	q.seq++
	heap.Push(q.of(e.essential()), rankedEntry{e, q.seq})
	return true
}

func (q *ranked) poll(int64) (entry, bool) {
	if q.len() == 0 {
		return entry{}, false
	}
	first := len(q.droppable) == 0 || len(q.essential) > 0 && q.essential[0].before(&q.droppable[0])
	return q.of(first).take(0)
}

func (q *ranked) dropOldest() (entry, bool) {
	if len(q.droppable) == 0 {
		return entry{}, false
	}
	return q.droppable.take(0)
}

func (q *ranked) remove(h *Handle) bool {
	r, i := q.of(h.essential), int(h.node.Due)
	if i < 0 || i >= len(*r) || (*r)[i].h != h {
		return false
	}
	r.take(i)
	return true
}

func (q *ranked) drain() []entry {
	var list []entry
	for e, ok := q.poll(0); ok; e, ok = q.poll(0) {
		list = append(list, e)
	}
	return list
}
