package timers

import (
	"math"
	"math/bits"
)

const (
	tickBits   = 20 // a tick is 2^20 ns, about a millisecond
	levelBits  = 6
	blockSize  = 1 << levelBits // ticks in a block of level 0, blocks of a level in one of the next
	levelSize  = 2 * blockSize  // buckets of a level: for the present block and the one after it
	levels     = (63 - tickBits + levelBits - 1) / levelBits
	firstPlace = -1 // Node.index of a node in bucket 0; further ones go down
	// portion is how many nodes may be left to be taken down at once.
	portion = 128
)

// wheel keeps nodes of the future in buckets: lists without an order. Level 0 has a
// bucket for each tick of the present block of 64 ticks and of the next one, level 1 a
// bucket for each further such block in the present block of 64 blocks and the next one,
// and so on. A node lies on the lowest level that has a bucket for it.
//
// When the present reaches a block, the nodes in its bucket have to be on the level
// below. They are taken there little by little while the block before it passes: where
// many nodes wait, that would hold up what is due by milliseconds if it was done at once.
type wheel[T any] struct {
	at      int64 // the present tick; never behind a bucket in use
	n       int
	used    [levels][2]uint64 // bit i says whether bucket i of the level has nodes
	sizes   [levels][levelSize]int32
	buckets [levels][levelSize]*Node[T]
}

// put adds n unless its tick has come.
func (w *wheel[T]) put(n *Node[T]) bool {
	tick := n.Due >> tickBits
	if tick <= w.at {
		return false
	}
	level := (bits.Len64(uint64(tick-w.at)) - 1) / levelBits
	if level > 0 && tick>>(level*levelBits)-w.at>>(level*levelBits) <= 1 {
		level-- // a shorter way than a block of its level, and in the next one of the level below
	}
	i := tick >> (level * levelBits) & (levelSize - 1)
	head := &w.buckets[level][i]
	n.before, n.after = nil, *head
	if *head != nil {
		(*head).before = n
	}
	*head = n
	n.index = firstPlace - int32(level*levelSize) - int32(i)
	w.sizes[level][i]++
	w.used[level][i/64] |= 1 << (i % 64)
	w.n++
	return true
}

// remove takes n out.
func (w *wheel[T]) remove(n *Node[T]) {
	w.n--
	place := firstPlace - n.index
	level, i := place/levelSize, place%levelSize
	w.sizes[level][i]--
	if n.after != nil {
		n.after.before = n.before
	}
	if n.before != nil {
		n.before.after = n.after
	} else if w.buckets[level][i] = n.after; n.after == nil {
		w.used[level][i/64] &^= 1 << (i % 64)
	}
	n.before, n.after, n.index = nil, nil, outside
}

// earliest returns the number of the earliest bucket of a level, and false if none is in
// use. A number is that of a tick, or of what takes the place of one on the level.
func (w *wheel[T]) earliest(level int) (number int64, ok bool) {
	low, high := w.used[level][0], w.used[level][1]
	if low|high == 0 {
		return 0, false
	}
	present := w.at >> (level * levelBits)
	from := int(present & (levelSize - 1))
	if from >= 64 {
		low, high = high, low
	}
	// The buckets that are ahead are those from the present one on, around the ring.
	if ahead := low >> (from % 64); ahead != 0 {
		return present + int64(bits.TrailingZeros64(ahead)), true
	}
	if high != 0 {
		return present + int64(64-from%64+bits.TrailingZeros64(high)), true
	}
	return present + int64(levelSize-from%64+bits.TrailingZeros64(low)), true
}

// first returns the bucket that has to be emptied first, and its first tick. There must
// be one.
func (w *wheel[T]) first() (level int, number, start int64) {
	start = math.MaxInt64
	for l := levels - 1; l >= 0; l-- { // what comes from above comes before what is below
		if i, ok := w.earliest(l); ok && i<<(l*levelBits) < start {
			level, number, start = l, i, i<<(l*levelBits)
		}
	}
	return level, number, start
}

// descending returns how many nodes of a level are to be taken down in the meantime, the
// bucket they are in, and in how many ticks they have to be there.
func (w *wheel[T]) descending(level int) (nodes int, bucket, left int64) {
	number := w.at>>(level*levelBits) + 1
	bucket = number & (levelSize - 1)
	return int(w.sizes[level][bucket]), bucket, number<<(level*levelBits) - w.at
}

// next returns when to turn the wheel next. It must have nodes.
func (w *wheel[T]) next() int64 {
	_, _, start := w.first()
	for level := 1; level < levels; level++ {
		number, ok := w.earliest(level)
		nodes := int64(w.sizes[level][number&(levelSize-1)])
		if !ok || nodes <= portion {
			continue
		}
		if before := (number - 1) << (level * levelBits); before > w.at {
			start = min(start, before) // where they begin to be taken down
		} else {
			left := number<<(level*levelBits) - w.at
			start = min(start, w.at+max(1, left*portion/nodes))
		}
	}
	return start << tickBits
}

// turn moves the present towards now. If it comes to a bucket that has to be emptied it
// stops at its beginning and returns the nodes, linked by after, which must all be put in
// again or kept elsewhere; else it returns nil. On its way it takes some nodes down.
func (w *wheel[T]) turn(now int64) *Node[T] {
	tick := now >> tickBits
	if w.n == 0 {
		return nil
	}
	level, number, start := w.first()
	if start > tick {
		w.pass(tick)
		return nil
	}
	w.pass(start)
	i := number & (levelSize - 1)
	list := w.buckets[level][i]
	w.buckets[level][i] = nil
	w.n -= int(w.sizes[level][i])
	w.sizes[level][i] = 0
	w.used[level][i/64] &^= 1 << (i % 64)
	return list
}

// pass moves the present to tick, if it is not there; no bucket has to be emptied before.
// Of the nodes that have to be on the level below later, it takes as large a part there as
// of the time until then has passed.
func (w *wheel[T]) pass(tick int64) {
	passed := tick - w.at
	if passed <= 0 {
		return
	}
	for level := 1; level < levels; level++ {
		nodes, bucket, left := w.descending(level)
		if nodes == 0 || passed >= left {
			continue
		}
		for range (int64(nodes)*passed + left - 1) / left {
			n := w.buckets[level][bucket]
			w.remove(n)
			w.put(n)
		}
	}
	w.at = tick
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
