package schedulers

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// testMeter keeps sums by name and tags.
type testMeter struct {
	mu    sync.Mutex
	sums  map[string]int64
	times map[string][]time.Duration
}

func newTestMeter() *testMeter {
	return &testMeter{sums: map[string]int64{}, times: map[string][]time.Duration{}}
}

func (m *testMeter) adder(name string, tags []string) func(int64) {
	id := strings.Join(append([]string{name}, tags...), " ")
	m.sums[id] = 0
	return func(n int64) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.sums[id] += n
	}
}

func (m *testMeter) Counter(name string, tags ...string) func(int64) { return m.adder(name, tags) }
func (m *testMeter) Gauge(name string, tags ...string) func(int64)   { return m.adder(name, tags) }

func (m *testMeter) Timer(name string, tags ...string) func(time.Duration) {
	return func(d time.Duration) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.times[name] = append(m.times[name], d)
	}
}

func (m *testMeter) Remove(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.times, name)
	for id := range m.sums {
		if id == name || strings.HasPrefix(id, name+" ") {
			delete(m.sums, id)
		}
	}
}

// read returns the figures direct, delayed, initial, iteration, pending, active.
func (m *testMeter) read() (f [6]int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	const p = "app.scheduler.tasks."
	for i, id := range []string{
		p + "submitted submission.type direct zone eu", p + "submitted submission.type delayed zone eu",
		p + "submitted submission.type periodic_initial zone eu", p + "submitted submission.type periodic_iteration zone eu",
		p + "pending zone eu", p + "active zone eu",
	} {
		n, ok := m.sums[id]
		if !ok {
			panic("no instrument " + id)
		}
		f[i] = n
	}
	return f
}

func forTimed(t *testing.T, f func(t *testing.T, s Scheduler, l lane, m *testMeter)) {
	for _, prefix := range []string{"app", "app."} {
		bubble(t, func(t *testing.T) {
			m := newTestMeter()
			s := Timed(NewSingle("t"), m, prefix, "zone", "eu")
			defer s.Dispose()
			f(t, s, s, m)
		})
		bubble(t, func(t *testing.T) {
			m := newTestMeter()
			s := Timed(NewSingle("t"), m, prefix, "zone", "eu")
			defer s.Dispose()
			f(t, s, s.NewWorker(), m)
		})
	}
}

func TestA15_1_SubmissionsByKind(t *testing.T) {
	forTimed(t, func(t *testing.T, s Scheduler, l lane, m *testMeter) {
		require.NoError(t, l.Execute(nothing))
		accept(t)(l.Schedule(nothing))
		accept(t)(l.ScheduleAfter(nothing, 0))
		accept(t)(l.ScheduleAfter(nothing, time.Second))
		d := accept(t)(l.SchedulePeriodically(nothing, time.Second, time.Second))
		synctest.Wait()
		assert.Equal(t, [6]int64{3, 1, 0, 0, 1, 0}, m.read())
		pass(4 * time.Second)
		assert.Equal(t, [6]int64{3, 1, 1, 3, 0, 0}, m.read())
		d.Dispose()
	})
}

func TestA15_1_ActiveAndCompleted(t *testing.T) {
	forTimed(t, func(t *testing.T, s Scheduler, l lane, m *testMeter) {
		catchErrors(t)
		require.NoError(t, l.Execute(func(context.Context) { time.Sleep(3 * time.Second) }))
		require.NoError(t, l.Execute(func(context.Context) { panic("boom") }))
		synctest.Wait()
		assert.Equal(t, [6]int64{2, 0, 0, 0, 1, 1}, m.read())
		pass(3 * time.Second)
		assert.Equal(t, [6]int64{2, 0, 0, 0, 0, 0}, m.read())
		assert.Equal(t, []time.Duration{3 * time.Second, 0}, m.times["app.scheduler.tasks.completed"])
	})
}

func TestA15_2_PendingEndsInEveryWay(t *testing.T) {
	forTimed(t, func(t *testing.T, s Scheduler, l lane, m *testMeter) {
		pending := func() int64 { return m.read()[4] }
		release := blocked(t, l)
		a := accept(t)(l.Schedule(nothing))
		b := accept(t)(l.ScheduleAfter(nothing, time.Second))
		accept(t)(l.ScheduleAfter(nothing, time.Minute))
		c := accept(t)(l.SchedulePeriodically(nothing, time.Second, time.Second))
		require.NoError(t, l.Execute(nothing))
		assert.EqualValues(t, 4, pending(), "periodic ones never")
		a.Dispose()
		a.Dispose()
		b.Dispose()
		assert.True(t, a.IsDisposed())
		assert.EqualValues(t, 2, pending(), "withdrawn")
		c.Dispose()
		release()
		synctest.Wait()
		assert.EqualValues(t, 1, pending(), "started")
		if w, ok := l.(Worker); ok && l != lane(s) {
			require.NoError(t, w.Execute(func(context.Context) { time.Sleep(time.Hour) }))
			require.NoError(t, w.Execute(nothing))
			accept(t)(w.Schedule(nothing))
			synctest.Wait()
			assert.EqualValues(t, 3, pending())
			w.Dispose()
			w.Dispose()
			assert.Zero(t, pending(), "dropped with the worker")
			assert.ErrorIs(t, w.Execute(nothing), ErrUnavailable)
			_, err := w.Schedule(nothing)
			assert.ErrorIs(t, err, ErrUnavailable)
			assert.Zero(t, pending(), "refused")
			pass(time.Hour)
		}
		pass(time.Hour)
		assert.Zero(t, pending())
		assert.Zero(t, m.read()[5])
	})
}

func TestA15_2_RefusedIsNotSubmitted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newTestMeter()
		s := Timed(must(NewBoundedElastic(1, 1, "t")), m, "app", "zone", "eu")
		defer s.Dispose()
		release := blocked(t, s)
		require.NoError(t, s.Execute(nothing))
		assertRefuses(t, s, Capacity, ErrCapacity)
		assert.Equal(t, [6]int64{2, 0, 0, 0, 1, 1}, m.read())
		release()
		synctest.Wait()
	})
}

// pendingMeter keeps what waits, whatever is removed.
type pendingMeter struct {
	*testMeter
	pending atomic.Int64
}

func (m *pendingMeter) Gauge(name string, tags ...string) func(int64) {
	if strings.HasSuffix(name, ".pending") {
		return func(n int64) { m.pending.Add(n) }
	}
	return m.testMeter.Gauge(name, tags...)
}

// A hook that ends the goroutine of who submits a task leaves nothing pending.
func TestA15_2_GoexitOnTheWayInIsNotPending(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newTestMeter()
		s := Timed(NewSingle("t"), m, "app", "zone", "eu")
		defer s.Dispose()
		w := s.NewWorker()
		remove := OnScheduleHook("t", func(Task) Task { runtime.Goexit(); return nil })
		for _, l := range []lane{s, w} {
			racetest.Aside(func() { _ = l.Execute(nothing) })
			racetest.Aside(func() { _, _ = l.Schedule(nothing) })
			racetest.Aside(func() { _, _ = l.ScheduleAfter(nothing, time.Second) })
		}
		remove()
		assert.Equal(t, [6]int64{}, m.read())
	})
}

func TestA15_3_MetersGoWithTheScheduler(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := newTestMeter()
		s := Timed(NewSingle("t"), m, "app")
		s.Dispose()
		assert.Empty(t, m.sums)
		assert.Empty(t, m.times)
		assert.True(t, s.IsDisposed())

		p := &pendingMeter{testMeter: newTestMeter()}
		s = Timed(NewSingle("t"), p, "app")
		blocked(t, s)
		require.NoError(t, s.Execute(nothing))
		assert.EqualValues(t, 1, p.pending.Load())
		s.Dispose()
		assert.Zero(t, p.pending.Load(), "nothing waits any more")

		s = Timed(NewSingle("t"), m, "app", "zone", "eu")
		ran := false
		accept(t)(s.ScheduleAfter(func(context.Context) { ran = true }, time.Hour))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Error(t, s.DisposeGracefully(ctx), "graceful disposal is handed on (A8.7)")
		assert.NotEmpty(t, m.sums)
		require.NoError(t, s.DisposeGracefully(t.Context()))
		assert.True(t, ran)
		assert.Empty(t, m.sums)
	})
	assert.Panics(t, func() { Timed(nil, newTestMeter(), "x") })
	assert.Panics(t, func() { Timed(Immediate(), nil, "x") })
	s := Timed(Immediate(), newTestMeter(), "x")
	assert.Equal(t, "timed(immediate)", s.Stats().Name)
	assert.Equal(t, "immediate", s.Stats().Parent)
}

func TestTimedNeedsPairsOfTags(t *testing.T) {
	odd := []string{"zone"}
	s := NewSingle("t")
	defer s.Dispose()
	assert.PanicsWithValue(t, "schedulers: Timed: tags are pairs of key and value, got 1 strings", func() { Timed(s, newTestMeter(), "app", odd...) })
}
