package timers

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drainTimers takes out all that is due.
func drainTimers(ts *Queue, now int64) (list []*Node) {
	for h := ts.Overdue(now); h != nil; h = ts.Overdue(now) {
		ts.Remove(h)
		list = append(list, h)
	}
	return list
}

// checkTimers looks at what must hold between any two calls.
func checkTimers(t *testing.T, ts *Queue) {
	t.Helper()
	require.Len(t, ts.All(), ts.n)
	for i, e := range ts.heap {
		require.EqualValues(t, i+1, e.n.index)
		require.Equal(t, e.due, e.n.Due)
		if i > 0 {
			require.False(t, e.less(ts.heap[(i-1)/4]))
		}
	}
	w := ts.wheel
	if w == nil {
		return
	}
	n, chunks := 0, 0
	for level := range w.buckets {
		for i, number := range w.buckets[level] {
			require.Equal(t, number != 0, w.used[level][i/64]>>(i%64)&1 == 1)
			size := n
			for before := uint32(0); number != 0; before, number = number, w.chunks[number].after {
				c := w.chunks[number]
				chunks++
				require.Equal(t, before, c.before)
				require.EqualValues(t, level*levelSize+i, c.bucket)
				inCrate := 0
				for at, h := range c.nodes {
					if h == nil {
						continue
					}
					inCrate++
					require.Less(t, at, int(c.filled))
					require.EqualValues(t, -h.index, number<<chunkBits|uint32(at))
					tick := h.Due >> tickBits
					require.Greater(t, tick, w.at)
					require.EqualValues(t, i, tick>>(level*levelBits)&(levelSize-1))
					block := func(tick int64) int64 { return tick >> ((level + 1) * levelBits) }
					require.LessOrEqual(t, block(tick)-block(w.at), int64(1))
				}
				require.Positive(t, inCrate)
				require.EqualValues(t, inCrate, c.n)
				n += inCrate
			}
			require.EqualValues(t, n-size, w.sizes[level][i])
		}
	}
	require.Equal(t, n, w.n)
	require.Equal(t, max(1, len(w.chunks)), 1+chunks+len(w.spare)+len(w.gone), "each number is somewhere")
	for _, number := range w.spare {
		require.Equal(t, chunk{bucket: w.chunks[number].bucket}, *w.chunks[number], "and holds nothing back")
	}
	for _, number := range w.gone {
		require.Nil(t, w.chunks[number])
	}
}

func TestTimersAgainstAModel(t *testing.T) {
	for _, span := range []time.Duration{100 * time.Nanosecond, time.Millisecond, time.Second, 100 * time.Hour, math.MaxInt64} {
		t.Run(span.String(), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(3, uint64(span)))
			var ts Queue
			var model []*Node
			now := int64(rnd.Uint64N(1 << 40))
			for step := range 3000 {
				switch rnd.IntN(10) {
				case 0: // the clock moves, by much or little
					d := rnd.Int64N(int64(span))
					if rnd.IntN(2) == 0 {
						d = rnd.Int64N(d/50 + 1)
					}
					now = Later(now, time.Duration(d))
					for _, h := range drainTimers(&ts, now) {
						require.NotEmpty(t, model)
						require.Same(t, model[0], h, "step %d", step)
						model = model[1:]
					}
					require.True(t, len(model) == 0 || model[0].Due > now)
				case 1, 2: // one is withdrawn
					if len(model) > 0 {
						i := rnd.IntN(len(model))
						ts.Remove(model[i])
						require.Equal(t, outside, model[i].index)
						model = slices.Delete(model, i, i+1)
					}
				default:
					h := &Node{Due: Later(now, time.Duration(1+rnd.Int64N(int64(span))))}
					ts.Push(h, now)
					at, _ := slices.BinarySearchFunc(model, h, func(a, b *Node) int {
						return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.seq, b.seq))
					})
					model = slices.Insert(model, at, h)
				}
				if len(model) > 0 {
					require.LessOrEqual(t, ts.WakeAt(), model[0].Due, "nobody sleeps too long")
					require.GreaterOrEqual(t, ts.WakeAt(), now>>tickBits<<tickBits, "nor for nothing")
				}
				if step%50 == 0 {
					checkTimers(t, &ts)
				}
			}
			got := drainTimers(&ts, math.MaxInt64)
			require.Equal(t, len(model), len(got))
			for i := range got {
				require.Same(t, model[i], got[i])
			}
			checkTimers(t, &ts)
			assert.Zero(t, ts.n)
		})
	}
}

// However many nodes a block has, none of the steps in time has to take many of them down.
func TestNodesComeDownLittleByLittle(t *testing.T) {
	const nodes = 20_000
	const tick, block = 1 << tickBits, 1 << (tickBits + levelBits)
	for _, start := range []int64{5 * block, 3 * 64 * block, 2 * 64 * 64 * block} {
		for name, step := range map[string]func(q *Queue, now int64) int64{
			"often":        func(_ *Queue, now int64) int64 { return now + max(tick, (start-now)/1000>>tickBits<<tickBits) },
			"when it asks": func(q *Queue, _ int64) int64 { return q.WakeAt() },
		} {
			var q Queue
			for range handful {
				q.Push(&Node{Due: math.MaxInt64}, 0)
			}
			rnd := rand.New(rand.NewPCG(1, 1))
			for range nodes {
				q.Push(&Node{Due: start + rnd.Int64N(block)}, 0)
			}
			lower := func() (n int) {
				for _, size := range q.wheel.sizes[0] {
					n += int(size)
				}
				return n
			}
			most, steps := 0, 0
			for now, before := int64(0), 0; now < start-tick; steps++ {
				q.Overdue(now)
				now = step(&q, now)
				came := lower() - before
				before += came
				most = max(most, came)
			}
			assert.LessOrEqual(t, most, nodes/levelSize*3, "%s, from %d", name, start)
			assert.Less(t, steps, int(start/tick)+2)
			q.Overdue(start - 1)
			checkTimers(t, &q)
			assert.Greater(t, lower(), nodes-portion-nodes/blockSize, "%s, from %d", name, start)
		}
	}
}

// waiter is something that waits.
type waiter struct {
	Node
	what [64]byte
}

func TestOwner(t *testing.T) {
	var q Queue
	w := &waiter{what: [64]byte{1}}
	q.Push(&w.Node, 0)
	assert.Same(t, w, Owner[waiter](q.Overdue(1)))
}

// What waits in a wheel costs two words and a pointer; where most of it was taken out, what is
// left keeps no more than chunks with something in them, and a quarter as many.
func TestWhatAWheelHolds(t *testing.T) {
	assert.EqualValues(t, 16, unsafe.Sizeof(Node{}))
	if bits.UintSize == 64 {
		assert.EqualValues(t, 256, unsafe.Sizeof(chunk{}))
	}
	const n = 100_000
	var q Queue
	var list []*Node
	rnd := rand.New(rand.NewPCG(1, 1))
	for range n {
		h := &Node{Due: int64(time.Hour) + rnd.Int64N(int64(time.Hour))}
		q.Push(h, 0)
		list = append(list, h)
	}
	held := func() (chunks int) {
		for _, c := range q.wheel.chunks {
			if c != nil {
				chunks++
			}
		}
		return chunks
	}
	assert.LessOrEqual(t, held(), n/chunkSize+levelSize)
	for len(list) > 0 {
		keep := len(list) / 4
		for _, h := range list[keep:] {
			q.Remove(h)
		}
		list = list[:keep]
		checkTimers(t, &q)
		assert.LessOrEqual(t, held(), (keep/chunkSize+2*levelSize)*5/4+5)
	}
	assert.LessOrEqual(t, held(), 5)
}

// What comes and goes makes no chunks.
func TestCratesAreUsedAgain(t *testing.T) {
	var q Queue
	for range handful {
		q.Push(&Node{Due: math.MaxInt64}, 0)
	}
	var list [1000]Node
	turn := func() {
		for i := range list {
			list[i].Due = int64(i) << (tickBits + 3)
			q.Push(&list[i], 0)
		}
		for i := range list {
			q.Remove(&list[i])
		}
	}
	turn()
	assert.LessOrEqual(t, testing.AllocsPerRun(10, turn), 150.0)
	one := &Node{Due: math.MaxInt64}
	assert.Zero(t, testing.AllocsPerRun(100, func() { q.Push(one, 0); q.Remove(one) }))
}

func FuzzTimers(f *testing.F) {
	f.Add([]byte{1, 2, 3, 200, 5, 6, 7, 8, 255, 0})
	f.Fuzz(func(t *testing.T, steps []byte) {
		var ts Queue
		var live []*Node
		now := int64(0)
		for range handful { // so that the wheel is used from the beginning
			h := &Node{Due: math.MaxInt64}
			ts.Push(h, now)
			live = append(live, h)
		}
		for i := 0; i+1 < len(steps); i += 2 {
			size := time.Duration(1) << (steps[i] % 63)
			switch arg := steps[i+1]; arg % 4 {
			case 0:
				now = Later(now, size+time.Duration(arg))
				last := int64(math.MinInt64)
				for _, h := range drainTimers(&ts, now) {
					require.LessOrEqual(t, last, h.Due)
					require.LessOrEqual(t, h.Due, now)
					last = h.Due
					live = slices.Delete(live, slices.Index(live, h), slices.Index(live, h)+1)
				}
			case 1:
				k := int(arg) % len(live)
				ts.Remove(live[k])
				live = slices.Delete(live, k, k+1)
				if len(live) == 0 {
					return
				}
			default:
				h := &Node{Due: Later(now, size+time.Duration(arg))}
				ts.Push(h, now)
				live = append(live, h)
			}
			checkTimers(t, &ts)
			require.Equal(t, len(live), ts.n)
			if len(live) == 0 {
				return
			}
		}
	})
}

// BenchmarkStep moves the time on by a tenth of a millisecond each, over a second in which
// 100,000 nodes are due that lie anywhere in memory: how long the longest steps take.
func BenchmarkStep(b *testing.B) {
	const nodes, span, step = 100_000, int64(time.Second), int64(100 * time.Microsecond)
	var longest, p99 []time.Duration
	for b.Loop() {
		list := make([]*Node, nodes)
		for i := range list {
			list[i] = &new(waiter).Node
			list[i].Due = span + rand.Int64N(span)
		}
		rand.Shuffle(nodes, func(i, k int) { list[i], list[k] = list[k], list[i] })
		var q Queue
		for _, n := range list {
			q.Push(n, 0)
		}
		var took []time.Duration
		for now := span; q.Len() > 0; now += step {
			start := time.Now()
			for n := q.Overdue(now); n != nil; n = q.Overdue(now) {
				q.Remove(n)
			}
			took = append(took, time.Since(start))
		}
		slices.Sort(took)
		longest = append(longest, took[len(took)-1])
		p99 = append(p99, took[len(took)*99/100])
	}
	slices.Sort(longest)
	slices.Sort(p99)
	b.ReportMetric(float64(longest[len(longest)/2].Microseconds()), "longest-µs")
	b.ReportMetric(float64(p99[len(p99)/2].Microseconds()), "p99-µs")
}
