package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// The source is asked for another element in the place of one that has failed in a rail: otherwise the other rails would wait for ever.
func TestOtherRailsGoOnBehindAnElementThatFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	a, b := probeOf[int](reactor.Unbounded), probeOf[int](reactor.Unbounded)
	a.Each = func(int) { panic(errBoom) }
	ParallelSubscribe(ctx, Parallel(Range(1, 5), 2, Prefetch(1)), reactor.Subscriber[int](a), b)
	a.Failed(t, errBoom, 1)
	b.Done(t, 2, 3, 4, 5)
	require.Equal(t, []any{1}, hooks.Discarded)
	require.Empty(t, hooks.Errs)
}

// An element that has failed in a rail counts as one that was dealt out.
func TestElementsThatFailInRailsAreReplaced(t *testing.T) {
	ctx, _ := probe.Recorded()
	src := &puppet[int]{}
	rails := subscribeRails(ctx, Parallel(src, 3, Prefetch(4)), reactor.Unbounded)
	for _, p := range rails[:2] {
		p.Each = func(int) { panic(errBoom) }
	}
	up := src.last()
	for i := range 3 {
		up.OnNext(i)
	}
	rails[0].Failed(t, errBoom, 0)
	rails[1].Failed(t, errBoom, 1)
	rails[2].Open(t, 2)
	require.EqualValues(t, 7, up.requested.Load())
}

// onlyOneWorker is a scheduler that ends the goroutine that asks for a second worker.
type onlyOneWorker struct {
	schedulers.Scheduler
	first schedulers.Worker
}

func (s *onlyOneWorker) NewWorker() schedulers.Worker {
	if s.first != nil {
		runtime.Goexit()
	}
	s.first = s.Scheduler.NewWorker()
	return s.first
}

// The workers that there are go back, and each rail ends.
func TestRunOnWhoseSchedulerEndsTheGoroutine(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	s := &onlyOneWorker{Scheduler: schedulers.Parallel()}
	p := probeOf[int](reactor.Unbounded)
	racetest.Aside(func() { ParallelSequential(ParallelRunOn(Parallel(src, 3), s)).Subscribe(ctx, p) })
	require.True(t, s.first.IsDisposed())
	p.Failed(t, reactor.ErrGoexit)
	require.ErrorContains(t, p.Failure(), "runOn:")
	require.Empty(t, hooks.Errs)

	s = &onlyOneWorker{Scheduler: schedulers.Parallel()}
	var rails []*probe.Probe[int]
	racetest.Aside(func() {
		a, b := probeOf[int](1), probeOf[int](1)
		rails = append(rails, a, b)
		ParallelSubscribe(ctx, ParallelRunOn(Parallel(src, 2), s), reactor.Subscriber[int](a), b)
	})
	for _, rail := range rails {
		rail.Failed(t, reactor.ErrGoexit)
	}
}
