package timers

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drainTimers takes out all that is due.
func drainTimers(ts *Queue[int], now int64) (list []*Node[int]) {
	for h := ts.Overdue(now); h != nil; h = ts.Overdue(now) {
		ts.Remove(h)
		list = append(list, h)
	}
	return list
}

// checkTimers looks at what must hold between any two calls.
func checkTimers(t *testing.T, ts *Queue[int]) {
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
	n := 0
	for level := range w.buckets {
		for i, h := range w.buckets[level] {
			require.Equal(t, h != nil, w.used[level][i/64]>>(i%64)&1 == 1)
			size := n
			var before *Node[int]
			for ; h != nil; before, h = h, h.after {
				n++
				require.Same(t, before, h.before)
				tick := h.Due >> tickBits
				require.Greater(t, tick, w.at)
				require.EqualValues(t, i, tick>>(level*levelBits)&(levelSize-1))
				block := func(tick int64) int64 { return tick >> ((level + 1) * levelBits) }
				require.LessOrEqual(t, block(tick)-block(w.at), int64(1))
			}
			require.EqualValues(t, n-size, w.sizes[level][i])
		}
	}
	require.Equal(t, n, w.n)
}

func TestTimersAgainstAModel(t *testing.T) {
	for _, span := range []time.Duration{100 * time.Nanosecond, time.Millisecond, time.Second, 100 * time.Hour, math.MaxInt64} {
		t.Run(span.String(), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(3, uint64(span)))
			var ts Queue[int]
			var model []*Node[int]
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
					h := &Node[int]{Due: Later(now, time.Duration(1+rnd.Int64N(int64(span))))}
					ts.Push(h, now)
					at, _ := slices.BinarySearchFunc(model, h, func(a, b *Node[int]) int {
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
		for name, step := range map[string]func(q *Queue[int], now int64) int64{
			"often":        func(_ *Queue[int], now int64) int64 { return now + max(tick, (start-now)/1000>>tickBits<<tickBits) },
			"when it asks": func(q *Queue[int], _ int64) int64 { return q.WakeAt() },
		} {
			var q Queue[int]
			for range handful {
				q.Push(&Node[int]{Due: math.MaxInt64}, 0)
			}
			rnd := rand.New(rand.NewPCG(1, 1))
			for range nodes {
				q.Push(&Node[int]{Due: start + rnd.Int64N(block)}, 0)
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

func FuzzTimers(f *testing.F) {
	f.Add([]byte{1, 2, 3, 200, 5, 6, 7, 8, 255, 0})
	f.Fuzz(func(t *testing.T, steps []byte) {
		var ts Queue[int]
		var live []*Node[int]
		now := int64(0)
		for range handful { // so that the wheel is used from the beginning
			h := &Node[int]{Due: math.MaxInt64}
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
				h := &Node[int]{Due: Later(now, size+time.Duration(arg))}
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
		list := make([]*Node[[64]byte], nodes)
		for i := range list {
			list[i] = &Node[[64]byte]{Owner: new([64]byte), Due: span + rand.Int64N(span)}
		}
		rand.Shuffle(nodes, func(i, k int) { list[i], list[k] = list[k], list[i] })
		var q Queue[[64]byte]
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
