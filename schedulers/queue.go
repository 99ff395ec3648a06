package schedulers

// item is one accepted task in the queue of a slot: a direct Execute has fn alone,
// an Execute of a worker has fn and the worker's context, a task with a handle has
// that alone.
type item struct {
	fn Task
	h  *handle
}

// worker returns the worker of the task, nil for a direct one.
func (it item) worker() *worker {
	if it.h == nil {
		return nil
	}
	return it.h.w
}

// handle returns the handle of the task, nil for Execute.
func (it item) handle() *handle {
	if it.fn != nil {
		return nil
	}
	return it.h
}

// live reports whether the item would still run.
func (it item) live() bool {
	if w := it.worker(); w != nil && w.disposed.Load() {
		return false
	}
	h := it.handle()
	return h == nil || h.state.Load() == stateQueued
}

// periodic reports whether the item is a run of a periodic task.
func (it item) periodic() bool {
	h := it.handle()
	return h != nil && h.periodic()
}

const chunkSize = 64

// chunk is a piece of a queue. The loop of a slot takes whole chunks, so that it
// locks once per chunk, or less, and not once per task.
type chunk struct {
	next   *chunk
	n      int
	stamps *[chunkSize]int64 // times of submission, nil if no item has one
	items  [chunkSize]item
}

// stamp notes when the last item was submitted; 0 means that it doesn't matter.
func (c *chunk) stamp(at int64) {
	if c.stamps == nil {
		if at == 0 {
			return
		}
		c.stamps = new([chunkSize]int64)
	}
	c.stamps[c.n-1] = at
}

// before returns the end of the run of items, from the index from on, that come
// before a timed task that is due at due.
func (c *chunk) before(from int, due int64) int {
	if c.stamps == nil {
		return c.n
	}
	for i := from; i < c.n; i++ {
		if at := c.stamps[i]; at >= due && at != 0 {
			return i
		}
	}
	return c.n
}

// queue is an unbounded first-in-first-out queue of items. The holder of the
// slot's lock may touch it.
type queue struct {
	head, tail *chunk
	chunks     int    // from head to tail
	dead       int    // an upper bound of the items in the chunks that are not live
	spare      *chunk // empty chunks to use again, linked
	spares     int
}

// While the loop runs, emptied chunks are kept for the submitters: a burst would
// else be paid in garbage. When the slot falls idle only a few are left, enough
// for the chunk that is read and the one that is written to take turns.
const (
	busySpares = 4096
	idleSpares = 4
)

func (q *queue) push(it item) *chunk {
	c := q.tail
	if c == nil || c.n == chunkSize {
		c = q.grow()
	}
	c.items[c.n] = it
	c.n++
	return c
}

func (q *queue) grow() *chunk {
	c := q.spare
	if c != nil {
		q.spare, c.next = c.next, nil
		q.spares--
	} else {
		c = new(chunk)
	}
	if q.tail == nil {
		q.head = c
	} else {
		q.tail.next = c
	}
	q.tail = c
	q.chunks++
	return c
}

// take removes up to n chunks from the front and returns them, linked.
func (q *queue) take(n int) *chunk {
	first := q.head
	if first == nil {
		return nil
	}
	last := first
	q.chunks--
	for ; n > 1 && last.next != nil; n-- {
		last = last.next
		q.chunks--
	}
	q.head, last.next = last.next, nil
	if q.head == nil {
		q.tail = nil
		q.dead = 0
	}
	return first
}

// takeDirect removes the first direct task without a due time, if it has one among the first
// chunkSize items.
func (q *queue) takeDirect() (it item, ok bool) {
	c := q.head
	if c == nil {
		return item{}, false
	}
	for i, it := range c.items[:c.n] {
		if it.worker() != nil || it.h != nil && (it.h.timed != nil || !it.live()) {
			continue
		}
		copy(c.items[i:c.n], c.items[i+1:c.n])
		if c.stamps != nil {
			copy(c.stamps[i:c.n], c.stamps[i+1:c.n])
		}
		c.n--
		c.items[c.n] = item{}
		if c.n == 0 { // the loop relies on chunks with something in them
			q.take(1)
			c.next = nil
			q.recycle(c, c, 1)
		}
		return it, true
	}
	return item{}, false
}

// recycle keeps linked chunks, whose items have been cleared, for later.
func (q *queue) recycle(first, last *chunk, n int) {
	if first == nil || q.spares >= busySpares {
		return
	}
	last.next, q.spare = q.spare, first
	q.spares += n
}

// trim lets go of most spare chunks.
func (q *queue) trim() {
	for q.spares > idleSpares {
		q.spare = q.spare.next
		q.spares--
	}
}

// noteCancelled notes that n items will not run. Once they are half of the queue it is
// rewritten without them, so that withdrawn tasks can't pile up behind a task that
// takes long; the cost per withdrawn task stays constant. It returns the number of
// periodic tasks that vanished with their worker.
func (q *queue) noteCancelled(n int) (series int) {
	q.dead += n
	if q.dead < chunkSize || q.dead < q.chunks*chunkSize/2 {
		return 0
	}
	c := q.head
	q.head, q.tail, q.chunks, q.dead = nil, nil, 0, 0
	for c != nil {
		for i, it := range c.items[:c.n] {
			if it.live() {
				var at int64
				if c.stamps != nil {
					at = c.stamps[i]
				}
				q.push(it).stamp(at)
				continue
			}
			// No loop will meet the task, so its end is noted here: whoever disposes it later must not count it.
			if h := it.handle(); h != nil && h.state.CompareAndSwap(stateQueued, stateCancelled) {
				h.fn = nil
				if h.periodic() {
					series++
				}
			}
		}
		c = c.next // the old chunks are left to the garbage collector
	}
	return series
}

// drop empties the queue and returns how many live items it had, and how many of them were direct. Their
// handles are withdrawn.
func (q *queue) drop() (live, direct int) {
	for c := q.head; c != nil; c = c.next {
		for _, it := range c.items[:c.n] {
			if !it.live() {
				continue
			}
			live++
			if it.worker() == nil {
				direct++
			}
			if h := it.handle(); h != nil {
				h.state.Store(stateCancelled)
				h.fn = nil
			}
		}
	}
	*q = queue{}
	return live, direct
}
