package foreign

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

// angry is a scheduler whose methods panic, but for the clock; a patient one returns handles, and workers, that do.
type angry struct {
	schedulers.Scheduler
	patient bool
}

type angryWorker struct{ schedulers.Worker }

type angryHandle struct{ schedulers.Disposable }

func (a angry) rage() (schedulers.Disposable, error) {
	if a.patient {
		return angryHandle{}, nil
	}
	panic(io.EOF)
}

func (a angry) Execute(schedulers.Task) error { _, err := a.rage(); return err }

func (a angry) Schedule(schedulers.Task) (schedulers.Disposable, error) { return a.rage() }

func (a angry) ScheduleAfter(schedulers.Task, time.Duration) (schedulers.Disposable, error) {
	return a.rage()
}

func (a angry) SchedulePeriodically(schedulers.Task, time.Duration, time.Duration, ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	return a.rage()
}

func (a angry) NewWorker() schedulers.Worker {
	_, _ = a.rage()
	return angryWorker{}
}

func (angryWorker) Execute(schedulers.Task) error { panic(io.EOF) }

func (angryWorker) Schedule(schedulers.Task) (schedulers.Disposable, error) { panic(io.EOF) }

func (angryWorker) ScheduleAfter(schedulers.Task, time.Duration) (schedulers.Disposable, error) {
	panic(io.EOF)
}

func (angryWorker) SchedulePeriodically(schedulers.Task, time.Duration, time.Duration, ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	panic(io.EOF)
}

func (angryWorker) Dispose() { panic(io.EOF) }

func (angryHandle) Dispose() { panic(io.EOF) }

func nothing(context.Context) {}

// submitted returns the errors of submitting a task in every way.
func submitted(l tasks) (errs []error) {
	errs = append(errs, l.Execute(nothing))
	_, err := l.Schedule(nothing)
	errs = append(errs, err)
	_, err = l.ScheduleAfter(nothing, 1)
	errs = append(errs, err)
	_, err = l.SchedulePeriodically(nothing, 1, 1)
	return append(errs, err)
}

func TestAPanicIsARefusal(t *testing.T) {
	s := Scheduler(angry{})
	for name, l := range map[string]tasks{
		"a scheduler":           s,
		"a worker there is not": s.NewWorker(),
		"a worker":              Scheduler(angry{patient: true}).NewWorker(),
	} {
		for i, err := range submitted(l) {
			assert.ErrorIs(t, err, schedulers.ErrRejected, "%s, %d", name, i)
			assert.ErrorIs(t, err, io.EOF, "%s, %d", name, i)
			var p *reactor.PanicError
			assert.ErrorAs(t, err, &p, "%s, %d", name, i)
		}
	}
	w := s.NewWorker()
	w.Dispose()
	assert.True(t, w.IsDisposed())
}

func TestAPanicOfAHandleIsReported(t *testing.T) {
	var dropped []error
	defer reactor.SetHooks(t.Name(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }})()
	s := Scheduler(angry{patient: true})
	for _, submit := range []func() (schedulers.Disposable, error){
		func() (schedulers.Disposable, error) { return s.Schedule(nothing) },
		func() (schedulers.Disposable, error) { return s.ScheduleAfter(nothing, 1) },
		func() (schedulers.Disposable, error) { return s.SchedulePeriodically(nothing, 1, 1) },
	} {
		d, err := submit()
		require.NoError(t, err)
		assert.NotPanics(t, d.Dispose)
	}
	assert.NotPanics(t, s.NewWorker().Dispose)
	require.Len(t, dropped, 4)
	for _, err := range dropped {
		assert.ErrorIs(t, err, io.EOF)
	}
}

// refusal is a scheduler that says no.
type refusal struct{ schedulers.Scheduler }

var errNo = errors.New("no")

func (refusal) Schedule(schedulers.Task) (schedulers.Disposable, error) { return nil, errNo }

// careless is one that returns no handle.
type careless struct{ schedulers.Scheduler }

func (careless) Schedule(schedulers.Task) (schedulers.Disposable, error) { return nil, nil }

func TestWhatASchedulerReturns(t *testing.T) {
	d, err := Scheduler(refusal{}).Schedule(nothing)
	assert.Nil(t, d)
	assert.Equal(t, errNo, err)
	d, err = Scheduler(careless{}).Schedule(nothing)
	require.NoError(t, err)
	d.Dispose()
	assert.True(t, d.IsDisposed(), "a handle of a task that can't be taken back")
}

// Those of the library stay what they are; what they say of themselves is heard through a guard.
func TestSchedulersOfTheLibrary(t *testing.T) {
	own, err := schedulers.NewParallel("own", 1)
	require.NoError(t, err)
	defer own.Dispose()
	for _, s := range []schedulers.Scheduler{own, schedulers.Immediate(), schedulers.Parallel(), schedulers.BoundedElastic()} {
		assert.Equal(t, s, Scheduler(s))
	}
	around := Scheduler(struct{ schedulers.Scheduler }{own})
	assert.NotEqual(t, own, around)
	assert.Equal(t, around, Scheduler(around), "one guard is enough")
	assert.False(t, around.(interface{ OnSystemClock() bool }).OnSystemClock(), "it hides that")
	assert.False(t, around.(interface{ IsVirtual() bool }).IsVirtual())
	assert.True(t, Scheduler(told{own}).(interface{ OnSystemClock() bool }).OnSystemClock())
	assert.True(t, Scheduler(told{own}).(interface{ IsVirtual() bool }).IsVirtual())
}

// told is a scheduler that says something of itself.
type told struct{ schedulers.Scheduler }

func (told) OnSystemClock() bool { return true }
func (told) IsVirtual() bool     { return true }
