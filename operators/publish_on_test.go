package operators

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

func numbers(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

func TestPublishOnDeliversEverythingOnOneWorker(t *testing.T) {
	s := newParallel(t, 4)
	const n = 20_000
	var got []int // no lock: the race detector proves that signals are serial
	done := make(chan struct{})
	sub := &probe.Probe[int]{Initial: reactor.Unbounded}
	sub.Each = func(v int) {
		got = append(got, v)
		if v == n-1 {
			close(done)
		}
	}
	PublishOn(Range(0, n), s).Subscribe(context.Background(), sub)
	<-done
	assert.Equal(t, numbers(n), got)
}

func TestPublishOnDoesNothingOnTheGoroutineOfTheSource(t *testing.T) {
	h := &handScheduler{}
	p := run(PublishOn(Range(1, 3), h))
	p.Open(t)
	h.run()
	p.Done(t, 1, 2, 3)
	h.assertReleased(t)
}

func TestPublishOnHonoursDemand(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[int](2)
	PublishOn(src, h, Prefetch(4)).Subscribe(context.Background(), p)
	up := src.last()
	assert.EqualValues(t, 4, up.requested.Load(), "prefetch, whatever the demand")
	for i := range 4 {
		up.OnNext(i)
	}
	h.run()
	p.Open(t, 0, 1)
	p.Request(1)
	h.run()
	p.Open(t, 0, 1, 2)
	assert.EqualValues(t, 7, up.requested.Load(), "three quarters are delivered")
	assert.EqualValues(t, 2, up.requests.Load())
	up.OnComplete()
	h.run()
	p.Open(t, 0, 1, 2)
	p.Request(1)
	h.run()
	p.Done(t, 0, 1, 2, 3)
}

func TestPublishOnCompletionNeedsNoDemand(t *testing.T) {
	h := &handScheduler{}
	p := probeOf[int](0)
	PublishOn(Empty[int](), h).Subscribe(context.Background(), p)
	h.run()
	p.Done(t)
}

func TestPublishOnPrefetchOfAnySize(t *testing.T) {
	for _, prefetch := range []int{1, 2, 3, 7, 31, 33, queue.MaxRing + 1, math.MaxInt} {
		t.Run(fmt.Sprint(prefetch), func(t *testing.T) {
			h := &handScheduler{}
			src := &puppet[int]{}
			p := probeOf[int](reactor.Unbounded)
			PublishOn(src, h, Prefetch(prefetch)).Subscribe(context.Background(), p)
			up := src.last()
			for i := 0; i < 1000; i++ {
				if int64(i) == up.requested.Load() {
					h.run()
				}
				if !assert.Less(t, int64(i), up.requested.Load(), "asks again") {
					return
				}
				up.OnNext(i)
			}
			up.OnComplete()
			h.run()
			p.Done(t, numbers(1000)...)
		})
	}
}

func TestPublishOnRefusesBadArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: publishOn: prefetch must be positive, got 0", func() {
		PublishOn(Empty[int](), schedulers.Immediate(), Prefetch(0))
	})
	assert.PanicsWithValue(t, "reactor: publishOn: the scheduler is nil", func() { PublishOn(Empty[int](), nil) })
	assert.PanicsWithValue(t, "reactor: publishOn: the publisher is nil", func() {
		PublishOn[int](nil, schedulers.Immediate())
	})
}

func TestPublishOnErrorWaitsForWhatIsQueued(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[int](1)
	PublishOn(src, h).Subscribe(context.Background(), p)
	src.last().OnNext(1)
	src.last().OnNext(2)
	src.last().OnError(errBoom)
	h.run()
	p.Open(t, 1)
	p.Request(1)
	h.run()
	p.Failed(t, errBoom, 1, 2)
	h.assertReleased(t)
}

func TestPublishOnEagerErrorOvertakes(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[int](1)
	PublishOn(src, h, EagerErrors()).Subscribe(ctx, p)
	src.last().OnNext(1)
	h.run()
	src.last().OnNext(2)
	src.last().OnNext(3)
	src.last().OnError(errBoom)
	h.run()
	p.Failed(t, errBoom, 1)
	assert.Equal(t, []any{2, 3}, hooks.Discarded)
	h.assertReleased(t)
}

func TestPublishOnLateSignals(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, PublishOn(src, h))
	src.last().OnComplete()
	h.run()
	src.last().OnNext(1)
	src.last().OnError(errBoom)
	src.last().OnComplete()
	h.run()
	p.Done(t)
	assert.Equal(t, []any{1}, hooks.Dropped)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

func TestPublishOnSourceThatSendsTooMuch(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, PublishOn(src, h, Prefetch(2)))
	up := src.last()
	up.OnNext(1)
	up.OnNext(2)
	up.OnNext(3)
	h.run()
	p.Failed(t, reactor.ErrOverflow, 1, 2)
	assert.EqualValues(t, 1, up.cancels.Load())
	assert.Equal(t, []any{3}, hooks.Discarded)
}

func TestPublishOnCancelDiscardsOnce(t *testing.T) {
	for _, started := range []bool{false, true} {
		t.Run(fmt.Sprintf("task started=%v", started), func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			h := &handScheduler{}
			src := &puppet[int]{}
			p := probeOf[int](1)
			PublishOn(src, h).Subscribe(ctx, p)
			up := src.last()
			h.run()
			up.OnNext(1)
			up.OnNext(2)
			if started {
				h.run()
			}
			p.Cancel()
			p.Cancel()
			assert.EqualValues(t, 1, up.cancels.Load())
			h.assertReleased(t)
			up.OnNext(3)
			up.OnComplete()
			h.run()
			if started {
				p.Open(t, 1)
			} else {
				p.Open(t)
			}
			accounted(t, p, hooks, 1, 2, 3)
		})
	}
}

func TestPublishOnCancelWithinOnNext(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	p := probeOf[int](reactor.Unbounded)
	p.Each = func(v int) {
		if v == 2 {
			p.Cancel()
		}
	}
	PublishOn(FromSlice([]int{1, 2, 3, 4, 5}), h).Subscribe(ctx, p)
	h.run()
	p.Open(t, 1, 2)
	accounted(t, p, hooks, 1, 2, 3, 4, 5)
	h.assertReleased(t)
}

func TestPublishOnRejection(t *testing.T) {
	t.Run("of the first task", func(t *testing.T) {
		h := &handScheduler{}
		h.refuse(schedulers.ErrCapacity)
		src := &puppet[int]{}
		p := run(PublishOn(src, h))
		p.Failed(t, reactor.ErrRejected)
		assert.ErrorIs(t, p.Failure(), schedulers.ErrCapacity)
		assert.ErrorContains(t, p.Failure(), "publishOn")
		assert.EqualValues(t, 1, src.last().cancels.Load())
		h.assertReleased(t)
	})
	t.Run("later", func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		h := &handScheduler{}
		src := &puppet[int]{}
		p := probeOf[int](1)
		PublishOn(src, h).Subscribe(ctx, p)
		up := src.last()
		up.OnNext(1)
		up.OnNext(2)
		h.run()
		h.refuse(schedulers.ErrUnavailable)
		up.OnNext(3)
		p.Failed(t, reactor.ErrRejected, 1)
		up.OnNext(4)
		up.OnComplete()
		p.Request(5)
		p.Failed(t, reactor.ErrRejected, 1)
		accounted(t, p, hooks, 1, 2, 3, 4)
	})
	t.Run("transient", func(t *testing.T) {
		h := &handScheduler{}
		h.refuse(schedulers.ErrCapacity)
		p := run(PublishOn(Just(1), h))
		p.Failed(t, reactor.ErrRejected)
		h.refuse(nil)
		p = run(PublishOn(Just(1), h))
		h.run()
		p.Done(t, 1)
	})
	t.Run("by a shut down scheduler", func(t *testing.T) {
		s := schedulers.NewSingle("gone")
		s.Dispose()
		run(PublishOn(Just(1), s)).Failed(t, reactor.ErrRejected)
	})
}

func TestPublishOnYieldsToOtherTasks(t *testing.T) {
	t.Run("a source that is asked on the worker", func(t *testing.T) {
		h := &handScheduler{}
		p := run(PublishOn(Range(0, 3*publishOnTurn), h))
		between := 0
		for h.step() {
			between++
		}
		p.Done(t, numbers(3*publishOnTurn)...)
		assert.GreaterOrEqual(t, between, 3, "several tasks, one after the other")
	})
	t.Run("a queue that is never empty", func(t *testing.T) {
		h := &handScheduler{}
		var source *FluxSink[int]
		p := probeOf[int](reactor.Unbounded)
		PublishOn(Create(func(s *FluxSink[int]) { source = s }), h).Subscribe(context.Background(), p)
		p.Each = func(v int) {
			if v < 3*publishOnTurn {
				source.Next(v + 2) // one behind the one that waits
			}
		}
		source.Next(0)
		source.Next(1)
		between := 0
		for h.step() {
			between++
		}
		assert.Equal(t, numbers(3*publishOnTurn+2), p.Got())
		assert.GreaterOrEqual(t, between, 3, "several tasks, one after the other")
		source.Complete()
		h.run()
	})
}

func TestPublishOnYieldRejected(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	h.onOffer = func(n int) error {
		if n == 2 {
			return schedulers.ErrUnavailable
		}
		return nil
	}
	p := runWith(ctx, PublishOn(Range(0, 3*publishOnTurn), h))
	h.run()
	assert.ErrorIs(t, p.Failure(), reactor.ErrRejected)
	assert.GreaterOrEqual(t, len(p.Got()), publishOnTurn)
	accounted(t, p, hooks, numbers(len(p.Got())+len(hooks.Discarded))...)
	h.assertReleased(t)
}

func TestPublishOnYieldDoesNotRecurseOnImmediate(t *testing.T) {
	deepest := 0
	p := probeOf[int](reactor.Unbounded)
	var pcs [1000]uintptr
	count := 0
	p.Each = func(int) {
		if count++; count%publishOnTurn == 1 {
			deepest = max(deepest, runtime.Callers(0, pcs[:]))
		}
	}
	PublishOn(Range(0, 20*publishOnTurn), schedulers.Immediate()).Subscribe(context.Background(), p)
	assert.True(t, p.Over())
	assert.Len(t, p.Got(), 20*publishOnTurn)
	assert.Less(t, deepest, 60)
}

// concurrentLane runs every task at once on a goroutine of its own: an executor
// that keeps no order.
type concurrentLane struct {
	schedulers.Worker
	tasks *sync.WaitGroup
}

func (c concurrentLane) Execute(task schedulers.Task) error {
	c.tasks.Go(func() { task(context.Background()) })
	return nil
}

func (c concurrentLane) Dispose() {}

type concurrentScheduler struct {
	schedulers.Scheduler
	tasks sync.WaitGroup
}

func (c *concurrentScheduler) NewWorker() schedulers.Worker { return concurrentLane{tasks: &c.tasks} }

func TestPublishOnUnorderedExecutor(t *testing.T) {
	s := &concurrentScheduler{}
	p := run(PublishOn(Range(0, 20*publishOnTurn), s))
	s.tasks.Wait()
	p.Done(t, numbers(20*publishOnTurn)...)
}

func TestPublishOnDownstreamPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, Map(PublishOn(src, h), func(v int) int {
		if v == 2 {
			panic(errBoom)
		}
		return v
	}))
	for i := range 4 {
		src.last().OnNext(i)
	}
	h.run()
	p.Failed(t, errBoom, 0, 1)
	assert.ElementsMatch(t, []any{2, 3}, hooks.Discarded)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(9)
	h.run()
	accounted(t, p, hooks, 0, 1, 2, 3, 9)
	h.assertReleased(t)
}

func TestPublishOnDownstreamGoexit(t *testing.T) {
	for name, src := range map[string]reactor.Publisher[int]{"queued": Hide(Range(0, 10)), "pulled": Range(0, 10)} {
		t.Run(name, func(t *testing.T) {
			var failed []error // the worker tells of it, too; read after the scheduler's end
			defer schedulers.OnHandleError(t.Name(), func(_ context.Context, err error) { failed = append(failed, err) })()
			s := schedulers.NewSingle("exit")
			p := probeOf[int](reactor.Unbounded)
			p.Each = func(int) { runtime.Goexit() }
			PublishOn(src, s).Subscribe(context.Background(), p)
			assert.NoError(t, s.DisposeGracefully(context.Background()))
			p.Failed(t, reactor.ErrGoexit, 0)
			assert.Len(t, failed, 1)
		})
	}
}

// A source that calls no function of the user is asked for what downstream wants, on the worker.
func TestPublishOnPulls(t *testing.T) {
	for name, c := range map[string]struct {
		src        reactor.Publisher[int]
		discarded  []any // at a cancellation: nothing was asked for ahead
		afterwards []any // at a failure of the second element
	}{
		"range": {Range(0, 4), nil, []any{1}},
		"slice": {FromSlice(numbers(4)), []any{3}, []any{1, 2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			h := &handScheduler{}
			p := probeOf[int](0)
			PublishOn(c.src, h).Subscribe(ctx, p)
			p.Request(2)
			p.Open(t)
			h.run()
			p.Open(t, 0, 1)
			p.Request(1)
			h.run()
			p.Cancel()
			h.run()
			p.Open(t, 0, 1, 2)
			assert.Equal(t, c.discarded, hooks.Discarded)
			h.assertReleased(t)

			ctx, hooks = probe.Recorded()
			p = runWith(ctx, Map(PublishOn(c.src, h), func(v int) int {
				if v == 1 {
					panic(errBoom)
				}
				return v
			}))
			h.run()
			p.Failed(t, errBoom, 0)
			assert.Equal(t, c.afterwards, hooks.Discarded)
			assert.Empty(t, hooks.Errs)
			h.assertReleased(t)
		})
	}
}

// The error of the source that waits for a task is not that of the stream then, nor is it forgotten.
func TestPublishOnRefusedBehindAnError(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, PublishOn(src, h))
	h.run()
	h.refuse(schedulers.ErrUnavailable)
	src.last().OnError(errBoom)
	p.Failed(t, reactor.ErrRejected)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

// An error goes with the elements that it waits behind. One that comes when they have been discarded has waited behind nothing.
func TestPublishOnErrorThatComesWhenWhatIsQueuedHasBeenDiscarded(t *testing.T) {
	for name, before := range map[string]bool{"before": true, "after": false} {
		src := &puppet[int]{}
		var dropped []error
		p := runWith(reactor.WithHooks(context.Background(), reactor.Hooks{
			Discard: func(context.Context, any) {
				if !before {
					src.last().OnError(errBoom)
				}
			},
			ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) },
		}), PublishOn(src, &handScheduler{}))
		src.last().OnNext(1)
		if before {
			src.last().OnError(errBoom)
		}
		p.Cancel()
		assert.Equal(t, !before, len(dropped) == 1, name)
		p.Open(t)
	}
}

func TestPublishOnRaces(t *testing.T) {
	for name, opts := range map[string][]PublishOnOption{
		"":        nil,
		"eager":   {EagerErrors()},
		"small":   {Prefetch(1)},
		"endless": {Prefetch(math.MaxInt)},
	} {
		t.Run(name, func(t *testing.T) {
			raceStage(t, 100, func(src elements, h *handScheduler) elements { return PublishOn(src, h, opts...) })
		})
	}
}

func TestPublishOnRacesOnRealWorkers(t *testing.T) {
	s := newParallel(t, 2)
	for range racetest.Iterations(300) {
		l := ledger.New(t)
		p := ledgerProbe(l, 3)
		PublishOn(FromSlice(l.Slice(20)), s, Prefetch(4)).Subscribe(l.Context(context.Background()), p)
		racetest.Race(func() { p.Request(10) }, p.Cancel)
		settle(s)
		l.Check()
		p.Faultless(t)
	}
}

func TestPublishOnManyStreamsShareWorkers(t *testing.T) {
	s := newParallel(t, 2)
	const streams, n = 20, 3000
	var left atomic.Int32
	left.Store(streams)
	done := make(chan struct{})
	for range streams {
		next := 0
		p := probeOf[int](reactor.Unbounded)
		p.Each = func(v int) {
			if v != next {
				t.Errorf("got %d, want %d", v, next)
			}
			if next++; next == n && left.Add(-1) == 0 {
				close(done)
			}
		}
		PublishOn(PublishOn(Range(0, n), s), s).Subscribe(context.Background(), p)
	}
	<-done
}

// TestPublishOnBehindSourcesThatAreSwapped counts what comes through a hop whose
// source changes again and again while it asks for single elements: no element may
// get lost, nor come without being asked for, which would overflow the queue.
func TestPublishOnBehindSourcesThatAreSwapped(t *testing.T) {
	s := newParallel(t, 2)
	var sources []reactor.Publisher[int]
	n := 0
	for i := range 200 {
		k := i % 7
		sources = append(sources, PublishOn(Range(n, k), s, Prefetch(1+i%3)))
		n += k
	}
	for _, prefetch := range []int{1, 2, 5} {
		got, err := Collect(context.Background(), PublishOn(LimitRate(Concat(sources...), prefetch), s, Prefetch(prefetch)))
		assert.NoError(t, err)
		assert.Equal(t, numbers(n), got)
	}
}

// Downstream leaves and fails in the same call: the stages on the way hear of that.
func TestPublishOnFailsWhereNobodyIsLeft(t *testing.T) {
	for name, src := range map[string]reactor.Publisher[int]{
		"asked by the worker": Range(1, 3), "an element asked by the worker": Just(1),
		"through the queue": Map(Range(1, 3), func(v int) int { return v }),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](reactor.Unbounded)
			p.Each = func(int) {
				p.Cancel()
				panic(errBoom)
			}
			PublishOn(src, schedulers.Immediate()).Subscribe(ctx, p)
			p.Failed(t, errBoom, 1)
			assert.Equal(t, []any{1}, hooks.Discarded)
		})
	}
}
