package executors

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The ring and the heap against a list, with removals anywhere.
func TestQueuesAgainstAModel(t *testing.T) {
	for name, make := range map[string]func() taskQueue{
		"ring":   func() taskQueue { return &ring{capacity: 100} },
		"ranked": func() taskQueue { return &ranked{capacity: 100} },
	} {
		t.Run(name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			q, n := make(), 0
			var model []*Handle
			for step := range 10_250 {
				grow := step/500%2 == 0
				switch k := rnd.IntN(10); {
				case k < 3 || grow && k < 6:
					h := &Handle{}
					h.essential = rnd.IntN(4) == 0
					ok := q.offer(entry{h: h})
					require.Equal(t, len(model) < 100, ok)
					if ok {
						model = append(model, h)
					}
				case k < 7:
					e, ok := q.poll(0)
					require.Equal(t, len(model) > 0, ok)
					if ok {
						require.Same(t, model[0], e.h)
						require.False(t, q.remove(e.h), "it is out")
						model = model[1:]
					}
				case k < 8:
					i := slices.IndexFunc(model, func(h *Handle) bool { return !h.essential })
					e, ok := q.dropOldest()
					require.Equal(t, i >= 0, ok)
					if ok {
						require.Same(t, model[i], e.h)
						model = slices.Delete(model, i, i+1)
					}
				case len(model) > 0:
					i := rnd.IntN(len(model))
					require.True(t, q.remove(model[i]))
					model = slices.Delete(model, i, i+1)
				}
				n = max(n, len(model))
				require.Equal(t, len(model), q.len())
			}
			require.Equal(t, 100, n)
			var left []*Handle
			for _, e := range q.drain() {
				left = append(left, e.h)
			}
			require.Equal(t, model, left)
			require.Zero(t, q.len())
		})
	}
}

// A drop leaves a hole at the head of the ring. The next one must not find it again:
// a pool that is saturated for long drops as many tasks as it is given.
func TestRingLooksAtAHoleOnce(t *testing.T) {
	q := &ring{capacity: 1<<10 + 1} // its array has nearly twice as many places
	e := entry{fn: func(context.Context) {}}
	for q.offer(e) {
	}
	for range 5000 {
		head, tail := q.head, q.tail
		_, ok := q.dropOldest()
		require.True(t, ok)
		require.True(t, q.offer(e))
		if q.tail > tail { // else the array was made anew
			require.LessOrEqual(t, q.head-head, int64(1))
			require.LessOrEqual(t, q.tail-q.head, int64(q.live+1), "one hole at the most")
		}
	}
}
