package schedulers

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Direct tasks that have ended are no holders any more, also for the choice.
func TestA10_2_EndedTasksDoNotCount(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(2, 10, "t"))
		defer s.Dispose()
		release, other := blocked(t, s.NewWorker()), blocked(t, s.NewWorker())
		defer release()
		for range 4 { // two each, for nobody has run one yet
			require.NoError(t, s.Execute(nothing))
		}
		other()
		synctest.Wait()
		slots := s.Stats().Slots
		require.Equal(t, []int{3, 1}, []int{slots[0].Holders, slots[1].Holders}, "those behind the blocked one wait")
		ran := false
		require.NoError(t, s.Execute(func(context.Context) { ran = true }))
		synctest.Wait()
		assert.True(t, ran, "on the slot that has run its own")
	})
}

// choice is the name of the slot that is to be picked next, "new" for one more, by the figures:
// an idle slot, the one that became idle last first, a new one, the one with the fewest holders
// that is busy longest.
func choice(st Stats) string {
	switch {
	case st.Idle > 0:
		return st.Slots[len(st.Slots)-1].Name
	case st.Workers < st.Capacity:
		return "new"
	}
	best := st.Slots[0]
	for _, sl := range st.Slots[1:] {
		if sl.Holders > 0 && (best.Holders == 0 || sl.Holders < best.Holders) {
			best = sl
		}
	}
	return best.Name
}

// picked is the name of the slot that has one more holder than before.
func picked(before, after Stats) string {
	holders := map[string]int{}
	for _, sl := range before.Slots {
		holders[sl.Name] = sl.Holders
	}
	for _, sl := range after.Slots {
		n, old := holders[sl.Name]
		switch {
		case !old:
			return "new"
		case sl.Holders > n:
			return sl.Name
		}
	}
	return ""
}

// What is picked and what is refused follow from the figures, whatever came before.
func TestA10_2_PicksByTheFigures(t *testing.T) {
	for seed := range uint64(200) {
		bubble(t, func(t *testing.T) { pickAtRandom(t, rand.New(rand.NewPCG(seed, 79))) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func pickAtRandom(t *testing.T, r *rand.Rand) {
	limit, most := 1+r.IntN(6), 1+r.IntN(4)
	upTo := func(d time.Duration) time.Duration { return time.Duration(1 + r.Int64N(int64(d))) }
	s := must(NewBoundedElastic(most, limit, "t", WithTTL(upTo(200*time.Millisecond))))
	if r.IntN(3) == 0 {
		s = must(NewPerTaskBoundedElastic(most, limit, "t"))
	}
	defer s.Dispose()
	var workers []Worker
	var handles []Disposable
	accepted, refused := 0, 0
	for range 60 {
		time.Sleep(upTo([]time.Duration{time.Microsecond, 5 * time.Millisecond, 100 * time.Millisecond}[r.IntN(3)]))
		synctest.Wait()
		st := s.Stats()
		want := choice(st)
		long := upTo([]time.Duration{time.Millisecond, 20 * time.Millisecond, 150 * time.Millisecond}[r.IntN(3)])
		task := func(context.Context) { time.Sleep(long) }
		after := upTo(60*time.Millisecond) * time.Duration(r.IntN(3)/2)
		switch n := r.IntN(20); {
		case n < 4:
			workers = append(workers, s.NewWorker())
			require.Equal(t, want, picked(st, s.Stats()))
		case n < 8 && len(workers) > 0:
			i := r.IntN(len(workers))
			workers[i].Dispose()
			workers = append(workers[:i], workers[i+1:]...)
		case n < 17:
			if n < 10 && len(workers) > 0 {
				w := workers[r.IntN(len(workers))]
				want = w.(*worker).slot.id.name
				_, err := w.ScheduleAfter(task, after)
				count(err, &accepted, &refused)
				require.Equal(t, full(st, want, limit, after), err != nil)
				break
			}
			d, err := s.ScheduleAfter(task, after)
			count(err, &accepted, &refused)
			require.Equal(t, full(st, want, limit, after), err != nil)
			if err == nil {
				handles = append(handles, d)
				require.Equal(t, want, picked(st, s.Stats()))
			}
		case len(handles) > 0:
			handles[r.IntN(len(handles))].Dispose()
		}
	}
	for _, w := range workers {
		w.Dispose()
	}
	pass(20 * time.Second)
	st := s.Stats()
	require.Zero(t, st.Queued+st.Running+st.Busy+st.Idle)
	require.EqualValues(t, refused, st.Rejected)
	require.EqualValues(t, accepted, st.Completed+st.Dropped)
}

func count(err error, accepted, refused *int) {
	if err == nil {
		*accepted++
	} else {
		*refused++
	}
}

// full reports whether a slot has no room for a task that is to run after a delay.
func full(st Stats, name string, limit int, after time.Duration) bool {
	for _, sl := range st.Slots {
		if sl.Name == name {
			return sl.Queued >= limit && (after > 0 || sl.Running || sl.Queued > sl.Delayed)
		}
	}
	return false
}
