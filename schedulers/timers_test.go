package schedulers

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
