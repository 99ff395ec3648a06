package operators

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// reluctant is a scheduler of somebody else whose timers and workers fail when they are disposed.
type reluctant struct {
	*handScheduler
	fail func()
}

type reluctantTimer struct {
	schedulers.Disposable
	fail func()
}

func (r reluctantTimer) Dispose() {
	r.Disposable.Dispose()
	r.fail()
}

type reluctantWorker struct {
	schedulers.Worker
	fail func()
}

func (r reluctantWorker) Dispose() {
	r.Worker.Dispose()
	r.fail()
}

func (r *reluctant) NewWorker() schedulers.Worker {
	return reluctantWorker{r.handScheduler.NewWorker(), r.fail}
}

func (r *reluctant) ScheduleAfter(task schedulers.Task, delay time.Duration) (schedulers.Disposable, error) {
	d, err := r.handScheduler.ScheduleAfter(task, delay)
	return reluctantTimer{d, r.fail}, err
}

func (r *reluctant) SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	d, err := r.handScheduler.SchedulePeriodically(task, initial, period, opts...)
	return reluctantTimer{d, r.fail}, err
}

// reluctantly runs test with a timer that panics, and with one that ends the goroutine. What test calls aside may fail so.
func reluctantly(t *testing.T, test func(t *testing.T, r *reluctant, aside func(func()))) {
	for name, fail := range map[string]func(){"panic": func() { panic(errOther) }, "goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			test(t, &reluctant{&handScheduler{}, fail}, func(fn func()) {
				racetest.Aside(func() {
					defer func() {
						if r := recover(); r != nil {
							require.Equal(t, errOther, r)
						}
					}()
					fn()
				})
			})
		})
	}
}

// patientGroups returns the groups of src, which stands still, and a probe for the stream of groups.
func patientGroups(src *puppet[int], on schedulers.Scheduler) (p *probe.Probe[stream], groups func() []*probe.Probe[int]) {
	p = probeOf[stream](reactor.Unbounded)
	GroupBy(src, func(v int) int { return v % 2 }, func(_ int, group stream) stream { return group },
		Prefetch(2), Patience(10), On(on)).Subscribe(silently(), p)
	for v := range 4 {
		src.last().OnNext(v)
	}
	return p, func() (all []*probe.Probe[int]) {
		for _, group := range p.Got() {
			all = append(all, run(group))
		}
		return all
	}
}

// A timer that fails when groupBy stops it keeps the end from nobody.
func TestGroupByEndsThoughItsTimerFails(t *testing.T) {
	reluctantly(t, func(t *testing.T, r *reluctant, aside func(func())) {
		src := &puppet[int]{}
		p, groups := patientGroups(src, r)
		require.Equal(t, 1, r.pending())
		aside(src.last().OnComplete)
		p.Done(t, p.Got()...)
		for i, g := range groups() {
			g.Done(t, i, i+2)
		}

		src = &puppet[int]{}
		p, groups = patientGroups(src, r)
		aside(func() { src.last().OnError(errBoom) })
		p.Failed(t, errBoom, p.Got()...)
		for i, g := range groups() {
			g.Failed(t, errBoom, i, i+2)
		}
	})
}

// So it is for a cancellation, of the stream of groups or of the last group: src hears of it.
func TestGroupByIsCancelledThoughItsTimerFails(t *testing.T) {
	reluctantly(t, func(t *testing.T, r *reluctant, aside func(func())) {
		src := &puppet[int]{}
		p, groups := patientGroups(src, r)
		p.Cancel()
		for _, g := range groups() {
			aside(g.Cancel)
		}
		require.EqualValues(t, 1, src.last().cancels.Load())

		src = &puppet[int]{}
		p, groups = patientGroups(src, r)
		for _, g := range groups() {
			g.Cancel()
		}
		aside(p.Cancel)
		require.EqualValues(t, 1, src.last().cancels.Load())
	})
}

// The timer of a window fails when it is stopped: the window gets its end, and so does the stream.
func TestWindowTimeoutEndsThoughItsTimerFails(t *testing.T) {
	for name, opts := range map[string][]WindowTimeoutOption{"at once": nil, "fair": {FairBackpressure()}} {
		t.Run(name, func(t *testing.T) {
			reluctantly(t, func(t *testing.T, r *reluctant, aside func(func())) {
				open := func(size int) (*puppet[int], *probe.Probe[stream], *probe.Probe[int]) {
					src, p := &puppet[int]{}, probeOf[stream](9)
					WindowTimeout(src, size, 10, bare[int], append(opts, On(r))...).Subscribe(silently(), p)
					return src, p, run(p.Got()[0])
				}
				src, p, w := open(3)
				src.last().OnNext(0)
				aside(src.last().OnComplete)
				w.Done(t, 0)
				require.True(t, p.Over())

				src, p, w = open(3)
				src.last().OnNext(0)
				aside(func() { src.last().OnError(errBoom) })
				w.Failed(t, errBoom, 0)
				require.True(t, p.Over())

				src, p, w = open(2)
				src.last().OnNext(0)
				aside(func() { src.last().OnNext(1) })
				w.Done(t, 0, 1)
				require.Equal(t, strings.HasSuffix(t.Name(), "goexit"), p.Failure() != nil)
			})
		})
	}
}

// An element that fills a window which outlives the stream of windows gets there, also if the timer fails.
func TestWindowTimeoutFairLastWindowThoughItsTimerFails(t *testing.T) {
	reluctantly(t, func(t *testing.T, r *reluctant, aside func(func())) {
		src, p := &puppet[int]{}, probeOf[stream](9)
		WindowTimeout(src, 2, 10, bare[int], FairBackpressure(), On(r)).Subscribe(silently(), p)
		w := run(p.Got()[0])
		p.Cancel()
		src.last().OnNext(0)
		aside(func() { src.last().OnNext(1) })
		w.Done(t, 0, 1)
	})
}

// A worker that fails when it is given back fails once: the stream ends, and what waits is discarded.
func TestOnBackpressureBufferTimeoutThoughItsWorkerFails(t *testing.T) {
	reluctantly(t, func(t *testing.T, r *reluctant, aside func(func())) {
		calls, fail := 0, r.fail
		r.fail = func() {
			if calls++; calls < 5 { // so that the test ends in any case
				fail()
			}
		}
		ctx, hooks := probe.Recorded()
		src, p := &puppet[int]{}, probeOf[int](0)
		OnBackpressureBufferTimeout(src, 10, 2, func(int) {}, On(r)).Subscribe(ctx, p)
		src.last().OnNext(0)
		src.last().OnNext(1)
		aside(p.Cancel)
		require.Equal(t, 1, calls)
		require.Equal(t, []any{0, 1}, hooks.Discarded)
		require.EqualValues(t, 1, src.last().cancels.Load())
	})
}

// Whoever comes within the grace is there, also if the timer of the grace fails when it is stopped.
func TestRefCountThoughTheTimerOfTheGraceFails(t *testing.T) {
	reluctantly(t, func(t *testing.T, r *reluctant, aside func(func())) {
		src := &puppet[int]{}
		shared := RefCount(Publish(src), 1, Grace(10), On(r))
		run(shared).Cancel()
		p := probeOf[int](reactor.Unbounded)
		aside(func() { shared.Subscribe(silently(), p) })
		src.last().OnNext(1)
		p.Open(t, 1)
	})
}
