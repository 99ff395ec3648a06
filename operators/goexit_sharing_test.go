package operators

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// endsWhoSchedules is a scheduler with a hook that ends the goroutine of who schedules.
type endsWhoSchedules struct{ *handScheduler }

func (endsWhoSchedules) ScheduleAfter(schedulers.Task, time.Duration) (schedulers.Disposable, error) {
	runtime.Goexit()
	return nil, nil
}

func (endsWhoSchedules) SchedulePeriodically(schedulers.Task, time.Duration, time.Duration, ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	runtime.Goexit()
	return nil, nil
}

// What plans the end of an outcome ends the goroutine: those who wait get it all the same.
func TestMonoCacheGoexitInTheScheduling(t *testing.T) {
	src := &puppet[int]{}
	cached := MonoCache(src, TTL(10), On(endsWhoSchedules{&handScheduler{}}))
	p, q := run(cached), run(cached)
	racetest.Aside(func() { src.last().OnNext(1) })
	p.Done(t, 1)
	q.Done(t, 1)
}

// What plans the end of a connection ends the goroutine: it ends at once.
func TestRefCountGoexitInTheScheduling(t *testing.T) {
	src := &puppet[int]{}
	p := run(RefCount(Publish(src), 1, Grace(10), On(endsWhoSchedules{&handScheduler{}})))
	racetest.Aside(p.Cancel)
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

// brokenClock is a scheduler whose clock fails when it is told to.
type brokenClock struct {
	*handScheduler
	broken bool
}

func (c *brokenClock) Now() time.Time {
	if c.broken {
		panic(errBoom)
	}
	return c.handScheduler.Now()
}

// A clock that fails when the end comes does not keep that from the subscribers.
func TestReplayWhoseClockFailsAtTheEnd(t *testing.T) {
	clock := &brokenClock{handScheduler: &handScheduler{}}
	src := &puppet[int]{}
	p := run(Cache(src, TTL(10), On(clock)))
	src.last().OnNext(1)
	clock.broken = true
	assert.Panics(t, func() { src.last().OnComplete() })
	p.Done(t, 1)
}

// leavingHook is a context whose discard hook ends the goroutine.
func leavingHook() context.Context {
	return reactor.WithHooks(context.Background(), reactor.Hooks{
		Discard:      func(context.Context, any) { runtime.Goexit() },
		ErrorDropped: func(context.Context, error) {},
	})
}

// The discard hook ends the goroutine that cancels: the source and the timer are stopped.
func TestMonoDelayElementGoexitInTheDiscard(t *testing.T) {
	h, src := &handScheduler{}, &puppet[int]{}
	p := runWith(leavingHook(), MonoDelayElement(src, 10, On(h)))
	src.last().OnNext(1)
	racetest.Aside(p.Cancel)
	assert.Zero(t, h.pending())
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

// The discard hook ends the goroutine: the resource is released, and downstream is told of the end.
func TestMonoUsingWhenGoexitInTheDiscard(t *testing.T) {
	src, cleaned := &puppet[int]{}, 0
	used := func(after stream) stream {
		clean := func(int) stream { cleaned++; return after }
		return MonoUsingWhen(Just(1), func(int) stream { return src }, AsyncCleanup[int, int]{Complete: clean})
	}
	p := runWith(leavingHook(), used(Empty[int]()))
	src.last().OnNext(1)
	racetest.Aside(p.Cancel)
	assert.Equal(t, 1, cleaned)

	p = runWith(leavingHook(), used(Error[int](errOther)))
	src.last().OnNext(1)
	racetest.Aside(src.last().OnComplete)
	p.Failed(t, errOther)
	assert.Equal(t, 2, cleaned)
}

// The discard hook ends the goroutine that cancels: what the producer wants done at the end is done.
func TestMonoCreateGoexitInTheDiscard(t *testing.T) {
	disposed := 0
	p := probeOf[int](0)
	MonoCreate(func(s *MonoSink[int]) {
		s.OnDispose(func() { disposed++ })
		s.Success(1)
	}).Subscribe(leavingHook(), p)
	racetest.Aside(p.Cancel)
	assert.Equal(t, 1, disposed)
}
