package schedulers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
)

// hastyService calls a function before the one who delays a task gets to know how to
// withdraw it.
type hastyService struct {
	*testService
	meanwhile func()
}

func (s *hastyService) ExecuteAfter(ctx context.Context, d time.Duration, task executors.Task) (func() bool, error) {
	withdraw, err := s.testService.ExecuteAfter(ctx, d, task)
	s.meanwhile()
	return withdraw, err
}

// A task that is disposed while the executor takes it does not stay there.
func TestA9_6_TaskDisposedWhileItIsHandedOver(t *testing.T) {
	svc := &hastyService{testService: newTestService()}
	x := FromExecutorService(svc, "hasty")
	defer x.Dispose()
	w := x.NewWorker()
	svc.meanwhile = w.Dispose
	d, err := w.ScheduleAfter(func(context.Context) { t.Error("disposed before it was due") }, time.Hour)
	require.NoError(t, err)
	assert.True(t, d.IsDisposed())
	svc.mu.Lock()
	defer svc.mu.Unlock()
	assert.Empty(t, svc.timers)
}

// A series that vanished from the queue with its worker is not taken off a second time: what is due then would come
// behind what was submitted later.
func TestSeriesThatVanishedWithItsWorkerIsDisposed(t *testing.T) {
	for name, series := range map[string]int{"one": 1, "several": 3} {
		t.Run(name, func(t *testing.T) {
			clock := newManualClock()
			s := NewSingle("t", WithClock(clock))
			defer s.Dispose()
			release := blocked(t, s)
			w := s.NewWorker()
			var handles []Disposable
			for range series {
				handles = append(handles, accept(t)(w.SchedulePeriodically(nothing, 0, time.Second)))
			}
			for range 2 * chunkSize { // enough for the queue to be rewritten
				handles = append(handles, accept(t)(w.Schedule(nothing)))
			}
			w.Dispose()
			for _, d := range handles {
				d.Dispose()
				assert.True(t, d.IsDisposed())
			}
			slot := s.(*fixed).slots[0]
			slot.mu.Lock()
			assert.Zero(t, slot.inFlight)
			slot.mu.Unlock()

			var ran journal[string]
			accept(t)(s.ScheduleAfter(ran.noting("due"), time.Second))
			clock.advance(2 * time.Second)
			require.NoError(t, s.Execute(ran.noting("later")))
			release()
			require.NoError(t, s.DisposeGracefully(t.Context()))
			assert.Equal(t, []string{"due", "later"}, ran.read())
			assert.EqualValues(t, len(handles), s.Stats().Dropped)
		})
	}
}

// withSeriesThatIsDropped returns a worker that is busy until release, and whose series was dropped when s ended.
func withSeriesThatIsDropped(t *testing.T, s Scheduler) (w Worker, release func()) {
	w = s.NewWorker()
	release = blocked(t, w)
	accept(t)(w.SchedulePeriodically(nothing, 0, time.Second))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, s.DisposeGracefully(ended), context.Canceled)
	return w, release
}

// A series that is dropped because its scheduler ends is dropped once, also if its worker is disposed meanwhile.
func TestSeriesIsDroppedWithItsSchedulerAndItsWorker(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		w, release := withSeriesThatIsDropped(t, s)
		w.Dispose()
		release()
		require.NoError(t, s.DisposeGracefully(t.Context()))
		assert.EqualValues(t, 1, s.Stats().Dropped)
		assert.EqualValues(t, 1, s.Stats().Completed)
	})
}

// Nor does anything wait in a lane for ever that was dropped with its scheduler.
func TestWhatIsDroppedWithItsSchedulerIsNotQueued(t *testing.T) {
	forKinds(t, func(t *testing.T, s Scheduler) {
		w, release := withSeriesThatIsDropped(t, s)
		release()
		synctest.Wait()
		assert.Zero(t, w.(*worker).Stats().Queued)
	})
	forKinds(t, func(t *testing.T, s Scheduler) {
		w := s.NewWorker()
		blocked(t, w)
		require.NoError(t, w.Execute(nothing))
		accept(t)(w.Schedule(nothing))
		assert.Equal(t, 2, w.(*worker).Stats().Queued)
		s.Dispose()
		assert.Zero(t, w.(*worker).Stats().Queued)
	})
}
