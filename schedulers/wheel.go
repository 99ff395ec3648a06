package schedulers

import "math/bits"

const (
	tickBits   = 20 // a tick is 2^20 ns, about a millisecond
	levelBits  = 6
	levelSize  = 1 << levelBits
	levels     = (63 - tickBits + levelBits - 1) / levelBits
	firstPlace = -2 // handle.index of a task in bucket 0; further ones go down
)

// wheel keeps timed tasks of the future in buckets: lists without an order. Level
// 0 has a bucket for each tick that shares all but the last six bits of its number
// with the present tick, level 1 one for each 64 ticks that share all but the last
// twelve, and so on. A task lies on the level of the highest bit in which its tick
// differs from the present one, so every bucket in use is ahead of the present,
// and those of a lower level come before those of a higher one.
type wheel struct {
	at      int64 // the present tick; never behind a bucket in use
	n       int
	used    [levels]uint64 // bit i says whether bucket i of the level has tasks
	buckets [levels][levelSize]*timedHandle
}

// put adds h unless its tick has come.
func (w *wheel) put(h *timedHandle) bool {
	tick := h.due >> tickBits
	if tick <= w.at {
		return false
	}
	level := (bits.Len64(uint64(tick^w.at)) - 1) / levelBits
	i := tick >> (level * levelBits) & (levelSize - 1)
	head := &w.buckets[level][i]
	h.before, h.after = nil, *head
	if *head != nil {
		(*head).before = h
	}
	*head = h
	h.index = firstPlace - int32(level*levelSize) - int32(i)
	w.used[level] |= 1 << i
	w.n++
	return true
}

// remove takes h out.
func (w *wheel) remove(h *timedHandle) {
	w.n--
	if h.after != nil {
		h.after.before = h.before
	}
	if h.before != nil {
		h.before.after = h.after
	} else {
		place := firstPlace - h.index
		level, i := place/levelSize, place%levelSize
		if w.buckets[level][i] = h.after; h.after == nil {
			w.used[level] &^= 1 << i
		}
	}
	h.before, h.after, h.index = nil, nil, outside
}

// first returns the earliest bucket in use and its first tick. There must be one.
func (w *wheel) first() (level, i int, start int64) {
	for w.used[level] == 0 {
		level++
	}
	i = bits.TrailingZeros64(w.used[level])
	shift := level * levelBits
	return level, i, (w.at>>(shift+levelBits)<<levelBits | int64(i)) << shift
}

// next returns when the earliest bucket begins. There must be one.
func (w *wheel) next() int64 {
	_, _, start := w.first()
	return start << tickBits
}

// turn moves the present towards now. If it comes to a bucket in use it stops at
// its beginning and returns the tasks, linked by after, which must all be put in
// again or kept elsewhere; else it returns nil.
func (w *wheel) turn(now int64) *timedHandle {
	tick := now >> tickBits
	if w.n == 0 {
		return nil
	}
	level, i, start := w.first()
	if start > tick {
		w.at = max(w.at, tick)
		return nil
	}
	w.at = start
	list := w.buckets[level][i]
	w.buckets[level][i] = nil
	w.used[level] &^= 1 << i
	for h := list; h != nil; h = h.after {
		w.n--
	}
	return list
}

// appendTo appends the tasks in the wheel to list.
func (w *wheel) appendTo(list []*timedHandle) []*timedHandle {
	for level := range w.buckets {
		for _, h := range w.buckets[level] {
			for ; h != nil; h = h.after {
				list = append(list, h)
			}
		}
	}
	return list
}
