package schedulers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/chaos"
)

// Who asks why a task was refused is told that the scheduler is disposed, not that its service has failed.
func TestServiceThatWasShutDownRefusesAsADisposedScheduler(t *testing.T) {
	svc := newTestService()
	s := FromExecutorService(svc, "t")
	w := s.NewWorker()
	svc.Shutdown()
	for _, l := range []lane{s, w} {
		errs := []error{l.Execute(nothing)}
		for _, submit := range []func() (Disposable, error){
			func() (Disposable, error) { return l.Schedule(nothing) },
			func() (Disposable, error) { return l.ScheduleAfter(nothing, time.Second) },
			func() (Disposable, error) { return l.SchedulePeriodically(nothing, 0, time.Second) },
		} {
			_, err := submit()
			errs = append(errs, err)
		}
		for _, err := range errs {
			var refusal *RejectedError
			require.ErrorAs(t, err, &refusal)
			assert.Equal(t, Disposed, refusal.Reason)
		}
	}
	assert.EqualValues(t, 8, s.Stats().Rejected)
}

func TestTimedTasksThatAnExecutorCannotDelayAreCountedAsRefused(t *testing.T) {
	s := FromExecutor(executor(func(ctx context.Context, task executors.Task) error {
		task(ctx)
		return nil
	}))
	for _, l := range []lane{s, s.NewWorker()} {
		before := s.Stats().Rejected
		_, err := l.ScheduleAfter(nothing, time.Second)
		assert.ErrorIs(t, err, ErrNotTimeCapable)
		_, err = l.SchedulePeriodically(nothing, 0, time.Second)
		assert.ErrorIs(t, err, ErrNotTimeCapable)
		assert.EqualValues(t, 2, s.Stats().Rejected-before)
	}
}

// A worker may be used for as long as a program runs.
func TestWorkerOnAnExecutorForgetsTasksThatAreThrough(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, err := executors.NewScheduledPool(1)
		require.NoError(t, err)
		for _, s := range []Scheduler{FromExecutor(p, Trampoline()), FromScheduledPool(p)} {
			w := s.NewWorker()
			for range 10 {
				require.NoError(t, w.Execute(nothing))
				accept(t)(w.Schedule(nothing))
			}
			accept(t)(w.Schedule(nothing)).Dispose()
			synctest.Wait()
			assert.Empty(t, w.(*executorWorker).tasks)
			s.Dispose()
		}
		p.Shutdown()
		require.NoError(t, p.AwaitTermination(t.Context()))
	})
}

// Its executor may drop a task before anybody wants to hear of that.
func TestTaskThatIsLostBeforeSomebodyAsksTellsHim(t *testing.T) {
	var dropped func(error)
	e := &droppingExecutor{take: func(_ executors.Task, drop func(error)) { dropped = drop }}
	d := accept(t)(FromExecutor(e).Schedule(nothing))
	early, late := 0, 0
	tellLoss(d, func(error) { early++ })
	assert.Zero(t, early)
	dropped(errShut)
	assert.Equal(t, 1, early)
	tellLoss(d, func(error) { late++ })
	assert.Equal(t, 1, late)
	dropped(errShut)
	assert.Equal(t, []int{1, 1}, []int{early, late})
}

// droppingExecutor runs nothing, and leaves to take what it does.
type droppingExecutor struct {
	take func(task executors.Task, drop func(error))
}

func (e *droppingExecutor) Execute(context.Context, executors.Task) error { panic("not used") }

func (e *droppingExecutor) Track(_ context.Context, task executors.Task, drop func(error)) (func() bool, error) {
	e.take(task, drop)
	return func() bool { return false }, nil
}

// lookedAtClock is the system's, and calls look when it is asked for the time.
type lookedAtClock struct {
	Clock
	look func()
}

func (c *lookedAtClock) Now() time.Time {
	if look := c.look; look != nil {
		c.look = nil
		look()
	}
	return c.Clock.Now()
}

// A graceful disposal waits for what was accepted, so a timed task that it does not find must not come in behind it.
func TestTimedTasksThatMeetAGracefulDisposalAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		submit func(s Scheduler) (Disposable, error)
		opts   []DisposeOption
	}{
		"series":  {func(s Scheduler) (Disposable, error) { return s.SchedulePeriodically(nothing, 0, time.Hour) }, nil},
		"delayed": {func(s Scheduler) (Disposable, error) { return s.ScheduleAfter(nothing, time.Hour) }, []DisposeOption{DropDelayed()}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				clock := &lookedAtClock{Clock: systemClock{}}
				source := NewSingle("t", WithClock(clock))
				defer source.Dispose()
				s := SingleWorker(source)
				ended := make(chan error, 1)
				clock.look = func() {
					go func() { ended <- s.DisposeGracefully(context.Background(), c.opts...) }()
					synctest.Wait()
				}
				_, err := c.submit(s)
				assert.ErrorIs(t, err, ErrUnavailable)
				synctest.Wait()
				select {
				case err := <-ended:
					assert.NoError(t, err)
				default:
					assert.Fail(t, "it waits for a task that was not to come in")
					s.Dispose()
				}
				assert.EqualValues(t, 1, s.Stats().Rejected)
			})
		})
	}
}

// Nobody has picked a slot for what can't be a task.
func TestNilTasksHoldNoSlot(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(2, 10, "t"))
		defer s.Dispose()
		assert.Panics(t, func() { _ = s.Execute(nil) })
		assert.Panics(t, func() { _, _ = s.Schedule(nil) })
		assert.Panics(t, func() { _, _ = s.ScheduleAfter(nil, time.Second) })
		assert.Panics(t, func() { _, _ = s.SchedulePeriodically(nil, 0, time.Second) })
		st := s.Stats()
		assert.Zero(t, st.Busy)
		assert.Zero(t, st.Idle)
	})
}

// A worker may be disposed while it is given tasks with a time: the scheduler forgets them with it.
func TestTimedTasksOfAWorkerThatIsDisposedMeanwhile(t *testing.T) {
	pool, err := executors.NewScheduledPool(1)
	require.NoError(t, err)
	s := FromScheduledPool(pool)
	defer pool.ShutdownNow()
	for range 3000 {
		w := s.NewWorker()
		disposed := make(chan struct{})
		go func() {
			defer close(disposed)
			chaos.Yield()
			w.Dispose()
		}()
		_, err := w.ScheduleAfter(nothing, time.Hour)
		if err == nil {
			_, err = w.SchedulePeriodically(nothing, time.Hour, time.Hour)
		}
		if err != nil {
			assert.ErrorIs(t, err, ErrRejected)
		}
		<-disposed
	}
	x := s.(*executorScheduler)
	assert.Empty(t, x.timed)
}
