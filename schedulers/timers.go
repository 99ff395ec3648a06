package schedulers

import "math"

// timers holds the timed tasks of a slot. The holder of the slot's lock may touch
// it.
//
// The tasks that are due next are in a heap, ordered by (due, seq); it has four
// children per node, which is shallower than two and touches fewer cache lines.
// Beyond a handful, tasks of the farther future wait in a wheel (wheel.go), which
// takes them and lets them go at a constant cost, and hands them to the heap when
// their millisecond has come. Every task in the wheel is due after every task
// that left it, so the heap alone decides the order.
type timers struct {
	heap  []timer
	wheel *wheel // made when it is first needed
	n     int    // tasks in both
	seq   uint64 // number of the latest task
}

type timer struct {
	due int64
	h   *timedHandle
}

// handful is how many tasks the heap takes before the wheel is used.
const handful = 64

// outside is the index of a handle that is in neither. Indices of the heap are not
// negative, places in the wheel are less than outside.
const outside int32 = -1

func (a timer) less(b timer) bool {
	return a.due < b.due || a.due == b.due && a.h.seq < b.h.seq
}

// push adds h, which has its due time.
func (t *timers) push(h *timedHandle, now int64) {
	t.seq++
	h.seq = t.seq
	t.n++
	if len(t.heap) < handful {
		t.toHeap(h)
		return
	}
	if t.wheel == nil {
		t.wheel = new(wheel)
	}
	if t.wheel.n == 0 {
		t.wheel.at = now >> tickBits
	}
	t.place(h)
}

// place puts h into the wheel, or into the heap if its tick has come.
func (t *timers) place(h *timedHandle) {
	if !t.wheel.put(h) {
		t.toHeap(h)
	}
}

func (t *timers) toHeap(h *timedHandle) {
	t.heap = append(t.heap, timer{})
	t.up(len(t.heap)-1, timer{h.due, h})
}

// overdue returns the first task if it is due at now, else nil.
func (t *timers) overdue(now int64) *timedHandle {
	if t.wheel != nil && t.wheel.n > 0 {
		for h := t.wheel.turn(now); h != nil; {
			next := h.after
			t.place(h)
			if h = next; h == nil {
				h = t.wheel.turn(now)
			}
		}
	}
	if len(t.heap) == 0 || t.heap[0].due > now {
		return nil
	}
	return t.heap[0].h
}

// wakeAt returns the next time to look; there must be tasks.
func (t *timers) wakeAt() int64 {
	at := int64(math.MaxInt64)
	if len(t.heap) > 0 {
		at = t.heap[0].due
	}
	if t.wheel != nil && t.wheel.n > 0 {
		at = min(at, t.wheel.next())
	}
	return at
}

// remove takes h out, which must be in.
func (t *timers) remove(h *timedHandle) {
	t.n--
	if h.index < outside {
		t.wheel.remove(h)
		return
	}
	i, last := int(h.index), len(t.heap)-1
	moved := t.heap[last]
	t.heap[last] = timer{}
	t.heap = t.heap[:last]
	h.index = outside
	if i < last && !t.up(i, moved) {
		t.down(i, moved)
	}
	if cap(t.heap) > 16*handful && last < cap(t.heap)/4 {
		t.heap = append(make([]timer, 0, cap(t.heap)/2), t.heap...)
	}
}

// all returns the tasks, in no order.
func (t *timers) all() []*timedHandle {
	list := make([]*timedHandle, 0, t.n)
	for _, e := range t.heap {
		list = append(list, e.h)
	}
	if t.wheel != nil {
		list = t.wheel.appendTo(list)
	}
	return list
}

// up puts e at index i or above and reports whether it moved.
func (t *timers) up(i int, e timer) (moved bool) {
	for i > 0 {
		parent := (i - 1) / 4
		if !e.less(t.heap[parent]) {
			break
		}
		t.set(i, t.heap[parent])
		i, moved = parent, true
	}
	t.set(i, e)
	return moved
}

// down puts e at index i or below.
func (t *timers) down(i int, e timer) {
	for n := len(t.heap); ; {
		first := 4*i + 1
		if first >= n {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, n); c++ {
			if t.heap[c].less(t.heap[least]) {
				least = c
			}
		}
		if !t.heap[least].less(e) {
			break
		}
		t.set(i, t.heap[least])
		i = least
	}
	t.set(i, e)
}

func (t *timers) set(i int, e timer) {
	t.heap[i] = e
	e.h.index = int32(i)
}
