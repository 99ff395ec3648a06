package schedulers

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
)

// modelTask is a task as somebody sees it who has one lane and looks at the clock.
type modelTask struct {
	id       int
	period   time.Duration // negative for one run
	stops    bool          // with the first failure
	fails    int           // the run that panics, -1 for none
	long     []time.Duration
	due      time.Duration
	seq      int
	runs     int
	disposed bool
	starts   []time.Duration
	handle   Disposable
}

// laneModel is the lane: what is due first runs first, of several what was submitted first.
type laneModel struct {
	now, end time.Duration // end of the run under way
	waiting  []*modelTask
	running  *modelTask
	seq      int
	closed   bool
}

func (m *laneModel) submit(t *modelTask, due time.Duration) {
	m.seq++
	t.due, t.seq = due, m.seq
	m.waiting = append(m.waiting, t)
	slices.SortFunc(m.waiting, func(a, b *modelTask) int {
		if a.due != b.due {
			return int(a.due - b.due)
		}
		return a.seq - b.seq
	})
}

// until lets time pass.
func (m *laneModel) until(at time.Duration) {
	for {
		switch t := m.running; {
		case t != nil && m.end > at, t == nil && (len(m.waiting) == 0 || m.waiting[0].due > at):
			m.now = at
			return
		case t != nil:
			m.now, m.running = m.end, nil
			failed := t.fails == t.runs
			t.runs++
			switch {
			case t.period < 0 || t.disposed || m.closed || failed && t.stops:
			case t.period > 0:
				m.submit(t, t.due+t.period)
			default:
				m.submit(t, m.now)
			}
		default:
			t = m.waiting[0]
			m.waiting, m.running = m.waiting[1:], t
			m.now = max(m.now, t.due)
			t.starts = append(t.starts, m.now)
			m.end = m.now + t.long[t.runs%len(t.long)]
		}
	}
}

// drop takes out what waits and is chosen.
func (m *laneModel) drop(which func(t *modelTask) bool) {
	m.waiting = slices.DeleteFunc(m.waiting, which)
}

// Random scripts: whatever is submitted, disposed and closed, each run starts to the nanosecond when the
// model says, on a slot and on the lane of a pool.
func TestA5_2_LanesAgainstAModel(t *testing.T) {
	catchErrors(t)
	for name, open := range map[string]func() Scheduler{
		"single":   func() Scheduler { return NewSingle("t") },
		"elastic":  func() Scheduler { return must(NewBoundedElastic(1, 1000, "t")) },
		"per task": func() Scheduler { return must(NewPerTaskBoundedElastic(1, 1000, "t")) },
		"pool": func() Scheduler {
			p, err := executors.NewScheduledPool(2)
			require.NoError(t, err)
			return FromScheduledPool(p)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(25) {
				bubble(t, func(t *testing.T) { laneScript(t, open(), rand.New(rand.NewPCG(seed, 81))) })
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

func laneScript(t *testing.T, s Scheduler, r *rand.Rand) {
	some := func() time.Duration {
		most := []time.Duration{100 * time.Microsecond, 5 * time.Millisecond, 50 * time.Millisecond}[r.IntN(3)]
		return time.Duration(1 + r.Int64N(int64(most)))
	}
	base := time.Now()
	starts := map[int][]time.Duration{} // by the lane, and read while it sleeps
	w := s.NewWorker()
	var m laneModel
	var all []*modelTask
	for range 40 {
		at := m.now + some()
		time.Sleep(time.Until(base.Add(at)))
		synctest.Wait()
		m.until(at)
		switch n := r.IntN(30); {
		case n < 18:
			task := &modelTask{id: len(all), period: -1, fails: r.IntN(8) - 4, stops: r.IntN(2) == 0, long: []time.Duration{some(), some()}}
			run := func(context.Context) {
				k := len(starts[task.id])
				starts[task.id] = append(starts[task.id], time.Since(base))
				time.Sleep(task.long[k%2])
				if k == task.fails {
					panic("fails")
				}
			}
			delay := some() * time.Duration(r.IntN(2))
			var err error
			if n < 9 {
				task.handle, err = w.ScheduleAfter(run, delay)
			} else {
				task.period = some() * time.Duration(min(1, r.IntN(4)))
				var opts []PeriodicOption
				if task.stops {
					opts = append(opts, StopOnError())
				}
				task.handle, err = w.SchedulePeriodically(run, delay, task.period, opts...)
			}
			require.Equal(t, m.closed, err != nil)
			if err == nil {
				all = append(all, task)
				m.submit(task, at+delay)
			}
		case n < 28 && len(all) > 0:
			task := all[r.IntN(len(all))]
			task.handle.Dispose()
			task.disposed = true
			m.drop(func(t *modelTask) bool { return t == task })
		case n == 28:
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			_ = s.DisposeGracefully(ctx)
			m.closed = true
			m.drop(func(t *modelTask) bool { return t.period >= 0 })
		case n == 29 && r.IntN(3) == 0:
			w.Dispose()
			m.closed = true
			m.drop(func(*modelTask) bool { return true })
		}
		synctest.Wait()
		m.until(at)
	}
	w.Dispose()
	m.closed = true
	m.drop(func(*modelTask) bool { return true })
	pass(time.Second)
	for _, task := range all {
		require.Equal(t, task.starts, starts[task.id], "task %d: %+v", task.id, *task)
	}
	s.Dispose()
}
