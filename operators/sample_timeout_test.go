package operators

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

func TestSampleTimeoutFor(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, SampleTimeoutFor(src, 10, On(h)))
	up := src.last()
	up.OnNext(1)
	h.forward(9)
	up.OnNext(2)
	assert.Equal(t, 1, h.pending())
	h.forward(9)
	p.Open(t)
	h.forward(1)
	p.Open(t, 2)
	up.OnNext(3)
	up.OnNext(4)
	up.OnComplete()
	p.Done(t, 2, 4)
	assert.Zero(t, h.pending())
	accounted(t, p, hooks, 1, 2, 3, 4)
}

func TestSampleTimeout(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	triggers := map[int]*puppet[string]{1: {}, 2: {}, 3: {}}
	p := runWith(ctx, SampleTimeout(src, func(v int) reactor.Publisher[string] { return triggers[v] }))
	src.last().OnNext(1)
	src.last().OnNext(2)
	assert.EqualValues(t, 1, triggers[1].last().cancels.Load())
	triggers[1].last().OnNext("late")
	p.Open(t)
	triggers[2].last().OnComplete()
	p.Open(t, 2)
	src.last().OnNext(3)
	triggers[3].last().OnError(errBoom)
	p.Failed(t, errBoom, 2)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(4)
	accounted(t, p, hooks, 1, 2, 3, 4)
}

func TestSampleTimeoutWithoutDemand(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[int](0)
	SampleTimeoutFor(src, 10, On(h)).Subscribe(ctx, p)
	src.last().OnNext(1)
	h.forward(10)
	p.Failed(t, reactor.ErrOverflow)
	accounted(t, p, hooks, 1)
}

func TestSampleTimeoutFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, SampleTimeout(src, func(int) reactor.Publisher[int] { return Never[int]() }))
	src.last().OnNext(1)
	src.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.Equal(t, []any{1}, hooks.Discarded)
	run(SampleTimeout(Range(1, 3), func(int) reactor.Publisher[int] { panic(errBoom) })).Failed(t, errBoom)
	run(Map(SampleTimeout(Range(1, 3), func(int) reactor.Publisher[int] { return Never[int]() }), func(int) int { panic(errBoom) })).
		Failed(t, errBoom)
	h := &handScheduler{}
	h.refuse(schedulers.ErrUnavailable)
	p = runWith(ctx, SampleTimeoutFor(Just(2), 10, On(h)))
	p.Failed(t, reactor.ErrRejected)
	assert.Equal(t, []any{1, 2}, hooks.Discarded)
}

func TestSampleTimeoutLargeConcurrency(t *testing.T) {
	for _, n := range []int{math.MaxInt, math.MaxInt / 2, queue.MaxRing + 1} {
		never := func(int) stream { return Never[int]() }
		run(SampleTimeout[int, int](Hide(FromSlice([]int{1, 2, 3})), never, Concurrency(n))).Done(t, 3)
	}
}

// With the clock of the system there is one timer, which waits on for later elements: it goes off on time all the same.
func TestSampleTimeoutForOnTheSystemClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := parallel(t)
		defer s.Dispose()
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		var at []time.Duration
		start := time.Now()
		p := runWith(ctx, DoOnNext(SampleTimeoutFor(src, 10*time.Millisecond, On(s)), func(int) { at = append(at, time.Since(start)) }))
		up := src.last()
		for v := range 4 { // 0, 9, 18 and 27 ms: 37
			up.OnNext(v)
			assert.Equal(t, 1, s.Stats().Delayed)
			time.Sleep(9 * time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
		p.Open(t, 3)
		assert.Zero(t, s.Stats().Delayed, "nothing waits")
		up.OnNext(4) // 56: 66
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		p.Open(t, 3, 4)
		up.OnNext(5)
		up.OnComplete()
		p.Done(t, 3, 4, 5)
		assert.Equal(t, []time.Duration{37 * time.Millisecond, 66 * time.Millisecond, 66 * time.Millisecond}, at)
		assert.Zero(t, s.Stats().Delayed)
		accounted(t, p, hooks, 0, 1, 2, 3, 4, 5)
	})
}

// What a cancellation, an error, or a scheduler that refuses leaves.
func TestSampleTimeoutForEndsOnTheSystemClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, end := range map[string]func(*probe.Probe[int], *puppetSubscription[int], schedulers.Scheduler){
			"cancelled": func(p *probe.Probe[int], _ *puppetSubscription[int], _ schedulers.Scheduler) { p.Cancel() },
			"failed":    func(_ *probe.Probe[int], up *puppetSubscription[int], _ schedulers.Scheduler) { up.OnError(errBoom) },
			"refused": func(_ *probe.Probe[int], up *puppetSubscription[int], s schedulers.Scheduler) {
				s.Dispose()
				up.OnNext(2)
			},
		} {
			s := parallel(t)
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			p := runWith(ctx, SampleTimeoutFor(src, time.Hour, On(s)))
			src.last().OnNext(1)
			end(p, src.last(), s)
			assert.Zero(t, s.Stats().Delayed, name)
			assert.Equal(t, name == "refused", errors.Is(p.Failure(), reactor.ErrRejected), name)
			assert.Empty(t, p.Got(), name)
			assert.NotEmpty(t, hooks.Discarded, name)
			s.Dispose()
		}
	})
}

// An element costs no timer, only what tells it from the next one.
func TestSampleTimeoutForTakesOneTimer(t *testing.T) {
	const n = 10_000
	src := SampleTimeoutFor(Range(0, n), time.Hour)
	allocs := testing.AllocsPerRun(5, func() { _ = ForEach(context.Background(), src, func(int) {}) })
	assert.Less(t, allocs, 1.1*n)
}

func TestSampleTimeoutForLaggingRaces(t *testing.T) {
	for name, d := range map[string]time.Duration{"at once": 1, "late": time.Hour} {
		t.Run(name, func(t *testing.T) {
			raceStage(t, 60, func(src elements, h *handScheduler) reactor.Publisher[element] {
				return SampleTimeoutFor(src, d, On(punctual{h}))
			})
		})
	}
}

// A timer that goes off as the next element comes, or src ends: each element is emitted or discarded, and the timer goes off for the
// last one.
func TestSampleTimeoutForLosesNoElement(t *testing.T) {
	racetest.Repeat(racetest.Iterations(5000), func(race func(...func())) {
		h := &handScheduler{}
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		p := runWith(ctx, SampleTimeoutFor(src, 1, On(punctual{h})))
		up := src.last()
		up.OnNext(1)
		fire := h.waiting[0].run
		race(func() { fire(context.Background()) }, func() { up.OnNext(2) })
		for h.pending() > 0 {
			h.forward(1)
		}
		require.Equal(t, 2, p.Got()[len(p.Got())-1])
		up.OnComplete()
		require.True(t, p.Over())
		require.Len(t, hooks.Discarded, 2-len(p.Got()))
	})
}

// A timer that goes off as src completes: the element was due, or is the last one, so it is emitted.
func TestSampleTimeoutRaceOfTimerAndEnd(t *testing.T) {
	racetest.Repeat(racetest.Iterations(20_000), func(race func(...func())) {
		h := &handScheduler{}
		src := &puppet[int]{}
		p := run(SampleTimeoutFor(src, 10, On(h)))
		src.last().OnNext(1)
		fire := h.waiting[0].run
		race(func() { fire(context.Background()) }, src.last().OnComplete)
		require.Equal(t, []int{1}, p.Got())
		require.True(t, p.Over())
	})
}

// TestSampleTimeoutInOrder: an element whose trigger has gone off, and is slow to say so, is discarded if a later one has been emitted
// meanwhile.
func TestSampleTimeoutInOrder(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, triggers := &puppet[int]{}, map[int]*puppet[string]{1: {}, 2: {}}
	p := runWith(ctx, SampleTimeout(src, func(v int) reactor.Publisher[string] { return triggers[v] }))
	up := src.last()
	stage := up.Subscriber.(*sampleTimeoutSubscriber[int])
	up.OnNext(1)
	first := stage.latest.Swap(nil) // as its trigger does
	up.OnNext(2)
	triggers[2].last().OnComplete()
	stage.quiet.Offer(first)
	stage.Out.Run()
	p.Open(t, 2)
	up.OnComplete()
	p.Done(t, 2)
	accounted(t, p, hooks, 1, 2)
}
