package executors

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// segments is a queue in pieces of equal size, first in, first out. It grows by a piece
// at a time, so that nothing is copied, and some pieces that were used up are kept for the
// next time.
//
// Everything happens under the lock of the pool, except claim, by which workers that
// come from a task take the next one without it. Who does more than add a task shuts
// the gate first, by freeze, and then finds the queue standing still; thaw opens it
// again.
//
// A task with a handle knows its position (in the Due of its node), so that it can be
// taken out at once; it leaves a hole. The gate stays shut while there are holes, so
// that claim never meets one.
type segments struct {
	capacity int
	timed    bool       // somebody measures; immutable
	holes    int        // pool.mu
	seen     int64      // the head, as far as takers were counted; pool.mu
	dir      []*segment // those in use, by their number modulo its length, a power of two; pool.mu
	low      int64      // the number of the first one that may be in dir; pool.mu
	back     *segment   // of the last task; pool.mu
	spare    *segment   // used up, to be used again, linked; pool.mu
	spares   int        // how many; pool.mu

	_     [64]byte                // what changes seldom, and is read by all
	front atomic.Pointer[segment] // of the head or before it; written under pool.mu
	_     [56]byte                // what takers write
	head  atomic.Uint64           // twice the position of the next task, and 1 if the gate is shut
	_     [56]byte                // what givers write
	tail  atomic.Int64            // position behind the last task; written under pool.mu
	_     [56]byte
}

const (
	segmentBits = 7
	segmentSize = 1 << segmentBits
	gateShut    = 1

	// maxSpares is how many pieces are kept that were used up: 200 kB for a backlog of 8,192 tasks that
	// comes and goes, which would else be paid in garbage.
	maxSpares = 64
)

// segment is a piece of the queue.
type segment struct {
	base  atomic.Int64 // position of its first place; written under pool.mu
	cells [segmentSize]cell
	times *[segmentSize]int64 // when they were accepted, if somebody measures
	next  *segment            // of the spare ones; pool.mu
	left  atomic.Int32        // places that are not taken and emptied; away from what all takers read
}

// cell is an entry in half the space: what waits by the million is written to memory that
// is not in a cache, and is looked through by the garbage collector.
type cell struct {
	fn Task
	of any // its context, nil for the background; or its handle, then there is no fn
}

func (c *cell) empty() bool { return c.fn == nil && c.of == nil }

func (c *cell) handle() *Handle {
	h, _ := c.of.(*Handle)
	return h
}

// claimed is what claim has to say.
type claimed uint8

const (
	claimedTask   claimed = iota
	claimedNone           // the queue is empty
	claimedLocked         // it takes the lock to know
)

// claim takes the first task without the lock of the pool. known is a tail that the
// taker has seen: as long as there are tasks before it, those who give are left alone.
func (q *segments) claim(known *int64) (e entry, c claimed) {
	for {
		h := q.head.Load()
		at := int64(h >> 1)
		switch {
		case h&gateShut != 0:
			return entry{}, claimedLocked
		case at >= *known:
			if *known = q.tail.Load(); at >= *known {
				return entry{}, claimedNone
			}
		}
		// A piece with this position in it is the right one as long as nobody has
		// taken that: until then it can't be used anew.
		s := q.front.Load()
		i := uint64(at - s.base.Load())
		if i >= segmentSize {
			return entry{}, claimedLocked
		}
		chaos.Yield()
		if q.head.CompareAndSwap(h, h+2) {
			chaos.Yield()
			return s.empty(i), claimedTask
		}
	}
}

// some reports whether there is a task.
func (q *segments) some() bool { return int64(q.head.Load()>>1) < q.tail.Load() }

// freeze shuts the gate, and returns how many tasks were claimed since it was last shut.
func (q *segments) freeze() (taken uint64) {
	at := int64(q.head.Or(gateShut) >> 1)
	taken = uint64(at - q.seen)
	q.seen = at
	return taken
}

// thaw opens the gate.
func (q *segments) thaw() {
	if q.holes == 0 {
		q.head.And(^uint64(gateShut))
	}
}

// empty takes the task out of a place that its caller has claimed.
func (s *segment) empty(i uint64) entry {
	e := s.entry(i)
	s.cells[i] = cell{}
	s.left.Add(-1)
	return e
}

// entry is what is in a place.
func (s *segment) entry(i uint64) entry {
	c := &s.cells[i]
	e := entry{fn: c.fn}
	switch of := c.of.(type) {
	case nil:
		if c.fn != nil {
			e.ctx = context.Background()
		}
	case *Handle:
		e.h = of
	default:
		e.ctx = of.(context.Context)
	}
	if s.times != nil {
		e.at = s.times[i]
	}
	return e
}

// put puts an entry into a place.
func (s *segment) put(i uint64, e *entry) {
	c := &s.cells[i]
	switch {
	case e.h != nil:
		c.of = e.h
	case e.ctx != context.Background():
		c.of = e.ctx
	}
	c.fn = e.fn
	if s.times != nil {
		s.times[i] = e.at
	}
}

// at is the position of the head.
func (q *segments) at() int64 { return int64(q.head.Load() >> 1) }

func (q *segments) len() int { return int(q.tail.Load()-q.at()) - q.holes }

// segment is that of a position in use.
func (q *segments) segment(at int64) *segment {
	return q.dir[at>>segmentBits&int64(len(q.dir)-1)]
}

func (q *segments) cell(at int64) *cell { return &q.segment(at).cells[at%segmentSize] }

func (q *segments) offer(e entry) bool {
	if q.capacity != Unlimited && q.len() >= q.capacity { // the takers' side is left alone
		return false
	}
	at := q.tail.Load()
	if at%segmentSize == 0 {
		q.extend(at)
	}
	if e.h != nil {
		e.h.node.Due = at
	}
	q.back.put(uint64(at%segmentSize), &e)
	q.tail.Store(at + 1)
	return true
}

// extend adds a piece that begins with position at.
func (q *segments) extend(at int64) {
	head := q.at()
	for mask := int64(len(q.dir) - 1); q.low < head>>segmentBits; q.low++ {
		s := q.dir[q.low&mask]
		if q.spares < maxSpares && s.left.Load() == 0 {
			s.next, q.spare = q.spare, s
			q.spares++
		}
		q.dir[q.low&mask] = nil
	}
	n := at >> segmentBits
	if int(n-q.low) == len(q.dir) {
		dir := make([]*segment, max(2, 2*len(q.dir)))
		for i := q.low; i < n; i++ {
			dir[i&int64(len(dir)-1)] = q.segment(i << segmentBits)
		}
		q.dir = dir
	}
	s := q.spare
	if s != nil {
		q.spare, s.next = s.next, nil
		q.spares--
	} else {
		s = new(segment)
		if q.timed {
			s.times = new([segmentSize]int64)
		}
	}
	s.left.Store(segmentSize)
	s.base.Store(at)
	q.dir[n&int64(len(q.dir)-1)], q.back = s, s
	if head == at {
		q.front.Store(s)
	}
}

// next takes the first place, a hole or not.
func (q *segments) next() (e entry, ok bool) {
	for {
		h := q.head.Load()
		at := int64(h >> 1)
		if at == q.tail.Load() {
			return entry{}, false
		}
		s := q.segment(at)
		if q.front.Load() != s {
			q.front.Store(s)
		}
		chaos.Yield()
		if q.head.CompareAndSwap(h, h+2) { // the gate need not be shut
			q.seen++
			return s.empty(uint64(at % segmentSize)), true
		}
	}
}

func (q *segments) poll(int64) (entry, bool) {
	for {
		e, ok := q.next()
		if !ok || !e.empty() {
			return e, ok
		}
		q.holes--
	}
}

// take takes the task at a position out. The gate is shut.
func (q *segments) take(at int64) entry {
	if at == q.at() {
		e, _ := q.next()
		return e
	}
	s, i := q.segment(at), uint64(at%segmentSize)
	e := s.entry(i)
	s.cells[i] = cell{}
	q.holes++
	return e
}

func (q *segments) dropOldest() (entry, bool) {
	at, tail := q.at(), q.tail.Load()
	for ; at < tail && q.cell(at).empty(); at++ {
		q.next() // each hole is looked at once, not by every drop
		q.holes--
	}
	for ; at < tail; at++ {
		if c := q.cell(at); !c.empty() && (c.fn != nil || !c.handle().essential) {
			return q.take(at), true
		}
	}
	return entry{}, false
}

func (q *segments) remove(h *Handle) bool {
	at := h.node.Due
	if at < q.at() || at >= q.tail.Load() || q.cell(at).handle() != h {
		return false
	}
	q.take(at)
	return true
}

func (q *segments) drain() []entry {
	list := make([]entry, 0, q.len())
	for e, ok := q.poll(0); ok; e, ok = q.poll(0) {
		list = append(list, e)
	}
	return list
}
