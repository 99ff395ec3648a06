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
	holes    int        // places between head and tail whose task was taken out; pool.mu
	firm     int64      // position before which nothing may be dropped; pool.mu
	seen     int64      // where the head was when freeze last counted what was claimed; pool.mu
	dir      []*segment // segments in use, at their number modulo the length of dir, a power of two; pool.mu
	low      int64      // the lowest number of a segment that may be in dir; pool.mu
	back     *segment   // of the last task; pool.mu
	spare    *segment   // used up, to be used again, linked; pool.mu
	spares   int        // how many are linked from spare; pool.mu

	_     [64]byte                // what changes seldom, and is read by all
	front atomic.Pointer[segment] // that of the head, or an earlier one; written under pool.mu, and by claim
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

	// maxSpares is how many pieces that were used up are kept, so that a backlog of 8,192 tasks that comes and goes
	// makes no garbage: 75 kB, or 200 kB with contexts. It is also how many pieces behind the head may wait until
	// their takers settle; then they are garbage.
	maxSpares = 64
)

// segment is a piece of the queue. Its tasks are written by one processor and read by another; a million of them are in no
// cache, and the garbage collector looks through all. So a task that has nothing but its function takes one
// word; the arrays for handles and contexts are made when the first task comes that has one.
type segment struct {
	base     atomic.Int64                                 // position of its first place; written under pool.mu
	handles  atomic.Pointer[[segmentSize]*Handle]         // of places without a function; set under pool.mu
	contexts atomic.Pointer[[segmentSize]context.Context] // other than the background; set under pool.mu
	after    atomic.Pointer[segment]                      // the following one; written under pool.mu
	tasks    [segmentSize]Task
	times    *[segmentSize]int64 // when they were accepted, if somebody measures
	next     *segment            // of the spare ones; pool.mu
	left     atomic.Int32        // places not yet known to be emptied; 0 lets the segment be used again; away from what all takers read
}

// taker is what a worker keeps of its claims. The worker's goroutine alone touches it.
type taker struct {
	known int64    // a tail that was seen: as long as there are tasks before it, claim need not read tail, which submitters write
	from  *segment // where the last task was claimed
	count int32    // how many were claimed in from and not yet taken off its left
}

// settle takes count off the left of the segment, all at once: if each claim did so, all takers would
// meet there. Only the reuse of the segment waits for it. The caller has emptied the places that it has claimed.
func (t *taker) settle() {
	if t.count > 0 {
		t.from.left.Add(-t.count)
		t.count = 0
	}
	t.from = nil
}

// took notes a task that was taken from s.
func (t *taker) took(s *segment) {
	if t.from != s {
		t.settle()
		t.from = s
	}
	t.count++
}

// claimed is what claim has to say.
type claimed uint8

const (
	claimedTask   claimed = iota
	claimedNone           // the queue is empty
	claimedLocked         // only under the lock can it be known
)

// claim claims the first task, on the goroutine of the worker that t belongs to, without the lock of the pool. That worker then
// takes the task out of its place, by plain or empty.
func (q *segments) claim(t *taker) (s *segment, place uint64, c claimed) {
	for {
		h := q.head.Load()
		at := int64(h >> 1)
		switch {
		case h&gateShut != 0:
			return nil, 0, claimedLocked
		case at >= t.known:
			if t.known = q.tail.Load(); at >= t.known {
				return nil, 0, claimedNone
			}
		}
		// If the head is still at this position when it is moved below, s was the right
		// segment: one in which a place is left is not used anew.
		s := q.front.Load()
		i := uint64(at - s.base.Load())
		if i >= segmentSize {
			// If s has been used anew in between, next is too far ahead: then the next claim asks for the lock, and next puts front right.
			if next := s.after.Load(); i == segmentSize && next != nil {
				chaos.Yield()
				q.front.CompareAndSwap(s, next)
				continue
			}
			return nil, 0, claimedLocked
		}
		chaos.Yield()
		if q.head.CompareAndSwap(h, h+2) {
			chaos.Yield()
			t.took(s)
			return s, i, claimedTask
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
	s.clear(i)
	return e
}

// plain is empty for a task that has nothing but its function. It returns nil, and leaves the task in its place, if the task has
// a handle or a context.
func (s *segment) plain(i uint64) Task {
	fn := s.tasks[i]
	if cs := s.contexts.Load(); cs != nil && cs[i] != nil {
		return nil
	}
	if fn != nil {
		s.tasks[i] = nil
	}
	return fn
}

// entry is what is in a place.
func (s *segment) entry(i uint64) entry {
	e := entry{fn: s.tasks[i]}
	if e.fn == nil {
		e.h = s.handle(i)
	} else if cs := s.contexts.Load(); cs != nil && cs[i] != nil {
		e.ctx = cs[i]
	} else {
		e.ctx = context.Background()
	}
	if s.times != nil {
		e.at = s.times[i]
	}
	return e
}

// handle is the handle that is in a place, nil if there is none.
func (s *segment) handle(i uint64) *Handle {
	hs := s.handles.Load()
	if hs == nil {
		return nil
	}
	return hs[i]
}

// hole reports whether nothing is in a place.
func (s *segment) hole(i uint64) bool { return s.tasks[i] == nil && s.handle(i) == nil }

// clear makes a place a hole.
func (s *segment) clear(i uint64) {
	if s.tasks[i] == nil {
		if hs := s.handles.Load(); hs != nil {
			hs[i] = nil
		}
		return
	}
	s.tasks[i] = nil
	if cs := s.contexts.Load(); cs != nil {
		cs[i] = nil
	}
}

// put puts an entry into a place. The caller holds pool.mu.
func (s *segment) put(i uint64, e *entry) {
	switch {
	case e.h != nil:
		hs := s.handles.Load()
		if hs == nil {
			hs = new([segmentSize]*Handle)
			s.handles.Store(hs)
		}
		hs[i] = e.h
	case e.ctx != context.Background():
		cs := s.contexts.Load()
		if cs == nil {
			cs = new([segmentSize]context.Context)
			s.contexts.Store(cs)
		}
		cs[i] = e.ctx
		fallthrough
	default:
		s.tasks[i] = e.fn
	}
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

// hole reports whether nothing is at a position in use.
func (q *segments) hole(at int64) bool { return q.segment(at).hole(uint64(at % segmentSize)) }

// handle is the handle at a position in use, nil if there is none.
func (q *segments) handle(at int64) *Handle { return q.segment(at).handle(uint64(at % segmentSize)) }

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

// push is offer for a task that has nothing but its function, where there is no limit and nobody measures.
func (q *segments) push(fn Task) {
	at := q.tail.Load()
	if at%segmentSize == 0 {
		q.extend(at)
	}
	q.back.tasks[at%segmentSize] = fn
	q.tail.Store(at + 1)
}

// extend adds a piece that begins with position at.
func (q *segments) extend(at int64) {
	head, n := q.at(), at>>segmentBits
	for mask := int64(len(q.dir) - 1); q.low < head>>segmentBits; q.low++ {
		s := q.dir[q.low&mask]
		used := s.left.Load() == 0
		if !used && head>>segmentBits-q.low < maxSpares {
			break // a taker is on the way, or has not settled yet
		}
		q.dir[q.low&mask] = nil
		s.after.Store(nil) // what keeps this one must not keep all that came after it
		if used && q.spares < maxSpares {
			s.next, q.spare = q.spare, s
			q.spares++
		}
	}
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
	if q.back != nil && q.back != s {
		q.back.after.Store(s)
	}
	q.dir[n&int64(len(q.dir)-1)], q.back = s, s
	if head == at {
		q.front.Store(s)
	}
}

// next takes the first place out, and returns what is in it: an empty entry if it is a hole. The caller holds pool.mu.
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
			e := s.empty(uint64(at % segmentSize))
			s.left.Add(-1)
			return e, true
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
	e := s.empty(i)
	q.holes++
	return e
}

func (q *segments) remove(h *Handle) bool {
	at := h.node.Due
	if at < q.at() || at >= q.tail.Load() || q.handle(at) != h {
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
