package timers

import "math/bits"

const (
	tickBits   = 20 // a tick is 2^20 ns, about a millisecond
	levelBits  = 6
	levelSize  = 1 << levelBits
	levels     = (63 - tickBits + levelBits - 1) / levelBits
	firstPlace = -1 // Node.index of a node in bucket 0; further ones go down
)

// wheel keeps nodes of the future in buckets: lists without an order. Level
// 0 has a bucket for each tick that shares all but the last six bits of its number
// with the present tick, level 1 one for each 64 ticks that share all but the last
// twelve, and so on. A node lies on the level of the highest bit in which its tick
// differs from the present one, so every bucket in use is ahead of the present,
// and those of a lower level come before those of a higher one.
type wheel[T any] struct {
	at      int64 // the present tick; never behind a bucket in use
	n       int
	used    [levels]uint64 // bit i says whether bucket i of the level has nodes
	buckets [levels][levelSize]*Node[T]
}

// put adds n unless its tick has come.
func (w *wheel[T]) put(n *Node[T]) bool {
	tick := n.Due >> tickBits
	if tick <= w.at {
		return false
	}
	level := (bits.Len64(uint64(tick^w.at)) - 1) / levelBits
	i := tick >> (level * levelBits) & (levelSize - 1)
	head := &w.buckets[level][i]
	n.before, n.after = nil, *head
	if *head != nil {
		(*head).before = n
	}
	*head = n
	n.index = firstPlace - int32(level*levelSize) - int32(i)
	w.used[level] |= 1 << i
	w.n++
	return true
}

// remove takes n out.
func (w *wheel[T]) remove(n *Node[T]) {
	w.n--
	if n.after != nil {
		n.after.before = n.before
	}
	if n.before != nil {
		n.before.after = n.after
	} else {
		place := firstPlace - n.index
		level, i := place/levelSize, place%levelSize
		if w.buckets[level][i] = n.after; n.after == nil {
			w.used[level] &^= 1 << i
		}
	}
	n.before, n.after, n.index = nil, nil, outside
}

// first returns the earliest bucket in use and its first tick. There must be one.
func (w *wheel[T]) first() (level, i int, start int64) {
	for w.used[level] == 0 {
		level++
	}
	i = bits.TrailingZeros64(w.used[level])
	shift := level * levelBits
	return level, i, (w.at>>(shift+levelBits)<<levelBits | int64(i)) << shift
}

// next returns when the earliest bucket begins. There must be one.
func (w *wheel[T]) next() int64 {
	_, _, start := w.first()
	return start << tickBits
}

// turn moves the present towards now. If it comes to a bucket in use it stops at
// its beginning and returns the nodes, linked by after, which must all be put in
// again or kept elsewhere; else it returns nil.
func (w *wheel[T]) turn(now int64) *Node[T] {
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
	for n := list; n != nil; n = n.after {
		w.n--
	}
	return list
}

// appendTo appends the nodes in the wheel to list.
func (w *wheel[T]) appendTo(list []*Node[T]) []*Node[T] {
	for level := range w.buckets {
		for _, n := range w.buckets[level] {
			for ; n != nil; n = n.after {
				list = append(list, n)
			}
		}
	}
	return list
}
