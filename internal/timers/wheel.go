package timers

import (
	"math"
	"math/bits"
)

const (
	tickBits  = 20 // a tick is 2^20 ns, about a millisecond
	levelBits = 6
	blockSize = 1 << levelBits // ticks in a block of level 0, blocks of a level in one of the next
	levelSize = 2 * blockSize  // buckets of a level: for the present block and the one after it
	levels    = (63 - tickBits + levelBits - 1) / levelBits
	// portion is how many nodes may be left to be taken down at once.
	portion = 128
)

// wheel keeps nodes of the future in buckets without an order. Level 0 has a
// bucket for each tick of the present block of 64 ticks and of the next one, level 1 a
// bucket for each further such block in the present block of 64 blocks and the next one,
// and so on. A node lies on the lowest level that has a bucket for it.
//
// When the present reaches a block, the nodes in its bucket have to be on the level
// below. They are taken there little by little while the block before it passes: where
// many nodes wait, that would hold up what is due by milliseconds if it was done at once.
//
// A bucket is a list of chunks, which hold pointers to the nodes. A node knows its place in
// them, so that who takes it out touches no other node: where a million wait, each one is
// memory that no cache holds.
type wheel struct {
	at      int64 // the present tick; never behind a bucket in use
	n       int
	used    [levels][2]uint64 // bit i says whether bucket i of the level has nodes
	sizes   [levels][levelSize]int32
	buckets [levels][levelSize]uint32 // the first chunk, or 0

	chunks []*chunk // by their numbers, which begin with 1
	spare  []uint32 // the numbers of those that are empty
	gone   []uint32 // numbers without a chunk
}

// chunkSize is how many nodes are in a chunk, which makes it 256 bytes; their places have
// room for 32.
const (
	chunkSize = 30
	chunkBits = 5
)

// chunk is a part of a bucket. It has nodes.
type chunk struct {
	nodes         [chunkSize]*Node // those below filled, nil for one that was taken out
	before, after uint32           // its neighbours in the bucket, 0 for none
	bucket        uint16           // level*levelSize + the number of the bucket
	filled, n     uint8
}

// put adds n unless its tick has come.
func (w *wheel) put(n *Node) bool {
	tick := n.Due >> tickBits
	if tick <= w.at {
		return false
	}
	level := (bits.Len64(uint64(tick-w.at)) - 1) / levelBits
	if level > 0 && tick>>(level*levelBits)-w.at>>(level*levelBits) <= 1 {
		level-- // a shorter way than a block of its level, and in the next one of the level below
	}
	i := tick >> (level * levelBits) & (levelSize - 1)
	first := &w.buckets[level][i]
	var c *chunk
	if *first != 0 {
		c = w.chunks[*first]
	}
	if c == nil || c.filled == chunkSize {
		c = w.add(first)
		c.bucket = uint16(level*levelSize) + uint16(i)
	}
	c.nodes[c.filled] = n
	n.index = -int32(*first<<chunkBits | uint32(c.filled))
	c.filled++
	c.n++
	w.sizes[level][i]++
	w.used[level][i/64] |= 1 << (i % 64)
	w.n++
	return true
}

// add puts a chunk in front of a bucket.
func (w *wheel) add(first *uint32) *chunk {
	var number uint32
	if last := len(w.spare) - 1; last >= 0 {
		number, w.spare = w.spare[last], w.spare[:last]
	} else {
		if last := len(w.gone) - 1; last >= 0 {
			number, w.gone = w.gone[last], w.gone[:last]
		} else {
			number = max(1, uint32(len(w.chunks)))
			w.chunks = append(w.chunks, make([]*chunk, number+1-uint32(len(w.chunks)))...)
		}
		w.chunks[number] = new(chunk)
	}
	c := w.chunks[number]
	if c.after = *first; c.after != 0 {
		w.chunks[c.after].before = number
	}
	*first = number
	return c
}

// remove takes n out.
func (w *wheel) remove(n *Node) {
	number := uint32(-n.index) >> chunkBits
	c, i := w.chunks[number], uint8(-n.index)&(1<<chunkBits-1)
	n.index = outside
	c.nodes[i] = nil
	if c.n--; i+1 == c.filled {
		c.filled--
	}
	w.n--
	level, b := c.bucket/levelSize, c.bucket%levelSize
	if w.sizes[level][b]--; w.sizes[level][b] == 0 {
		w.used[level][b/64] &^= 1 << (b % 64)
	}
	if c.n > 0 {
		return
	}
	if c.after != 0 {
		w.chunks[c.after].before = c.before
	}
	if c.before != 0 {
		w.chunks[c.before].after = c.after
	} else {
		w.buckets[level][b] = c.after
	}
	w.discard(number)
}

// discard keeps a chunk that is in no bucket any more for later. Of those that are kept beyond
// a quarter of what is in use it gives two away, so that they become fewer with what waits.
func (w *wheel) discard(number uint32) {
	c := w.chunks[number]
	clear(c.nodes[:c.filled])
	c.before, c.after, c.filled, c.n = 0, 0, 0, 0
	w.spare = append(w.spare, number)
	for range 2 {
		last := len(w.spare) - 1
		if used := len(w.chunks) - len(w.spare) - len(w.gone); last < 4 || last < used/4 {
			return
		}
		w.gone = append(w.gone, w.spare[last])
		w.chunks[w.spare[last]] = nil
		w.spare = w.spare[:last]
	}
}

// last returns a node of a bucket that has some.
func (w *wheel) last(level int, bucket int64) *Node {
	c := w.chunks[w.buckets[level][bucket]]
	for c.nodes[c.filled-1] == nil {
		c.filled--
	}
	return c.nodes[c.filled-1]
}

// earliest returns the number of the earliest bucket of a level, and false if none is in
// use. A number is that of a tick, or of what takes the place of one on the level.
func (w *wheel) earliest(level int) (number int64, ok bool) {
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
func (w *wheel) first() (level int, number, start int64) {
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
func (w *wheel) descending(level int) (nodes int, bucket, left int64) {
	number := w.at>>(level*levelBits) + 1
	bucket = number & (levelSize - 1)
	return int(w.sizes[level][bucket]), bucket, number<<(level*levelBits) - w.at
}

// next returns when to turn the wheel next. It must have nodes.
func (w *wheel) next() int64 {
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
// stops at its beginning, takes all out, and returns the first chunk, else 0. The nodes must
// all be put in again or kept elsewhere, and then the chunks be discarded. On its way it takes
// some nodes down.
func (w *wheel) turn(now int64) uint32 {
	tick := now >> tickBits
	if w.n == 0 {
		return 0
	}
	level, number, start := w.first()
	if start > tick {
		w.pass(tick)
		return 0
	}
	w.pass(start)
	i := number & (levelSize - 1)
	first := w.buckets[level][i]
	w.buckets[level][i] = 0
	w.n -= int(w.sizes[level][i])
	w.sizes[level][i] = 0
	w.used[level][i/64] &^= 1 << (i % 64)
	return first
}

// pass moves the present to tick, if it is not there; no bucket has to be emptied before.
// Of the nodes that have to be on the level below later, it takes as large a part there as
// of the time until then has passed.
func (w *wheel) pass(tick int64) {
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
			n := w.last(level, bucket)
			w.remove(n)
			w.put(n)
		}
	}
	w.at = tick
}

// appendTo appends the nodes in the wheel to list.
func (w *wheel) appendTo(list []*Node) []*Node {
	for level := range w.buckets {
		for _, number := range w.buckets[level] {
			for number != 0 {
				c := w.chunks[number]
				for _, n := range c.nodes[:c.filled] {
					if n != nil {
						list = append(list, n)
					}
				}
				number = c.after
			}
		}
	}
	return list
}
