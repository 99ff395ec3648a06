package operators

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// punctual is a scheduler of the test that says it keeps the time of the system, which
// makes stages use a slidingTimer.
type punctual struct{ *handScheduler }

func (punctual) OnSystemClock() bool { return true }
func (punctual) IsDisposed() bool    { return false }

// parallel returns a scheduler that is disposed at the end of the bubble.
func parallel(t *testing.T) schedulers.Scheduler {
	t.Helper()
	s, err := schedulers.NewParallel("p", 2)
	require.NoError(t, err)
	return s
}

func TestCanLag(t *testing.T) {
	assert.False(t, canLag(nil))
	assert.False(t, canLag(&handScheduler{}))
	assert.False(t, canLag(schedulers.Immediate()))
	assert.True(t, canLag(schedulers.Parallel()))
	assert.True(t, canLag(schedulers.BoundedElastic()))
}

func TestTimeoutBeginsAnewWithEachElement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := parallel(t)
		defer s.Dispose()
		start := time.Now()
		src := &puppet[int]{}
		p := run(Timeout(src, 40*time.Millisecond, On(s)))
		for i := range 100 {
			time.Sleep(time.Duration(i%40) * time.Millisecond)
			src.last().OnNext(i)
		}
		begun := time.Since(start)
		assert.Len(t, p.Got(), 100)
		// A moment before, and at the time.
		time.Sleep(40*time.Millisecond - 1)
		synctest.Wait()
		assert.NoError(t, p.Failure())
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		assert.ErrorIs(t, p.Failure(), reactor.ErrTimeout)
		assert.Equal(t, begun+40*time.Millisecond, time.Since(start))
		assert.Zero(t, s.Stats().Delayed)
	})
}

func TestTimeoutDoesNotRunWhileDownstreamIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := parallel(t)
		defer s.Dispose()
		src := &puppet[int]{}
		busy := DoOnNext(Timeout(src, 40*time.Millisecond, On(s)), func(v int) { time.Sleep(time.Duration(v) * time.Millisecond) })
		p := run(busy)
		for _, v := range []int{100, 10, 200} { // longer than one and than several limits
			time.Sleep(20 * time.Millisecond)
			src.last().OnNext(v)
		}
		assert.NoError(t, p.Failure())
		time.Sleep(39 * time.Millisecond)
		synctest.Wait()
		assert.NoError(t, p.Failure())
		time.Sleep(time.Millisecond)
		synctest.Wait()
		p.Failed(t, reactor.ErrTimeout, 100, 10, 200)
	})
}

func TestTimeoutOfTheFirstElement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := parallel(t)
		defer s.Dispose()
		p := run(Timeout(Never[int](), 40*time.Millisecond, On(s)))
		time.Sleep(40 * time.Millisecond)
		synctest.Wait()
		p.Failed(t, reactor.ErrTimeout)
	})
}

func TestTimeoutLeavesNoTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := parallel(t)
		defer s.Dispose()
		src := &puppet[int]{}
		for name, end := range map[string]func(p *probe.Probe[int]){
			"cancel":   func(p *probe.Probe[int]) { p.Cancel() },
			"complete": func(*probe.Probe[int]) { src.last().OnComplete() },
			"error":    func(*probe.Probe[int]) { src.last().OnError(errBoom) },
		} {
			p := run(Timeout(src, time.Hour, On(s)))
			src.last().OnNext(1)
			assert.Equal(t, 1, s.Stats().Delayed, name)
			end(p)
			assert.Zero(t, s.Stats().Delayed, name)
		}
	})
}

func TestTimeoutRefusedByADisposedScheduler(t *testing.T) {
	s := parallel(t)
	src := &puppet[int]{}
	p := run(Timeout(src, time.Hour, On(s)))
	src.last().OnNext(1)
	s.Dispose()
	src.last().OnNext(2)
	p.Failed(t, reactor.ErrRejected, 1, 2)
	run(Timeout(Never[int](), time.Hour, On(s))).Failed(t, reactor.ErrRejected)
}

func TestTimeoutAllocations(t *testing.T) {
	src := Timeout(Range(0, 10_000), time.Hour)
	allocs := testing.AllocsPerRun(10, func() { _ = ForEach(context.Background(), src, func(int) {}) })
	assert.Less(t, allocs, 60.0, "for 10000 elements")
}

func TestTimeoutLaggingRaces(t *testing.T) {
	for name, d := range map[string]time.Duration{"at once": 1, "late": time.Hour} {
		t.Run(name, func(t *testing.T) {
			raceStage(t, 60, func(src elements, h *handScheduler) elements { return Timeout(src, d, On(punctual{h})) })
		})
	}
}

// waits is a stage that does nothing but wait.
type waits struct {
	index atomic.Int64
	ended atomic.Int64
}

func (w *waits) fired(id int64) {
	if w.index.CompareAndSwap(id, -1) {
		w.ended.Add(1)
	}
}

func (w *waits) failed(int64, error) { panic("refused") }

// A task that finds the stage busy, and a wait that begins then: one of them schedules
// the next task.
func TestSlidingTimerLosesNoWait(t *testing.T) {
	for range racetest.Iterations(2000) {
		h := &handScheduler{}
		w := &waits{}
		l := slidingTimerOf(h, w, time.Hour)
		l.first()
		w.index.Store(1) // what it waited for is on its way
		racetest.Race(l.wake, func() { l.next(1) })
		assert.True(t, l.about.Load())
		assert.LessOrEqual(t, h.pending(), 2)
		assert.GreaterOrEqual(t, h.pending(), 1)
		assert.Zero(t, w.ended.Load())
	}
}

// A wait that is over, and the next one that begins: never is the next one taken for over.
func TestSlidingTimerEndsNoWaitTooEarly(t *testing.T) {
	for range racetest.Iterations(2000) {
		h := &handScheduler{}
		w := &waits{}
		l := slidingTimerOf(h, w, 1)
		l.first()
		l.delay = time.Hour
		racetest.Race(l.wake, func() {
			if w.index.CompareAndSwap(0, 1) {
				l.next(1)
			}
		})
		if w.index.Load() == 1 {
			assert.Zero(t, w.ended.Load())
			assert.True(t, l.about.Load())
			assert.GreaterOrEqual(t, h.pending(), 1)
		} else {
			assert.EqualValues(t, 1, w.ended.Load())
		}
	}
}

func slidingTimerOf(h *handScheduler, w *waits, d time.Duration) *slidingTimer {
	return newSlidingTimer("test", context.Background(), punctual{h}, d, w, &w.index, new(protocol.Handle))
}

func BenchmarkTimeout(b *testing.B) {
	b.ReportAllocs()
	_ = ForEach(context.Background(), Timeout(Range(0, b.N), time.Hour), func(int) {})
}

// once refuses one task, after having called a function.
type once struct {
	punctual
	refusing func()
}

func (s *once) ScheduleAfter(task schedulers.Task, d time.Duration) (schedulers.Disposable, error) {
	if fn := s.refusing; fn != nil {
		s.refusing = nil
		fn()
		return nil, schedulers.ErrUnavailable
	}
	return s.punctual.ScheduleAfter(task, d)
}

// The task for the rest of a wait is refused when an element has just ended that wait: the next wait has a task.
func TestTimeoutRefusedForAWaitThatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &once{punctual: punctual{&handScheduler{}}}
		src := &puppet[int]{}
		ctx, _ := probe.Recorded()
		p := runWith(ctx, Timeout(src, 10, On(s)))
		time.Sleep(6 * time.Nanosecond)
		src.last().OnNext(1)
		time.Sleep(4 * time.Nanosecond)
		s.refusing = func() { src.last().OnNext(2) }
		s.forward(10)
		assert.NoError(t, p.Failure())
		time.Sleep(10 * time.Nanosecond)
		s.forward(10)
		assert.ErrorIs(t, p.Failure(), reactor.ErrTimeout)
	})
}
