package schedulers

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drainTimers takes out all that is due.
func drainTimers(ts *timers, now int64) (list []*timedHandle) {
	for h := ts.overdue(now); h != nil; h = ts.overdue(now) {
		ts.remove(h)
		list = append(list, h)
	}
	return list
}

// checkTimers looks at what must hold between any two calls.
func checkTimers(t *testing.T, ts *timers) {
	t.Helper()
	require.Len(t, ts.all(), ts.n)
	for i, e := range ts.heap {
		require.EqualValues(t, i, e.h.index)
		require.Equal(t, e.due, e.h.due)
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
			require.Equal(t, h != nil, w.used[level]>>i&1 == 1)
			var before *timedHandle
			for ; h != nil; before, h = h, h.after {
				n++
				require.Same(t, before, h.before)
				tick := h.due >> tickBits
				require.Greater(t, tick, w.at)
				require.EqualValues(t, i, tick>>(level*levelBits)&(levelSize-1))
				require.Equal(t, tick>>((level+1)*levelBits), w.at>>((level+1)*levelBits))
			}
		}
	}
	require.Equal(t, n, w.n)
}

func TestTimersAgainstAModel(t *testing.T) {
	for _, span := range []time.Duration{100 * time.Nanosecond, time.Millisecond, time.Second, 100 * time.Hour, math.MaxInt64} {
		t.Run(span.String(), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(3, uint64(span)))
			var ts timers
			var model []*timedHandle
			now := int64(rnd.Uint64N(1 << 40))
			for step := range 3000 {
				switch rnd.IntN(10) {
				case 0: // the clock moves, by much or little
					d := rnd.Int64N(int64(span))
					if rnd.IntN(2) == 0 {
						d = rnd.Int64N(d/50 + 1)
					}
					now = later(now, time.Duration(d))
					for _, h := range drainTimers(&ts, now) {
						require.NotEmpty(t, model)
						require.Same(t, model[0], h, "step %d", step)
						model = model[1:]
					}
					require.True(t, len(model) == 0 || model[0].due > now)
				case 1, 2: // one is withdrawn
					if len(model) > 0 {
						i := rnd.IntN(len(model))
						ts.remove(model[i])
						require.Equal(t, outside, model[i].index)
						model = slices.Delete(model, i, i+1)
					}
				default:
					h := &timedHandle{due: later(now, time.Duration(1+rnd.Int64N(int64(span))))}
					h.index = outside
					ts.push(h, now)
					at, _ := slices.BinarySearchFunc(model, h, func(a, b *timedHandle) int {
						return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.seq, b.seq))
					})
					model = slices.Insert(model, at, h)
				}
				if len(model) > 0 {
					require.LessOrEqual(t, ts.wakeAt(), model[0].due, "nobody sleeps too long")
					require.GreaterOrEqual(t, ts.wakeAt(), now>>tickBits<<tickBits, "nor for nothing")
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

func FuzzTimers(f *testing.F) {
	f.Add([]byte{1, 2, 3, 200, 5, 6, 7, 8, 255, 0})
	f.Fuzz(func(t *testing.T, steps []byte) {
		var ts timers
		var live []*timedHandle
		now := int64(0)
		for range handful { // so that the wheel is used from the beginning
			h := &timedHandle{due: math.MaxInt64}
			ts.push(h, now)
			live = append(live, h)
		}
		for i := 0; i+1 < len(steps); i += 2 {
			size := time.Duration(1) << (steps[i] % 63)
			switch arg := steps[i+1]; arg % 4 {
			case 0:
				now = later(now, size+time.Duration(arg))
				last := int64(math.MinInt64)
				for _, h := range drainTimers(&ts, now) {
					require.LessOrEqual(t, last, h.due)
					require.LessOrEqual(t, h.due, now)
					last = h.due
					live = slices.Delete(live, slices.Index(live, h), slices.Index(live, h)+1)
				}
			case 1:
				k := int(arg) % len(live)
				ts.remove(live[k])
				live = slices.Delete(live, k, k+1)
				if len(live) == 0 {
					return
				}
			default:
				h := &timedHandle{due: later(now, size+time.Duration(arg))}
				ts.push(h, now)
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

// Many tasks over all ranges of delay, through a scheduler: each at its time, to
// the nanosecond, in order.
func TestA4_2_ManyDelaysToTheNanosecond(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		defer s.Dispose()
		w := s.NewWorker()
		rnd := rand.New(rand.NewPCG(5, 6))
		start := time.Now()
		var last time.Duration
		ran, cancelled := 0, 0
		const n = 3000
		for range n {
			d := time.Duration(1 + rnd.Int64N(1<<uint(1+rnd.IntN(55))))
			h := accept(t)(w.ScheduleAfter(func(context.Context) {
				at := time.Since(start)
				assert.Equal(t, d, at)
				assert.LessOrEqual(t, last, at)
				last = at
				ran++
			}, d))
			if rnd.IntN(5) == 0 {
				h.Dispose()
				cancelled++
			}
		}
		pass(3 * 365 * 24 * time.Hour)
		assert.Equal(t, n-cancelled, ran)
		assert.Zero(t, s.Stats().Delayed)
		w.Dispose()
	})
}

// Disposing a worker takes its tasks out of the heap and of the wheel.
func TestA5_4_WorkerWithManyTimers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewSingle("t")
		a, b := s.NewWorker(), s.NewWorker()
		var j journal[int]
		for i := range 1000 {
			accept(t)(a.ScheduleAfter(j.noting(-i), time.Duration(i)*time.Millisecond+1))
			accept(t)(b.ScheduleAfter(j.noting(i), time.Duration(i)*time.Millisecond+1))
		}
		a.Dispose()
		assert.Equal(t, 1000, s.Stats().Delayed)
		pass(time.Minute)
		got := j.read()
		require.Len(t, got, 1000)
		assert.True(t, slices.IsSorted(got))
		for range 1000 {
			accept(t)(b.ScheduleAfter(nothing, time.Hour))
		}
		s.Dispose()
		assert.Zero(t, s.Stats().Delayed)
		assert.EqualValues(t, 2000, s.Stats().Dropped)
	})
}
