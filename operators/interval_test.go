package operators

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// SchedulePeriodically runs task at initial + k·period.
func (w *handWorker) SchedulePeriodically(
	task schedulers.Task, initial, period time.Duration, _ ...schedulers.PeriodicOption,
) (schedulers.Disposable, error) {
	var again schedulers.Task
	again = func(ctx context.Context) {
		task(ctx)
		_, _ = w.add(w, again, period)
	}
	return w.ScheduleAfter(again, initial)
}

func TestInterval(t *testing.T) {
	h := &handScheduler{}
	p := probeOf[int64](3)
	Interval(2, On(h)).Subscribe(context.Background(), p)
	h.forward(1)
	p.Open(t)
	h.forward(1)
	p.Open(t, 0)
	h.forward(2)
	h.forward(2)
	p.Open(t, 0, 1, 2)
	p.Request(1)
	h.forward(2)
	p.Open(t, 0, 1, 2, 3)
	h.forward(2)
	p.Failed(t, reactor.ErrOverflow, 0, 1, 2, 3)
	h.assertReleased(t)
	assert.Zero(t, h.pending())
}

func TestIntervalInitialDelay(t *testing.T) {
	h := &handScheduler{}
	p := probeOf[int64](reactor.Unbounded)
	Interval(5, InitialDelay(0), On(h)).Subscribe(context.Background(), p)
	h.run()
	p.Open(t, 0)
	h.forward(5)
	p.Open(t, 0, 1)
	p.Cancel()
	p.Cancel()
	h.forward(5)
	p.Open(t, 0, 1)
	h.assertReleased(t)
}

func TestIntervalOnTheDefaultScheduler(t *testing.T) {
	p := probeOf[int64](reactor.Unbounded)
	three := make(chan struct{})
	p.Each = func(v int64) {
		if v == 2 {
			p.Cancel()
			close(three)
		}
	}
	Interval(time.Microsecond).Subscribe(context.Background(), p)
	<-three
	p.Open(t, 0, 1, 2)
}

func TestIntervalDownstreamPanics(t *testing.T) {
	h := &handScheduler{}
	ctx, hooks := probe.Recorded()
	p := runWith(ctx, Map(Interval(1, On(h)), func(v int64) int64 { panic(errBoom) }))
	h.forward(1)
	h.forward(1)
	p.Failed(t, errBoom)
	assert.Equal(t, []any{int64(0)}, hooks.Discarded)
	h.assertReleased(t)
}

func TestIntervalRefused(t *testing.T) {
	h := &handScheduler{}
	h.refuse(schedulers.ErrCapacity)
	p := run(Interval(1, On(h)))
	p.Failed(t, reactor.ErrRejected)
	assert.ErrorIs(t, p.Failure(), schedulers.ErrCapacity)
	h.assertReleased(t)
}

func TestIntervalArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: interval: period must not be negative, got -1ns", func() { Interval(-1) })
	assert.Panics(t, func() { Interval(1, InitialDelay(-1)) })
	assert.Panics(t, func() { Interval(1, On(nil)) })
	assert.Panics(t, func() { Delay(1, On(nil)) })
}

func TestDelay(t *testing.T) {
	h := &handScheduler{}
	p := probeOf[int64](1)
	Delay(3, On(h)).Subscribe(context.Background(), p)
	h.forward(2)
	p.Open(t)
	h.forward(1)
	p.Done(t, 0)

	p = probeOf[int64](0)
	Delay(3, On(h)).Subscribe(context.Background(), p)
	h.forward(3)
	p.Open(t)
	p.Request(1)
	p.Done(t, 0)

	p = probeOf[int64](1)
	Delay(3, On(h)).Subscribe(context.Background(), p)
	p.Cancel()
	assert.Zero(t, h.pending(), "the timer is taken back")
	h.forward(3)
	p.Open(t)

	p = probeOf[int64](1)
	p.Subscribed = func(up reactor.Subscription) { up.Cancel() }
	Delay(3, On(h)).Subscribe(context.Background(), p)
	assert.Zero(t, h.pending())

	h.refuse(schedulers.ErrCapacity)
	run(Delay(3, On(h))).Failed(t, schedulers.ErrCapacity)
}

func TestDelayOnTheDefaultScheduler(t *testing.T) {
	got, err := Collect(context.Background(), Delay(time.Microsecond))
	assert.NoError(t, err)
	assert.Equal(t, []int64{0}, got)
}

func TestDelayRaces(t *testing.T) {
	for range racetest.Iterations(300) {
		h := &handScheduler{}
		p := probeOf[int64](0)
		Delay(0, On(h)).Subscribe(context.Background(), p)
		racetest.Race(func() { h.run() }, func() { p.Request(1) }, func() { p.Cancel() })
		assert.Empty(t, p.Faults())
	}
}
